"""Makes the rows a trainer gets: read, made uniform, varied, turned into prompts, filtered by length."""

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.errors import ColumnError, OptionError, RecordError, nearest
from rewardstack.records.sources import rows_in
from rewardstack.records.text import Fault
from rewardstack.wording import counted
from rewardstack_models.hub import hub_advice
from rewardstack_trainers.data.options import shuffled
from rewardstack_trainers.data.rephrasing import by_endpoint, by_rules
from rewardstack_trainers.data.replies import rephrase_all
from rewardstack_trainers.data.taking import take
from rewardstack_trainers.data.tasks import Task, task_named
from rewardstack_trainers.training.config import DataTable

__all__ = ["fill", "filter_by_length", "make_rows", "read_rows", "split_off"]

Row = dict[str, Any]
HOLE = re.compile(r"\{(\w+)\}")


def make_rows(
    table: DataTable,
    tasks: Sequence[str],
    wanted: Sequence[str],
    base: Path,
    *,
    chat: bool,
    kept: Path | None = None,
) -> list[Row]:
    """Return the rows of all tasks, or of the data alone: `prompt`, `answer`, and the columns that are `wanted`.

    `kept` is a file for what an endpoint has rephrased, which is not asked for again.
    Raises `RecordError`, `ColumnError` or `OptionError` for data that cannot be read or lack what is asked.
    """
    if not tasks:
        read = task_rows(table, None, base, chat=chat, kept=kept, needs_answer="answer" in wanted)
        return [finish(row, wanted) for row in read]
    rows = []
    for name in tasks:
        path = None if table.path is None else table.path.replace("{task}", name)
        own = msgspec.structs.replace(table, path=path)
        made = task_rows(own, task_named(name), base, chat=chat, kept=kept)
        rows += [finish({**row, "task": name}, [*wanted, "task"]) for row in made]
    return rows


def finish(row: Row, wanted: Sequence[str]) -> Row:
    """Return only what the trainer and the stack read; the rest of a data set may clash with TRL's own names."""
    return {name: row[name] for name in dict.fromkeys(("prompt", "answer", *wanted)) if name in row}


def task_rows(
    table: DataTable,
    task: Task | None,
    base: Path,
    *,
    chat: bool,
    kept: Path | None,
    needs_answer: bool = True,
) -> list[Row]:
    """Return one task's rows with their prompts; without a task and a need for it they may lack an answer."""
    read = read_rows(table, task, base)
    if task is not None:
        read = [prepared(task, row) for row in read]
    template = table.prompt or (task.prompt if task else "{prompt}")
    answer = table.answer or (task.answer if task else "answer")
    needed = needs_answer or table.answer is not None
    how = table.take or (task.take if task else None)
    system = table.system if table.system is not None else task.system if task else None
    rows = []
    for row in varied(read, table, kept):
        if answer not in row and needed:
            known = ", ".join(row)
            raise ColumnError(
                f"the data have no column {answer!r} for the answer{nearest(answer, row)}. They have: {known}"
            )
        prompt = make_prompt(fill(template, row), system, chat=chat)
        gold = {"answer": take(row[answer], how)} if answer in row else {}
        rows.append({**row, "prompt": prompt, **gold})
    return rows


def prepared(task: Task, row: Row) -> Row:
    """Return a row as the task makes it; `ColumnError` names the column that its data set has and these have not."""
    try:
        return task.prepare(row)
    except KeyError as error:
        raise ColumnError(
            f"the task's rows have a column {error}, these do not{nearest(str(error.args[0]), row)}. They have: "
            f"{', '.join(row)}"
        ) from error


def make_prompt(text: str, system: str | None, *, chat: bool) -> Any:
    """Return a prompt as chat messages, or as text that begins with what the system would say."""
    if not chat:
        return f"{system}\n\n{text}" if system else text
    order = [{"role": "system", "content": system}] if system else []
    return [*order, {"role": "user", "content": text}]


def varied(rows: list[Row], table: DataTable, kept: Path | None) -> list[Row]:
    """Return rows as `rephrase` and `shuffle_options` make them; the same each time."""
    chance = random.Random(0)
    if table.rephrase is not None:
        rows = rephrased(rows, table.rephrase, chance, kept)
    if not table.shuffle_options:
        return rows
    return [shuffled(row, chance) if "options" in row else row for row in rows]


def rephrased(rows: list[Row], how: str, chance: random.Random, kept: Path | None) -> list[Row]:
    """Return rows with their questions in other words, by `rules` or an endpoint's address with its model behind a `#`."""
    questions = [row["question"] for row in rows if isinstance(row.get("question"), str)]
    url, _, model = how.partition("#")
    if how == "rules":
        texts = [by_rules(question, chance) for question in questions]
    elif url.startswith(("http://", "https://")) and model:
        texts = rephrase_all(by_endpoint(url, model), how, questions, chance, kept)
    else:
        raise OptionError(f'[data]: rephrase is "rules" or "http://host/v1#model", not {how!r}')
    left = iter(texts)
    return [{**row, "question": next(left)} if isinstance(row.get("question"), str) else row for row in rows]


def fill(template: str, row: Mapping[str, Any]) -> str:
    """Return a template with `{column}` replaced by the row's values; nothing of it is evaluated."""

    def value(hole: re.Match[str]) -> str:
        if hole[1] not in row:
            raise ColumnError(
                f"the prompt reads {hole[0]}, which the data do not have{nearest(hole[1], row)}"
            )
        return str(row[hole[1]])

    return HOLE.sub(value, template)


def read_rows(table: DataTable, task: Task | None, base: Path) -> list[Row]:
    """Return the rows of a file, or of a hub's data set."""
    if table.path is None:
        return read_hub(table, task)
    rows = []
    for place, value in rows_in(str(base / table.path)):
        if isinstance(value, Fault) or not isinstance(value, dict):
            raise RecordError(
                f"{place}: {value.text if isinstance(value, Fault) else 'a row must be an object'}"
            )
        rows.append(value)
        if len(rows) == table.limit:
            break
    return rows


def read_hub(table: DataTable, task: Task | None) -> list[Row]:
    """Return the rows of a data set of the hub; `RecordError` says how to do without it."""
    name = table.hub or (task.hub if task else None)
    if name is None:
        raise OptionError('[data] needs a path, a hub, or a task: path = "train.jsonl"')
    import datasets

    subset = table.subset or (task.subset if task else None)
    split = table.split if table.hub or not task else task.split
    try:
        loaded = datasets.load_dataset(name, subset, split=split)
    except Exception as error:  # the hub's, the network's and the cache's many errors
        why = hub_advice(error, name, "dataset") or next(iter(str(error).splitlines()), type(error).__name__)
        raise RecordError(
            f'cannot load the data set {name}: {why}. A file is named with [data] path = "train.jsonl"'
        ) from error
    return [
        dict(row) for row in (loaded.select(range(min(table.limit, len(loaded)))) if table.limit else loaded)
    ]


def filter_by_length(rows: Sequence[Row], table: DataTable, tokenizer: Any) -> tuple[list[Row], int]:
    """Return the rows whose prompts have no more than `prompt_tokens` tokens, and how many were cut or left out."""
    if table.prompt_tokens is None:
        return list(rows), 0
    kept, long = [], 0
    for row in rows:
        ids = prompt_ids(row["prompt"], tokenizer)
        if len(ids) <= table.prompt_tokens:
            kept.append(row)
            continue
        long += 1
        shorter = cut(row["prompt"], ids, table.prompt_tokens, tokenizer) if table.too_long == "cut" else None
        if shorter is not None:
            kept.append({**row, "prompt": shorter})
    return kept, long


def cut(prompt: Any, ids: list[int], limit: int, tokenizer: Any) -> Any:
    """Return a prompt without its beginning; of a chat the last message loses its own, None where that is too short."""
    if isinstance(prompt, str):
        return tokenizer.decode(ids[-limit:])
    *before, last = prompt
    content = tokenizer(last["content"], add_special_tokens=False)["input_ids"]
    excess = len(ids) - limit
    while 0 < excess < len(content):
        content = content[excess:]
        shorter = [*before, {**last, "content": tokenizer.decode(content)}]
        excess = (
            len(prompt_ids(shorter, tokenizer)) - limit
        )  # tokens may fall otherwise once they are text again
        if excess <= 0:
            return shorter
    return None


def prompt_ids(prompt: Any, tokenizer: Any) -> list[int]:
    """Return a prompt's token ids, the chat template's included."""
    if isinstance(prompt, str):
        return list(tokenizer(prompt)["input_ids"])
    return list(
        tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=True, return_dict=False)
    )


def split_off(rows: Sequence[Row], count: int) -> tuple[list[Row], list[Row]]:
    """Return rows to train on and `count` held out, chosen evenly so that mixed tasks stay mixed."""
    if not count:
        return list(rows), []
    if count >= len(rows):
        raise OptionError(f"[eval] rows = {count}, but the data have {counted(len(rows), 'row')} in all")
    held = {round(place * len(rows) / count) for place in range(count)}
    return (
        [row for place, row in enumerate(rows) if place not in held],
        [row for place, row in enumerate(rows) if place in held],
    )
