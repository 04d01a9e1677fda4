"""What the tests of learned rewards share."""

import pytest

import rewardstack_models


@pytest.fixture(scope="session")
def _one_thread():
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)


@pytest.fixture
def tiny(_one_thread):
    """Return the makers of tiny models; what a test has loaded is unloaded after it."""
    from tests.rewardstack_models import tiny

    yield tiny
    rewardstack_models.unload_models()


@pytest.fixture
def reward_folder(tiny, tmp_path):
    """Return the folder of a reward model with one label, whose pad token is the one that ends a turn."""
    words = tiny.tokenizer()
    return tiny.save(tmp_path / "reward-model", tiny.llama("sequence", words), words)


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Return a function that starts a chat endpoint; verdicts are cached in the test's folder, waits are short."""
    from tests.rewardstack_models.endpoint import ChatServer

    from rewardstack_models.judging import exchanges

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(exchanges, "FIRST_WAIT", 0.02)
    servers = []

    def start(script, delay=0.0):
        servers.append(ChatServer(script, delay))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
