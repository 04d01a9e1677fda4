"""The options of every reward that holds a model on this machine."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from rewardstack_models.library import Dtype, Head, Recipe
from rewardstack_models.sharing import SharedModel, shared_model

__all__ = ["Hosted"]


@dataclass
class Hosted:
    """Which model, and how it is run.

    Options:
        model: A folder, a hub id, `module:attribute`, or an installed package that ships a model.
        batch: The most rows in a batch; how long they are sets a limit too.
        device: "cpu", "cuda:1", ...; by default this rank's GPU where there is one.
        dtype: "float32", "bfloat16" or "float16"; by default bfloat16 on a GPU. A layer of scores is float32 anyway.
        revision: The hub's branch, tag or commit.
        remote_code: Run the code that comes with the model.
    """

    model: str
    batch: Annotated[int, Meta(ge=1)] = 64
    device: str = "auto"
    dtype: Dtype = "auto"
    revision: str = ""
    remote_code: bool = False

    def share(self, head: Head, padding: Literal["right", "left"] = "right") -> SharedModel:
        """Return the one object of this process for the model; nothing is loaded yet."""
        return shared_model(
            Recipe(self.model, head, self.device, self.dtype, self.revision, padding, self.remote_code)
        )
