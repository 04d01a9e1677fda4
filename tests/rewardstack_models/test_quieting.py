"""Loading a model says nothing over the results, unless more is asked for."""

import logging

import pytest

from rewardstack import Sample, Stack
from rewardstack_models.quieting import quiet

transformers = pytest.importorskip("transformers")


def state():
    from huggingface_hub.utils import are_progress_bars_disabled

    said = transformers.utils.logging
    return said.get_verbosity(), said.is_progress_bar_enabled(), are_progress_bars_disabled()


@pytest.fixture
def level():
    logger = logging.getLogger("rewardstack")
    before = logger.level
    yield logger.setLevel
    logger.setLevel(before)


def test_bars_and_warnings_are_off_while_a_model_loads_and_downloads_keep_theirs(level):
    level(logging.WARNING)
    before = state()
    with quiet(transformers):
        assert state() == (logging.ERROR, False, before[2])
    assert state() == before
    with pytest.raises(KeyError), quiet(transformers):
        raise KeyError
    assert state() == before


def test_verbosely_nothing_is_kept_back(level):
    level(logging.INFO)
    before = state()
    with quiet(transformers):
        assert state() == before


def test_a_long_text_is_scored_without_a_word(reward_folder, capfd, level):
    level(logging.WARNING)
    stack = Stack({"it": {"use": "models.reward", "model": str(reward_folder)}})
    (scored,) = stack.score([Sample("the answer is 4. " * 300, "2 + 2?")])
    assert scored.errors == {}
    assert capfd.readouterr().err == ""
