"""The two forms a trainer hands prompts and completions in: plain text, and chat messages."""

from typing import Any

import msgspec

from rewardstack.sample import Sample, completion_text, prompt_text

__all__ = ["form_of", "other_form"]


def form_of(sample: Sample) -> str:
    """Return `text` or `chat messages`."""
    return "text" if isinstance(sample.completion, str) else "chat messages"


def other_form(sample: Sample) -> Sample | None:
    """Return a sample with its text as chat messages, or its messages as text.

    `None` where there is no such form: tool traces, several turns, parts that are no text, text that templates have
    dressed up already, and empty text, which is no message.
    """
    turned = turn(sample.completion, "assistant")
    if turned is None or completion_text(turned) != completion_text(sample.completion):
        return None
    if sample.prompt is None:
        return msgspec.structs.replace(sample, completion=turned)
    prompt = turn(sample.prompt, "user")
    if prompt is None or prompt_text(prompt) != prompt_text(sample.prompt):
        return None
    return msgspec.structs.replace(sample, completion=turned, prompt=prompt)


def turn(value: Any, role: str) -> Any:
    """Return text as one message, one plain message as its text, `None` for anything else."""
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value else None
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        return None
    message = value[0]
    content = message.get("content")
    plain = message.keys() <= {"role", "content"} and message.get("role", role) == role
    return content if plain and isinstance(content, str) and content else None
