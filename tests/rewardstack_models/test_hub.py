"""What is told where the hub gives nothing, by the very exceptions of its libraries."""

import pytest

from rewardstack_models.hub import ADVICE, hub_advice

errors = pytest.importorskip("huggingface_hub.errors")
datasets_errors = pytest.importorskip("datasets.exceptions")


def of_kind(kind):
    """Return an exception without what its constructor asks for: a response."""
    return kind.__new__(kind)


def wrapped(cause):
    """Return an error as transformers wraps it."""
    error = OSError("We could not load it")
    error.__cause__ = cause
    return error


def test_the_names_are_those_of_the_installed_libraries():
    known = {name for names in ADVICE for name in names}
    assert {name for name in known if not hasattr(errors, name)} == {
        "ConnectionError",
        "DatasetNotFoundError",
    }
    assert hasattr(datasets_errors, "DatasetNotFoundError")


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (errors.GatedRepoError, "accept its terms at https://huggingface.co/owner/it, then log in with `hf auth login`"),
        (errors.RepositoryNotFoundError, "no public model of that name. Check the spelling at https://huggingface.co/models"),
        (errors.RevisionNotFoundError, "no such revision; see https://huggingface.co/owner/it/tree/main"),
        (errors.HFValidationError, "OWNER/NAME, and there is no folder of that name here"),
        (errors.LocalEntryNotFoundError, "`hf download owner/it` puts it there"),
        (errors.OfflineModeIsEnabled, "name a folder of this machine"),
    ],
)  # fmt: skip
def test_every_failure_has_its_remedy(kind, advice):
    assert advice in hub_advice(wrapped(of_kind(kind)), "owner/it")


def test_data_sets_have_pages_and_downloads_of_their_own():
    assert "https://huggingface.co/datasets/owner/it," in hub_advice(
        of_kind(errors.GatedRepoError), "owner/it", "dataset"
    )
    reach = ConnectionError("Couldn't reach 'owner/it' on the Hub")
    assert "`hf download --repo-type dataset owner/it`" in hub_advice(reach, "owner/it", "dataset")
    missing = datasets_errors.DatasetNotFoundError("Dataset 'owner/it' doesn't exist")
    assert "no public dataset of that name" in hub_advice(missing, "owner/it", "dataset")


def test_what_is_not_the_hubs_gets_no_advice():
    assert hub_advice(ValueError("bad config"), "owner/it") == ""
    assert hub_advice(ConnectionError("The vLLM server can't be reached"), "owner/it") == ""


def test_a_chain_that_bites_its_tail_ends():
    error = ValueError("round")
    error.__context__ = OSError("and")
    error.__context__.__context__ = error
    assert hub_advice(error, "it") == ""
