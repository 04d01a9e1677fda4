"""One scored run as people like to read it: tables and bars on a terminal, of whatever width."""

from collections.abc import Sequence
from pathlib import PurePath

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from rewardstack.exit_codes import CANNOT_JUDGE, FINDINGS, GOOD
from rewardstack.report.outcome import Outcome
from rewardstack.report.run import ScoredRun, faults, summarise
from rewardstack.report.sections import Section
from rewardstack.report.statistics import Bin, deviation, histogram, mean
from rewardstack.report.terminal_checks import draw_contract, draw_expectations, draw_labels, hang, outdent
from rewardstack.report.texts import number, printable, short_number, tail
from rewardstack.wording import counted

__all__ = ["draw", "one_line"]

SHOWN = 5
WIDEST_BAR = 40
GAP = 2
MOST_DIGITS = 17  # which tell any two floats apart
DISPENSABLE = ("p95", "shared", "closed", "p50", "left out", "timed out", "std", "weight")
COUNTS = ("scored", "abstained")  # next to go, the one that says nothing first
COLOURS = {FINDINGS: "red", CANNOT_JUDGE: "yellow"}
WORDS = {GOOD: "good", FINDINGS: "failed", CANNOT_JUDGE: "cannot judge"}


def one_line(run: ScoredRun, outcome: Outcome) -> str:
    """Return a run in one line, for `--quiet`."""
    skipped = f" ({len(run.skipped)} skipped)" if run.skipped else ""
    facts = [counted(len(run.scores), "row") + skipped, f"total {number(mean(run.totals))}"]
    if run.expectations is not None:
        facts.append(f"{run.expectations.met} of {len(run.expectations.rows)} as expected")
    if run.labels is not None:
        facts.append(f"accuracy {number(run.labels.accuracy)}")
    return f"{run.stack.name}: {WORDS[outcome.code]}: {'; '.join([', '.join(facts), *outcome.reasons])}"


def draw(
    console: Console,
    run: ScoredRun,
    outcome: Outcome,
    sections: Sequence[Section] = (),
    *,
    everything: bool = False,
    advantages: bool = False,
) -> None:
    """Print a run; of every list the first five entries, unless `everything` is wanted."""
    most = len(run.scores) if everything else SHOWN
    draw_header(console, run)
    draw_terms(console, run)
    if everything:
        draw_uses(console, run)
    draw_totals(console, run)
    draw_faults(console, run, most)
    draw_groups(console, run)
    if advantages:
        draw_advantages(console, run, most)
    draw_contract(console, run, most, everything=everything)
    for section in sections:
        heading(console, section.title)
        console.print(Text("\n".join(map(printable, section.text.splitlines()))))
    draw_expectations(console, run, most)
    draw_labels(console, run, most)
    draw_outcome(console, outcome)


def heading(console: Console, title: str, note: str = "") -> None:
    """Print the line that begins a part."""
    console.print()
    console.print(Text.assemble((printable(title), "bold"), f"  {note}" if note else ""))


def columns() -> Table:
    """Return an empty table without lines, its columns apart by some blanks."""
    return Table(
        box=None,
        padding=(0, GAP, 0, 0),
        pad_edge=False,
        show_edge=False,
        header_style="dim",
        highlight=False,
    )


def draw_header(console: Console, run: ScoredRun) -> None:
    """Print what was scored and how quickly."""
    rows, speed = len(run.scores), ""
    if run.seconds:
        rate = rows / run.seconds
        speed = f", {rate:{',.0f' if rate >= 10 else '.2g'}} rows/s"
    step = f" at step {run.step}" if run.step else ""
    source = "standard input" if run.source == "-" else PurePath(run.source).name
    facts = f"  {counted(rows, 'row')} of {printable(source)}{step} in {duration(run.seconds)}{speed}"
    outdent(console, Text.assemble((printable(run.stack.name), "bold"), facts))
    for message in run.skipped[:SHOWN]:
        outdent(console, Text(f"skipped {printable(message)}", "yellow"))
    if len(run.skipped) > SHOWN:
        console.print(Text(f"skipped {counted(len(run.skipped) - SHOWN, 'more row')}", "yellow"))


def draw_terms(console: Console, run: ScoredRun) -> None:
    """Print a line for every term, as many columns as the width allows; counts that are all nought are left out."""
    summaries = summarise(run)
    rows = max(1, len(run.scores))
    cells = {
        "term": [Text(printable(each.name), "bold") for each in summaries],
        "weight": [Text(f"{each.weight:g}") for each in summaries],
        "mean": [Text(number(each.mean)) for each in summaries],
        "std": [Text(number(each.deviation)) for each in summaries],
        "scored": [Text(str(each.scored)) for each in summaries],
        "abstained": counts([each.abstained for each in summaries], "yellow"),
        "errors": counts([each.errors for each in summaries], "red"),
        "timed out": counts([each.timed_out for each in summaries], "red"),
        "left out": counts([each.left_out for each in summaries]),
        "closed": counts([each.closed for each in summaries]),
        "shared": [Text(f"{100 * each.shared / rows:.0f} %") for each in summaries],
        "p50": [Text(duration(each.p50)) for each in summaries],
        "p95": [Text(duration(each.p95)) for each in summaries],
    }
    always = ("scored", "abstained", "errors")
    shown = {name: column for name, column in cells.items() if name in always or any(map(tells, column))}
    shown = fitting(shown, console.width)
    table = columns()
    for name in shown:
        left = name == "term"
        table.add_column(name, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for line in zip(*shown.values(), strict=True):
        table.add_row(*line)
    console.print()
    console.print(table)


def counts(values: Sequence[int], style: str = "") -> list[Text]:
    """Return counts as cells, coloured where they are not nought."""
    return [Text(str(value), style if value else "") for value in values]


def tells(cell: Text) -> bool:
    """Whether a cell says more than nought."""
    return cell.plain != "0"


def fitting(cells: dict[str, list[Text]], width: int) -> dict[str, list[Text]]:
    """Return the columns that fit beside each other; a crushed table helps nobody, and --json has them all."""
    widths = {
        name: max(len(name), *(cell.cell_len for cell in column)) + GAP for name, column in cells.items()
    }
    shown = dict(cells)
    telling = {name: any(map(tells, column)) for name, column in cells.items()}
    for name in (*DISPENSABLE, *sorted(COUNTS, key=telling.__getitem__)):
        if sum(widths[each] for each in shown) - GAP > width:
            shown.pop(name, None)
    return shown


def draw_uses(console: Console, run: ScoredRun) -> None:
    """Print which reward each term uses, and how often it was called."""
    heading(console, "rewards")
    for each in summarise(run):
        calls = f"{counted(each.calls, 'call')}, {counted(each.shared, 'row')} shared"
        console.print(Text(f"{printable(each.name)} uses {printable(each.use)}: {calls}"))


def duration(seconds: float | None) -> str:
    """Return a time in the unit that suits it."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return (
                f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:,.0f} {unit}"
            )
    return f"{seconds * 1e6:.0f} us"


def draw_totals(console: Console, run: ScoredRun) -> None:
    """Print mean and deviation of the totals, and a bar for each value or range of values."""
    totals = run.totals
    masked = len(run.scores) - len(totals)
    heading(
        console, "total", f"mean {number(mean(totals))}, std {number(deviation(totals))}, masked {masked}"
    )
    bars = histogram(totals)
    if not bars:
        return
    most = max(each.count for each in bars)
    table = columns()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    widest = max(4, min(WIDEST_BAR, console.width - 36))
    for label, each in zip(bar_labels(bars), bars, strict=True):
        table.add_row(label, Text(bar(console, each.count / most, widest), "cyan"), str(each.count))
    table.show_header = False
    console.print(table)


def bar_labels(bars: Sequence[Bin]) -> list[str]:
    """Return what each bar stands for, with as many digits as tell the bars apart."""
    edges = sorted({edge for each in bars for edge in (each.low, each.high)})
    shown = {}
    for digits in range(3, MOST_DIGITS + 1):
        shown = {edge: short_number(edge, digits) for edge in edges}
        if len(set(shown.values())) == len(edges):
            break
    return [
        shown[each.low] if each.low == each.high else f"{shown[each.low]} to {shown[each.high]}"
        for each in bars
    ]


def bar(console: Console, share: float, widest: int) -> str:
    """Return a bar; whatever is not nothing is seen."""
    mark = "#" if console.options.ascii_only else "\N{FULL BLOCK}"
    return mark * (max(1, round(share * widest)) if share else 0)


def draw_faults(console: Console, run: ScoredRun, most: int) -> None:
    """Print the errors, equal ones once."""
    found = faults(run)
    if not found:
        return
    heading(console, "errors")
    for each in found[:most]:
        more = f" and {each.rows - 1} more" if each.rows > 1 else ""
        place = f"{printable(each.term)}, {PurePath(each.place).name}{more}: "
        line = f" ({printable(each.where)})" if each.where else ""
        outdent(console, Text.assemble((place, "red"), tail_of_error(each.error), line))
    if len(found) > most:
        console.print(Text(f"{counted(len(found) - most, 'other error')} (-v shows all)", "dim"))


def tail_of_error(error: str) -> str:
    """Return an error on one line, its middle left out when it is long."""
    line = printable(error[:2000])
    return line if len(line) <= 400 else f"{line[:200]} ... {tail(line, 190)}"


def draw_groups(console: Console, run: ScoredRun) -> None:
    """Print how many groups of one prompt have something to learn from."""
    if run.groups is None or not run.totals:
        return
    sizes = sorted({len(rows) for rows in run.groups.rows})
    size = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    heading(console, "groups", f"{counted(len(run.groups.rows), 'prompt')} of {size} rows each")
    flat = f"{run.groups.flat} ({100 * run.groups.flat_share:.0f} %) without variance{': nothing to learn there' if run.groups.flat else ''}"
    console.print(Text(f"{flat}; mean std {number(run.groups.deviation)}"))


def draw_advantages(console: Console, run: ScoredRun, most: int) -> None:
    """Print the advantages of the first groups."""
    if run.groups is None:
        console.print(Text("no advantages: no two rows share a prompt", "yellow"))
        return
    groups = run.groups
    how = "terms normalised first" if groups.normalise_terms else f"scale {groups.scale}"
    heading(console, "advantages", f"as GRPO in TRL 1.16 computes them, {how}")
    table = columns()
    for name in ("row", "total", "advantage", ""):
        table.add_column(name, justify="left" if name in ("row", "") else "right", no_wrap=True)
    shown = groups.rows[:most]
    for number_, rows in enumerate(shown, start=1):
        for row in rows:
            advantage = groups.advantages[row]
            excerpt = Text(tail(as_text(run.samples[row].completion), 30), "dim")
            style = "green" if advantage > 0 else "red" if advantage < 0 else ""
            cells: list[RenderableType] = [
                PurePath(run.places[row]).name, number(run.scores[row].total), Text(f"{advantage:+.3f}", style), excerpt,
            ]  # fmt: skip
            table.add_row(*cells, end_section=row == rows[-1] and number_ < len(shown))
    console.print(table)
    if len(groups.rows) > most:
        console.print(
            Text(f"{counted(len(groups.rows) - most, 'more group')} (-v shows all, --json every row)", "dim")
        )


def as_text(completion: object) -> str:
    """Return a completion's text."""
    from rewardstack.sample import completion_text

    return completion_text(completion)


def draw_outcome(console: Console, outcome: Outcome) -> None:
    """Print why a run is not good; a good one needs no words."""
    if outcome.code == GOOD:
        return
    console.print()
    lead = Text(f"{WORDS[outcome.code]}: ", f"bold {COLOURS[outcome.code]}")
    for reason in outcome.reasons:
        hang(console, lead, Text(printable(reason)))
        lead = Text(" " * lead.cell_len)
