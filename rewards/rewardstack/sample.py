"""Samples, and the one place that turns what trainers hand over into text.

A completion arrives as text, as chat messages, as multimodal parts or as a tool trace. Rewards see `completion`,
the text of the last assistant message, and `messages`, the whole conversation.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from rewardstack.errors import ColumnError, RecordError
from rewardstack.wording import counted

__all__ = ["ABSENT", "Batch", "Message", "Sample", "completion_text", "freeze", "prompt_key", "prompt_text"]

Message: TypeAlias = dict[str, Any]
"""A chat message: `role` and `content`, the content a string, a list of parts, or `None` beside tool calls."""

END_TOKENS = (
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "<|return|>",
    "<|EOT|>", "<|endofturn|>", "<|END_OF_TURN_TOKEN|>", "<|pad|>", "<|finetune_right_pad_id|>", "</s>", "<eos>",
    "<end_of_turn>", "<turn|>", "<pad>", "[PAD]", "[EOS]", "<｜end▁of▁sentence｜>", "<|end▁of▁sentence|>",
)  # fmt: skip
START_TOKENS = (
    "<|im_start|>assistant", "<|im_start|>", "<|begin_of_text|>", "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model", "<bos>", "<s>", "<｜begin▁of▁sentence｜>", "<｜Assistant｜>", "<|assistant|>",
)  # fmt: skip
LONGEST_END = max(map(len, END_TOKENS))
LAST_CHARACTERS = frozenset(token[-1] for token in END_TOKENS)
FIRST_CHARACTERS = frozenset(token[0] for token in START_TOKENS)

IMMUTABLE = frozenset({str, int, float, bool, bytes, complex, type(None)})


class Absent:
    """The type of `ABSENT`, which stands where a sample lacks a column that others have."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Sample(msgspec.Struct, frozen=True):
    """One row to score: a prompt, a completion, and the data set's other columns.

    `prompt` and `completion` are text or chat messages, as the trainer hands them; `prompt` may be `None`.
    `id` names the row in reports; empty means that its place in the batch does.
    """

    completion: Any
    prompt: Any = None
    columns: Mapping[str, Any] = {}
    id: str = ""

    @classmethod
    def from_row(cls, row: Mapping[str, Any], id: str = "") -> "Sample":
        """Return the sample of one data set row; a row with only `messages` is split before its last message.

        Raises `RecordError` when it is no row, or has neither a `completion` nor `messages`.
        """
        if not isinstance(row, Mapping):
            raise RecordError(
                f"samples are `Sample` objects or rows (tables with a 'completion'), not {type(row).__name__}"
            )
        columns = {name: value for name, value in row.items() if name not in ("prompt", "completion")}
        own_id = row.get("id")
        name = id if own_id is None else str(own_id)
        if "completion" in row:
            return cls(row["completion"], row.get("prompt"), columns, name)
        messages = columns.pop("messages", None)
        if not isinstance(messages, list) or not messages:
            raise RecordError(
                f"a sample needs a column 'completion' (or 'messages'); it has {', '.join(map(repr, row)) or 'none'}"
            )
        return cls(messages[-1:], row.get("prompt", messages[:-1]), columns, name)


def content_end(text: str) -> int:
    """Return where a text ends without the tokens that end a turn; white space counts unless such a token follows it.

    Linear in the length of the text. Does not know tokens that are not in `END_TOKENS`.
    """
    end = len(text)
    while end and (text[end - 1].isspace() or text[end - 1] in LAST_CHARACTERS):
        bare = end
        while bare and text[bare - 1].isspace():
            bare -= 1
        opens = max(text.rfind(first, max(0, bare - LONGEST_END), bare) for first in "<[")
        if opens < 0 or text[opens:bare] not in END_TOKENS:
            break
        end = opens
    return end


def strip_special_tokens(text: str) -> str:
    """Return text without the tokens that templates put around a turn; linear in the length of the text."""
    end, start = content_end(text), 0
    while start < end and text[start] in FIRST_CHARACTERS:
        token = next((token for token in START_TOKENS if text.startswith(token, start, end)), None)
        if token is None:
            break
        start += len(token)
    if start and text[start : start + 1] == "\n":  # templates end the role's line before the text begins
        start += 1
    return text[start:end]


def content_text(content: Any) -> str:
    """Return the text of a message's content: itself, or its text parts joined."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if isinstance(content, Sequence):
        parts = (part if isinstance(part, str) else part.get("text") for part in content if part)
        return "".join(part for part in parts if isinstance(part, str))
    return str(content)


def last_text(messages: Sequence[Message], role: str) -> str:
    """Return the text of the last message of a role; messages without a role count as that role's."""
    for message in reversed(messages):
        if message.get("role", role) == role:
            return strip_special_tokens(content_text(message.get("content")))
    return ""


def completion_text(completion: Any) -> str:
    """Return the text of a completion: of its last assistant message, special tokens stripped.

    Takes text, a list of chat messages (with multimodal parts and tool calls), or one message. A conversation whose
    last assistant message only calls tools has the empty text: the policy has not answered.
    """
    if isinstance(completion, str):
        return strip_special_tokens(completion)
    if completion is None:
        return ""
    return last_text(check_messages(as_messages(completion, "assistant"), "completion"), "assistant")


def prompt_text(prompt: Any) -> str:
    """Return the text of a prompt: itself, or of its last user message."""
    if isinstance(prompt, str):
        return prompt
    if prompt is None:
        return ""
    return last_text(check_messages(as_messages(prompt, "user"), "prompt"), "user")


def check_messages(messages: list[Message], what: str) -> list[Message]:
    """Return messages as they are; `RecordError` where they are none."""
    for message in messages:
        if not isinstance(message, Mapping):
            raise RecordError(
                f"a {what} is text or a list of messages, and {type(message).__name__} is no message"
            )
    return messages


def as_messages(value: Any, role: str) -> list[Message]:
    """Return text or messages as a list of messages."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if isinstance(value, Mapping):
        return [dict(value)]
    if not isinstance(value, list | tuple):
        raise RecordError(f"expected text or a list of messages, not {type(value).__name__}")
    return list(value)


class Batch:
    """Samples as columns: what every term of a stack reads from.

    `prompts` and `completions` are as the trainer handed them; `column("completion")`, `column("prompt")` and
    `column("messages")` are the normalised forms, made once and shared by all terms; a data set's own columns of
    these names are not seen. All lists have length `size`.
    `prefill` is what the chat template wrote at the start of the assistant's turn (often `<think>`).
    """

    def __init__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        columns: Mapping[str, Sequence[Any]],
        *,
        ids: Sequence[str] | None = None,
        prefill: str = "",
    ) -> None:
        self.size = len(completions)
        self.ids = ids if ids is not None else [str(index) for index in range(self.size)]
        self.prefill = prefill
        for name, values in (("prompts", prompts), *columns.items()):
            if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != self.size:
                held = (
                    counted(len(values), "value")
                    if isinstance(values, list | tuple)
                    else type(values).__name__
                )
                raise ColumnError(
                    f"the column {name!r} must be a list of {counted(self.size, 'value')}, one a completion, not {held}"
                )
        own = {name: values for name, values in columns.items() if name not in DERIVED}
        self.given = frozenset(own)
        self._columns: dict[str, Sequence[Any]] = {**own, "prompts": prompts, "completions": completions}

    @classmethod
    def from_samples(cls, samples: Iterable[Sample | Mapping[str, Any]], prefill: str = "") -> "Batch":
        """Return the samples as one batch; plain mappings are taken as rows."""
        rows = [sample if isinstance(sample, Sample) else Sample.from_row(sample) for sample in samples]
        names = dict.fromkeys(name for row in rows for name in row.columns)
        columns = {name: [row.columns.get(name, ABSENT) for row in rows] for name in names}
        ids = [row.id or str(index) for index, row in enumerate(rows)]
        return cls(
            [row.prompt for row in rows], [row.completion for row in rows], columns, ids=ids, prefill=prefill
        )

    def take(self, rows: Sequence[int]) -> "Batch":
        """Return some rows as a batch that knows the same columns and calls the rows the same."""
        taken = {
            name: [self._columns[name][row] for row in rows]
            for name in (*self.given, "prompts", "completions")
        }
        prompts, completions = taken.pop("prompts"), taken.pop("completions")
        ids = [self.ids[row] for row in rows]
        return Batch(prompts, completions, taken, ids=ids, prefill=self.prefill)

    def __contains__(self, name: str) -> bool:
        return name in self._columns or name in DERIVED

    def column(self, name: str) -> Sequence[Any]:
        """Return a column by name, one value a row; `KeyError` where there is none."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = DERIVED[name](self)
        return found

    def texts(self) -> list[str]:
        """Return the completions as text, `prefill` put before those that lack it."""
        texts = [completion_text(completion) for completion in self._columns["completions"]]
        if not self.prefill:
            return texts
        begins = self.prefill.strip()
        return [text if text.lstrip().startswith(begins) else self.prefill + text for text in texts]

    def conversations(self) -> list[list[Message]]:
        """Return prompt and completion of every row as one list of messages."""
        pairs = zip(self._columns["prompts"], self._columns["completions"], strict=True)
        return [
            as_messages(prompt, "user") + as_messages(completion, "assistant") for prompt, completion in pairs
        ]


DERIVED: dict[str, Callable[[Batch], list[Any]]] = {
    "completion": Batch.texts,
    "prompt": lambda batch: [prompt_text(prompt) for prompt in batch.column("prompts")],
    "messages": Batch.conversations,
}


def prompt_key(prompt: Any) -> Hashable:
    """Return what tells prompts apart; those that hold images and the like only equal themselves."""
    try:
        return freeze(prompt)
    except (TypeError, RecursionError):
        return id(prompt)


def freeze(value: Any) -> Hashable:
    """Return a hashable stand-in, equal only for values that no reward could tell apart.

    `1`, `1.0` and `True` differ, so do `0.0` and `-0.0`. Raises `TypeError` for types it does not know.
    """
    if type(value) is str:
        return value
    if type(value) is float:
        return (float, repr(value))
    if type(value) in IMMUTABLE or value is ABSENT:
        return (type(value), value)
    if type(value) in (list, tuple):
        return (type(value), *map(freeze, value))
    if type(value) is dict:
        return (dict, *map(freeze, value), *map(freeze, value.values()))
    raise TypeError(f"rows with a value of type {type(value).__name__} are not shared")
