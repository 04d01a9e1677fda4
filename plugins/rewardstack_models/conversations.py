"""Prompt and answer as tokens: chat template, special tokens in foreign text broken, the prompt cut from its left."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from rewardstack import completion_text
from rewardstack_models.errors import AnswerTooLong, ModelError
from rewardstack_models.library import Loaded
from rewardstack_models.padding import Row

__all__ = ["Template", "break_tokens", "encode", "flatten", "render", "template_of"]

Template = Literal["auto", "chat", "pair", "text"]
Message = dict[str, str]


def break_tokens(text: str, special: Sequence[str]) -> str:
    """Return a text in which no special token stands: each gets a space behind its first character.

    Else a completion could end its own turn and open another's.
    """
    clean = text.encode("utf-8", "replace").decode()
    if not special:
        return clean
    return re.sub("|".join(map(re.escape, special)), lambda found: f"{found[0][0]} {found[0][1:]}", clean)


def flatten(messages: Sequence[dict[str, Any]], answer: str, special: Sequence[str]) -> list[Message]:
    """Return a conversation as messages of text, its last one the answer, special tokens broken in all of them."""
    last = len(messages) - 1
    history = messages[:last] if messages and messages[last].get("role") == "assistant" else messages
    flat = [
        {
            "role": str(message.get("role", "user")),
            "content": break_tokens(completion_text({**message, "role": "assistant"}), special),
        }
        for message in history
    ]
    flat = flat or [{"role": "user", "content": ""}]
    return [*flat, {"role": "assistant", "content": break_tokens(answer, special)}]


def template_of(loaded: Loaded, wanted: Template) -> Template:
    """Return the way to put prompt and answer together: the chat template where there is one, else a pair."""
    if wanted != "auto":
        return wanted
    if getattr(loaded.tokenizer, "chat_template", None):
        return "chat"
    return "pair" if loaded.tokenizer.sep_token_id is not None else "text"


def render(loaded: Loaded, messages: Sequence[Message], template: Template) -> tuple[str, str]:
    """Return a conversation as text in two parts: all before the answer, and the answer with what follows it."""
    if template != "chat":
        return "\n".join(message["content"] for message in messages[:-1]) + "\n", messages[-1]["content"]
    apply = loaded.tokenizer.apply_chat_template
    try:
        whole = apply(list(messages), tokenize=False)
        begun = apply(list(messages[:-1]), tokenize=False, add_generation_prompt=True)
    except Exception as error:  # whatever the template's author raises
        raise ModelError(
            f"the chat template of {loaded.recipe.model!r} refused the conversation: {type(error).__name__}: {error}"
        ) from error
    pairs = enumerate(zip(whole, begun, strict=False))
    start = next((place for place, (one, other) in pairs if one != other), min(len(whole), len(begun)))
    return whole[:start], whole[start:]


def encode(loaded: Loaded, messages: Sequence[Message], template: Template, most: int | None) -> Row:
    """Return a conversation as a row of at most `most` tokens; what is too long loses the prompt's beginning.

    Raises `AnswerTooLong` where not even the answer fits.
    """
    limit = min(loaded.limit, most or loaded.limit)
    template = template_of(loaded, template)
    if template == "pair":
        return encode_pair(loaded, messages, limit)
    before, answer = render(loaded, messages, template)
    bare = template == "chat"  # the template has written the token that begins a text
    given = loaded.tokenizer(before + answer, add_special_tokens=not bare, return_offsets_mapping=True)
    ids, offsets = list(given["input_ids"]), given["offset_mapping"]
    first = next((place for place, (_, end) in enumerate(offsets) if end > len(before)), len(ids))
    if not answer:
        first = len(ids)
    return Row(cut_left(ids, first, limit, loaded.tokenizer.bos_token_id))


def cut_left(ids: list[int], first: int, limit: int, bos: int | None) -> list[int]:
    """Return ids within a limit, without some before `first`; a token that begins every text stays."""
    if len(ids) <= limit:
        return ids
    kept = ids[:1] if ids and first and ids[0] == bos else []
    if len(ids) - first + len(kept) > limit:
        raise AnswerTooLong(f"the answer has {len(ids) - first} tokens, the model reads {limit}")
    return kept + ids[len(ids) - limit + len(kept) :]


def encode_pair(loaded: Loaded, messages: Sequence[Message], limit: int) -> Row:
    """Return prompt and answer as an encoder's two segments."""
    prompt = "\n".join(message["content"] for message in messages[:-1])
    return encode_texts(loaded, prompt, messages[-1]["content"], limit)


def encode_texts(loaded: Loaded, first: str, second: str, limit: int) -> Row:
    """Return two texts as an encoder's two segments; the first one loses its beginning, the second one nothing."""
    tokenizer = loaded.tokenizer
    given = tokenizer(first, second)
    if len(given["input_ids"]) > limit:
        own = len(tokenizer(second, add_special_tokens=False)["input_ids"])
        if own + tokenizer.num_special_tokens_to_add(pair=True) > limit:
            raise AnswerTooLong(f"the answer has {own} tokens, the model reads {limit}")
        tokenizer.truncation_side = "left"
        given = tokenizer(first, second, truncation="only_first", max_length=limit)
    types = given.get("token_type_ids")
    return Row(list(given["input_ids"]), None if types is None else list(types))
