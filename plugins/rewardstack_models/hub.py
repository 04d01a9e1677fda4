"""What to do where the Hugging Face hub gave nothing; the libraries' own messages say little of it."""

from collections.abc import Iterator
from typing import Literal

__all__ = ["ADVICE", "explain_loading", "hub_advice"]

Kind = Literal["model", "dataset"]

ADVICE: dict[tuple[str, ...], str] = {
    ("GatedRepoError",): (
        "it is gated: accept its terms at https://huggingface.co/{page}, then log in with `hf auth login` (or set "
        "HF_TOKEN)"
    ),
    ("RevisionNotFoundError",): "it has no such revision; see https://huggingface.co/{page}/tree/main",
    ("RepositoryNotFoundError", "DatasetNotFoundError"): (
        "the hub has no public {kind} of that name. Check the spelling at https://huggingface.co/{kind}s; a private one "
        "needs `hf auth login` (or HF_TOKEN)"
    ),
    ("HFValidationError",): (
        "that is no name of the hub, which has OWNER/NAME, and there is no folder of that name here"
    ),
    ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectionError"): (
        "the hub cannot be reached, and the cache does not hold it. Where there is a network, `hf download {what}` puts it "
        "there (HF_HOME says where that is); or name a {local} of this machine"
    ),
}
"""What to do by the names of exceptions, the most special first: of the hub's own, of datasets', of the network's."""

LOCAL: dict[Kind, str] = {"model": "folder", "dataset": "file"}


def hub_advice(error: BaseException, name: str, kind: Kind = "model") -> str:
    """Return what to do about an error of loading something from the hub, empty where it is none of the hub's.

    The whole chain of causes is looked at, by name: libraries wrap each other's errors, and none need be installed.
    """
    names = {each.__name__ for cause in causes_of(error) for each in type(cause).__mro__}
    if kind == "model":
        names.discard("ConnectionError")  # while a trainer starts it may be that of a server of vLLM
    for known, advice in ADVICE.items():
        if names.intersection(known):
            page, what = (
                (name, name) if kind == "model" else (f"datasets/{name}", f"--repo-type dataset {name}")
            )
            return advice.format(page=page, what=what, kind=kind, local=LOCAL[kind])
    return ""


def explain_loading(error: BaseException, name: str, kind: Kind = "model") -> str:
    """Return why something could not be loaded: what to do where it is the hub's, else what the library says."""
    return hub_advice(error, name, kind) or f"{type(error).__name__}: {error}".removesuffix(": ")


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and those it came from."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__
