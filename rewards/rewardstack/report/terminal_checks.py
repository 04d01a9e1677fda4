"""What a run was held to, on a terminal: contract, expectations, labels."""

import math
from collections.abc import Collection, Sequence
from pathlib import PurePath

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rewardstack.finding import ALL_ERRED, Check
from rewardstack.report.labels import Labels
from rewardstack.report.run import ScoredRun
from rewardstack.report.texts import number, printable, short_number, tail
from rewardstack.sample import completion_text
from rewardstack.wording import counted

__all__ = ["draw_contract", "draw_expectations", "draw_labels", "hang", "outdent"]

MARKS = {"passed": ("ok", "green"), "failed": ("violated", "bold red"), "skipped": ("skipped", "dim")}
INDENT = 2
LONGEST_REASON = 300


def title(console: Console, name: str, note: str, style: str = "") -> None:
    """Print the line that begins a part, its result beside it."""
    console.print()
    console.print(Text.assemble((name, "bold"), "  ", (note, style)))


def hang(console: Console, lead: Text, text: Text) -> None:
    """Print text in a column of its own, to the right of what leads it."""
    begin = Text(" " * lead.cell_len)
    for number_, line in enumerate(text.wrap(console, max(1, console.width - lead.cell_len))):
        line.rstrip()
        console.print((begin if number_ else lead).copy().append_text(line), no_wrap=True, overflow="crop")


def indent(console: Console, text: Text) -> None:
    """Print text set in below the line it belongs to."""
    hang(console, Text(" " * INDENT), text)


def outdent(console: Console, text: Text) -> None:
    """Print text whose lines after the first are set in."""
    first, *others = text.wrap(console, max(1, console.width - INDENT))
    hang(console, Text(), first)
    for line in others:
        indent(console, line)


def short_place(place: str) -> str:
    """Return a row's place without its folder."""
    return printable(PurePath(place).name)


def draw_contract(console: Console, run: ScoredRun, most: int, *, everything: bool) -> None:
    """Print the contract checks: what is violated, what is worth a note, and with `everything` all of them."""
    if not run.checks:
        return
    broken = [check for check in run.checks if check.status == "failed"]
    erred = dict.fromkeys(check.term for check in run.checks if check.note == ALL_ERRED)
    title(console, "contract", *verdict(run.checks, broken, erred))
    if everything:
        draw_all_checks(console, run.checks)
    for check in broken:
        draw_broken(console, check, most)
    others = {check.term for check in run.checks if check.rows} - erred.keys()
    for term in erred if others else ():
        outdent(console, Text.assemble((f"not checked: {printable(term)}: ", "yellow"), ALL_ERRED))
    for check in run.checks:
        if check.status == "passed" and check.note and not everything:
            line = Text.assemble((f"note: {printable(check.term)}: ", "yellow"), printable(check.note))
            outdent(console, line)


def verdict(checks: Sequence[Check], broken: Sequence[Check], erred: Collection[str]) -> tuple[str, str]:
    """Return what the contract checks came to and its colour; a term that erred on every row has held to nothing."""
    if broken:
        return f"{counted(len(broken), 'check')} violated", "bold red"
    held = [check for check in checks if check.status == "passed" and check.term not in erred]
    if held:
        terms = counted(len({check.term for check in held}), "term")
        return f"{counted(len(held), 'check')} of {terms} held", "green"
    return ("no check: every row erred" if erred else "no term was called"), "yellow"


def draw_all_checks(console: Console, checks: Sequence[Check]) -> None:
    """Print a line for every check, below the term's name."""
    for term in dict.fromkeys(check.term for check in checks):
        console.print(Text(printable(term), "bold"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=INDENT - 2)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for check in (check for check in checks if check.term == term):
            facts = [counted(check.rows, "row")] if check.rows else []
            facts += [printable(check.note)] if check.note else []
            table.add_row("", check.name, Text(*MARKS[check.status]), Text(", ".join(facts)))
        console.print(table)


def draw_broken(console: Console, check: Check, most: int) -> None:
    """Print a violated check and its first rows."""
    outdent(console, Text(f"{printable(check.term)}: {check.name}", "red"))
    for finding in check.findings[:most]:
        more = f" and {finding.rows - 1} more" if finding.rows > 1 else ""
        line = Text.assemble((f"{short_place(finding.place)}{more}: ", "bold"), printable(finding.message))
        indent(console, line)
    if len(check.findings) > most:
        indent(console, Text(f"{len(check.findings) - most} more (-v shows all)", "dim"))
    if check.note:
        indent(console, Text(printable(check.note), "dim"))


def draw_expectations(console: Console, run: ScoredRun, most: int) -> None:
    """Print how many rows are as expected, and those that are not, the farthest off first."""
    if run.expectations is None:
        return
    found = run.expectations
    count = len(found.rows)
    good = found.met == count
    title(
        console,
        "expectations",
        f"{found.met} of {counted(count, 'row')} as expected",
        "green" if good else "bold red",
    )
    worst = sorted(found.mismatches, key=lambda each: -math.inf if each.off is None else -each.off)
    for mismatch in worst[:most]:
        draw_row(
            console,
            run,
            mismatch.row,
            f"{mismatch.of} expected {mismatch.expected}, got {number(mismatch.got)}",
        )
        draw_reason(console, mismatch.reason)
    if len(found.mismatches) > most:
        console.print(Text(f"{len(found.mismatches) - most} more (-v shows all)", "dim"))


def draw_row(console: Console, run: ScoredRun, row: int, what: str) -> None:
    """Print which row it is, what is wrong there, and how its completion ends."""
    outdent(console, Text.assemble((short_place(run.places[row]), "bold"), f"  {printable(what)}"))
    excerpt = tail(completion_text(run.samples[row].completion), max(20, console.width - INDENT))
    if excerpt:
        indent(console, Text(excerpt, "dim", no_wrap=True, overflow="crop"))


def draw_reason(console: Console, reason: str) -> None:
    """Print why a row scored as it did."""
    if reason:
        line = printable(reason)
        short = line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}..."
        indent(console, Text(short))


def draw_labels(console: Console, run: ScoredRun, most: int) -> None:
    """Print the rows where term and label disagree, the farthest off first, then the confusion matrix."""
    if run.labels is None:
        return
    found = run.labels
    count = len(found.disagreements)
    if count:
        title(console, "disagreements", f"{count} of {counted(found.judged, 'row')}")
    worst = sorted(found.disagreements, key=lambda each: -abs(each.value - found.threshold))
    for each in worst[:most]:
        draw_row(console, run, each.row, f"{each.kind}, {found.term} gave {short_number(each.value, 4)}")
        draw_reason(console, each.reason)
    if count > most:
        console.print(Text(f"{count - most} more (-v shows all)", "dim"))
    draw_not_judged(console, found, most)
    draw_matrix(console, found)


def draw_not_judged(console: Console, found: Labels, most: int) -> None:
    """Print which labelled rows the term gave no value for."""
    if not found.not_judged:
        return
    title(
        console, "not judged", f"{counted(len(found.not_judged), 'labelled row')} without a value", "yellow"
    )
    for place, why in list(found.not_judged.items())[:most]:
        outdent(console, Text.assemble((short_place(place), "bold"), f"  {printable(why[:LONGEST_REASON])}"))
    if len(found.not_judged) > most:
        console.print(Text(f"{len(found.not_judged) - most} more (-v shows all)", "dim"))


def draw_matrix(console: Console, found: Labels) -> None:
    """Print the confusion matrix and the measures."""
    title(
        console,
        f"{printable(found.term)} against {printable(found.column)}",
        f"yes is a value of {found.threshold:g} or more",
    )
    table = Table.grid(padding=(0, 3))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    name = printable(found.term)
    table.add_row("", Text("label true", "dim"), Text("label false", "dim"))
    wrong = "red"
    table.add_row(
        f"{name} yes",
        Text(str(found.true_positives), "green"),
        Text(str(found.false_positives), wrong if found.false_positives else ""),
    )
    table.add_row(
        f"{name} no",
        Text(str(found.false_negatives), wrong if found.false_negatives else ""),
        Text(str(found.true_negatives), "green"),
    )
    console.print(table)
    measures = f"accuracy {number(found.accuracy)}  precision {number(found.precision)}  recall {number(found.recall)}"
    unlabelled = f"  ({counted(found.unlabelled, 'row')} without a label)" if found.unlabelled else ""
    console.print(Text.assemble((measures, "bold"), unlabelled))
