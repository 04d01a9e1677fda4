"""Solutions cut into steps, and put together again as a process reward model reads them."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from rewardstack_models.conversations import Message, Template, break_tokens, cut_left, render, template_of
from rewardstack_models.errors import ModelError
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row

__all__ = ["StepFormat", "encode_steps", "split_steps", "token_id"]


class StepFormat(msgspec.Struct, frozen=True):
    """How a model reads steps: what divides a completion, the token its score is read at, what stands between."""

    separator: str
    token: str
    joiner: str
    template: Template


def split_steps(text: str, separator: str) -> list[str]:
    """Return the steps of a solution: the parts between separators that hold any text; blank lines may be longer."""
    if (
        separator and not separator.strip()
    ):  # "\n\n" also ends at three line ends, or at two with spaces between
        lines = separator.count("\n")
        pattern = r"(?:[^\S\n]*\n){%d,}\s*" % lines if lines else r"\s{%d,}" % len(separator)  # noqa: UP031 - braces
        parts = re.split(pattern, text)
    else:
        parts = text.split(separator) if separator else [text]
    return [part.strip() for part in parts if part.strip()]


def encode_steps(
    loaded: Loaded, history: Sequence[Message], steps: Sequence[str], form: StepFormat, most: int | None
) -> Row:
    """Return a row that is read at the step token behind every step.

    Every step is tokenised by itself, as such models are trained, so that no token holds the end of one and the
    beginning of the next. What is too long loses the prompt's beginning; raises `AnswerTooLong` where the steps do
    not fit.
    """
    tokenizer, limit = loaded.tokenizer, min(loaded.limit, most or loaded.limit)

    def ids_of(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    step_ids, joiner_ids = ids_of(form.token), ids_of(form.joiner) if form.joiner else []
    if not step_ids:
        raise ModelError(f"the step token {form.token!r} is no token of {loaded.recipe.model!r}")
    special = [token for token in loaded.special_tokens() if token != form.token.strip()]
    clean = [break_tokens(step, [*special, form.token] if form.token.strip() else special) for step in steps]
    marker = "\0steps\0"  # stands where the steps come, in what the template makes of the conversation
    template = template_of(loaded, form.template)
    before, after = render(loaded, [*history, {"role": "assistant", "content": marker}], template)
    begun, _, ended = (before + after).partition(marker)
    bos = template != "chat"
    ids = list(tokenizer(begun, add_special_tokens=False)["input_ids"])
    if bos and tokenizer.bos_token_id is not None:
        ids = [int(tokenizer.bos_token_id), *ids]
    first, at = len(ids), list[int]()
    for place, step in enumerate(clean):
        ids += (joiner_ids if place else []) + ids_of(step) + step_ids
        at.append(len(ids) - 1)
    ids += ids_of(ended)
    kept = cut_left(ids, first, limit, tokenizer.bos_token_id)
    lost = len(ids) - len(kept)
    return Row(kept, at=tuple(position - lost for position in at))


def token_id(loaded: Loaded, text: str) -> int:
    """Return the id of one token by its text; `ModelError` where the tokenizer needs several for it.

    Tokenizers that put a mark for a space before every text give two ids for one: the last one counts.
    """
    ids: list[Any] = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
    plain = loaded.tokenizer.decode(ids[-1:]).strip() if ids else ""
    if plain != text.strip():
        raise ModelError(f"{text!r} is no single token of {loaded.recipe.model!r}")
    return int(ids[-1])
