"""Prints what the science rewards get right: on labelled answers, on gold answers in five phrasings, and how quickly.

    python -m tests.benchmarks.bench_science FOLDER [--wrong]

reads those of mcq.jsonl, units.jsonl, free_text.jsonl, golds.jsonl, scibench.jsonl, mmlu_stem.jsonl, arc_challenge.jsonl
and theoremqa.jsonl that the folder has. Contested rows are shown apart. `--wrong` lists what was judged wrongly. Speed is
measured against math-verify on the same multiple-choice rows, in turns, where it is installed.
"""

import argparse
import json
import logging
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.interleave import ratio

from rewardstack import Score
from rewardstack_science import choice, quantity, text

Row = dict[str, Any]

LABELLED: dict[str, Callable[[Row], Score]] = {
    "mcq": lambda row: choice(row["completion"], row["gold"], row["options"]),
    "units": lambda row: quantity(row["pred"], row["gold"], rtol=row["rtol"]),
    "free_text": lambda row: text(row["pred"], row["gold"]),
}
PHRASINGS = (
    "{}",
    "The answer is {}.",
    "We follow the definition, step by step.\n\nTherefore: \\boxed{{{}}}",
    "<think>This is hard. Perhaps 7?</think>\n**Final answer:** {}",
    "Let us see.\n<answer>{}</answer>",
)
LETTER_PHRASINGS = (
    "{letter}",
    "The answer is ({letter}).",
    "**{letter}. {text}**",
    "I would choose option {letter}, because it fits best.\n\n\\boxed{{{letter}}}",
    "{text}",
)


def rows_of(path: Path) -> list[Row]:
    """Read a JSONL file, none where it is missing."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


# Gold answers as completions


def golds_in(folder: Path) -> dict[str, list[Row]]:
    """Return the gold answers that a folder has, by source, each with the `task` that fits it."""
    found: dict[str, list[Row]] = {}
    for row in rows_of(folder / "golds.jsonl"):
        found.setdefault(row["source"], []).append(row)
    for row in rows_of(folder / "scibench.jsonl"):
        found.setdefault("SciBench", []).append(
            {"task": "quantity", "answer": row["answer"], "unit": row["unit"]}
        )
    for name in ("mmlu_stem", "arc_challenge"):
        for row in rows_of(folder / f"{name}.jsonl"):
            found.setdefault(name, []).append(
                {"task": "choice", "answer": row["answer"], "choices": row["choices"]}
            )
    for row in rows_of(folder / "theoremqa.jsonl"):
        plain = row["answer_type"] in ("float", "integer")
        answer = row["answer"] if plain else str(row["answer"])
        found.setdefault("TheoremQA", []).append({"task": "quantity" if plain else "text", "answer": answer})
    return found


def phrasings_of(row: Row) -> list[str]:
    """Return a row's gold answer in five phrasings."""
    if row["task"] == "choice":
        options = (
            dict(zip("ABCDEFGH", row["choices"])) if isinstance(row["choices"], list) else row["choices"]
        )
        letter = row["answer"]
        return [phrasing.format(letter=letter, text=options[letter]) for phrasing in LETTER_PHRASINGS]
    answer, unit = " ".join(str(row["answer"]).split()), " ".join(row.get("unit", "").split())
    shown = f"\\${answer}" if unit == "$" else f"{answer} {unit}".strip()
    return [phrasing.format(shown) for phrasing in PHRASINGS]


def judge(row: Row, completion: str) -> bool:
    """Whether the fitting reward takes a completion for the row's gold."""
    if row["task"] == "choice":
        return choice(completion, row["answer"], choices=row["choices"]).value == 1.0
    if row["task"] == "quantity":
        return quantity(completion, row["answer"], row.get("unit", "")).value == 1.0
    return text(completion, row["answer"]).value == 1.0


def rival_of(row: Row, rows: list[Row], chance: random.Random) -> Row | None:
    """Return a row of the same kind with another answer: for options the same question with a wrong letter."""
    if row["task"] == "choice":
        letters = (
            "ABCDEFGH"[: len(row["choices"])] if isinstance(row["choices"], list) else list(row["choices"])
        )
        return {**row, "answer": chance.choice([letter for letter in letters if letter != row["answer"]])}
    for _ in range(20):
        other = chance.choice(rows)
        if other["task"] == row["task"] and not _same(row, other):
            return other
    return None


def _same(row: Row, other: Row) -> bool:
    """Whether two golds are one answer, or two within the tolerance of one another."""
    one, two = str(row["answer"]), str(other["answer"])
    if one == two and row.get("unit") == other.get("unit"):
        return True
    try:
        return abs(float(one) - float(two)) <= 0.0101 * abs(float(one))
    except ValueError:
        return False


def phrase_golds(rows: list[Row]) -> tuple[list[tuple[Row, str, bool]], list[tuple[Row, str, bool]]]:
    """Judge every gold in its phrasings, and another row's answer in the same: row, completion, whether accepted."""
    chance = random.Random(0)
    own, others = [], []
    for row in rows:
        own += [(row, completion, judge(row, completion)) for completion in phrasings_of(row)]
        rival = rival_of(row, rows, chance)
        if rival is not None:
            others += [(row, completion, judge(row, completion)) for completion in phrasings_of(rival)]
    return own, others


# Labelled answers


def judge_labelled(name: str, rows: list[Row]) -> Iterator[tuple[Row, bool]]:
    """Return every row with the verdict on it."""
    for row in rows:
        yield row, LABELLED[name](row).value == 1.0


def print_labelled(name: str, rows: list[Row], *, wrong: bool) -> None:
    """Print accuracy and false accepts of one labelled file, contested rows apart."""
    judged = list(judge_labelled(name, rows))
    for title, kept in (
        ("", [each for each in judged if not each[0].get("contested")]),
        (" (contested)", [each for each in judged if each[0].get("contested")]),
    ):
        if not kept:
            continue
        right = sum(said == bool(row["label"]) for row, said in kept)
        false = [row for row, said in kept if said and not row["label"]]
        negatives = sum(not row["label"] for row, _ in kept)
        share = f"{len(false)}/{negatives}"
        print(
            f"{name + title:24s} rows {len(kept):4d}  accuracy {right / len(kept):.4f}  false accepts {share}"
        )
        for row, said in kept if wrong else ():
            if said != bool(row["label"]):
                print(
                    f"    label {row['label']}: {row.get('completion', row.get('pred'))!r}, gold {row['gold']!r}"
                )


def print_golds(source: str, rows: list[Row], *, wrong: bool) -> None:
    """Print how many golds are accepted as completions, and how many of other rows are."""
    own, others = phrase_golds(rows)
    accepted, false = sum(said for _, _, said in own) / len(own), sum(said for _, _, said in others)
    print(
        f"{source:24s} golds {len(rows):4d}  accepted {accepted:.4f}  of another row {false / max(1, len(others)):.4f}"
    )
    for row, completion, said in (
        [each for each in own if not each[2]] + [each for each in others if each[2]] if wrong else ()
    ):
        print(
            f"    {'accepted' if said else 'refused'}: {completion!r}, gold {row['answer']!r} {row.get('unit', '')}"
        )


# Speed


def peers() -> dict[str, Callable[[str, str], bool]]:
    """Return math-verify as a judge of letters, alone and with its formulae; none where it is not installed."""
    try:
        from math_verify import (
            ExprExtractionConfig,
            LatexExtractionConfig,
            StringExtractionConfig,
            parse,
            verify,
        )
    except ImportError:
        return {}
    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    letters = [StringExtractionConfig()]
    configs = {
        "its letters alone": letters,
        "letters and formulae": [LatexExtractionConfig(), ExprExtractionConfig(), *letters],
    }

    def judged(config: list[Any]) -> Callable[[str, str], bool]:
        return lambda completion, gold: bool(
            verify(parse(gold, extraction_config=config), parse(completion, extraction_config=config))
        )

    return {name: judged(config) for name, config in configs.items()}


# What policies write before they answer, so that replies are as long as those of a run
REASONING = (
    "Let us go through the options one by one. The first is small, about half the size of the others, so it can be left out. "
    "The second looks right at first sight. However, its mass is only 95 units, which is less than what was asked for. "
    "The remaining two differ in one respect alone, and that is what decides.\n\n"
)


def print_speed(rows: list[Row]) -> None:
    """Print rows a second beside math-verify's, in turns on the same rows with one right letter, then after reasoning."""
    rows = [row for row in rows if isinstance(row["gold"], str) and row["gold"] in "ABCDEFGHIJ"]
    print_speed_on("short replies", rows)
    plain = [row for row in rows if row["label"] and row["kind"] in ("phrase", "boxed", "tag", "markdown")]
    print_speed_on(
        "after reasoning", [{**row, "completion": 3 * REASONING + row["completion"]} for row in plain]
    )


def print_speed_on(title: str, rows: list[Row]) -> None:
    """Print the speed on some rows."""
    import time

    def ours() -> None:
        for row in rows:
            choice(row["completion"], row["gold"], row["options"])

    ours()
    began = time.process_time()
    for _ in range(20):
        ours()
    print(f"{title:24s} {20 * len(rows) / (time.process_time() - began):,.0f} rows a second")
    for name, judged in peers().items():

        def theirs(judged: Callable[[str, str], bool] = judged) -> None:
            for row in rows:
                judged(row["completion"], row["gold"])

        right = sum(judged(row["completion"], row["gold"]) == bool(row["label"]) for row in rows)
        times = 1 / ratio(ours, theirs)
        print(
            f"against math-verify, {name}: {times:.2f} times as many; it judges {right / len(rows):.4f} rightly"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true")
    asked = parser.parse_args()
    for name in LABELLED:
        if rows := rows_of(asked.folder / f"{name}.jsonl"):
            print_labelled(name, rows, wrong=asked.wrong)
    for source, rows in golds_in(asked.folder).items():
        print_golds(source, rows, wrong=asked.wrong)
    if rows := rows_of(asked.folder / "mcq.jsonl"):
        print_speed(rows)


if __name__ == "__main__":
    main()
