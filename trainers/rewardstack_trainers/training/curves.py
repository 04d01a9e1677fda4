"""A run's curves: which numbers of the logs are shown, and the page and the picture made of them."""

import html
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["Curve", "curves_of", "write_page", "write_picture"]

WIDTH, HEIGHT, EDGE = 560, 150, 44
COLOURS = ("#3465a4", "#cc0000", "#4e9a06", "#f57900", "#75507b", "#555753")


class Curve(msgspec.Struct, frozen=True):
    """One chart: its title, and series of (step, value) by name."""

    title: str
    series: dict[str, list[tuple[float, float]]]


CHARTS: dict[str, tuple[str, ...]] = {
    "reward": ("reward", "eval_reward"),
    "length": ("completions/mean_length", "eval_completions/mean_length"),
    "groups that tie": ("frac_reward_zero_std",),
    "entropy": ("entropy",),
    "cut off": ("completions/clipped_ratio",),
    "KL": ("kl", "beta"),
}


def curves_of(logs: Sequence[Mapping[str, Any]], stack: str) -> list[Curve]:
    """Return the charts that the logs have numbers for: each term's mean first, held out beside training."""
    names = dict.fromkeys(name for entry in logs for name in entry)
    terms = [
        name.removeprefix(f"{stack}/").removesuffix("/mean")
        for name in names
        if name.startswith(f"{stack}/") and name.endswith("/mean")
    ]
    wanted = {term: (f"{stack}/{term}/mean", f"eval_{stack}/{term}/mean") for term in terms} | CHARTS
    charts = []
    for title, series in wanted.items():
        found = {name: values for name in series if (values := values_of(logs, name))}
        if found:
            charts.append(Curve(title, found))
    return charts


def values_of(logs: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    """Return a metric's steps and values."""
    return [
        (float(entry["step"]), float(entry[name]))
        for entry in logs
        if isinstance(entry.get(name), (int, float)) and "step" in entry
    ]


def drawn(curve: Curve) -> str:
    """Return a chart as SVG: a line for each series, the least and the greatest value, the first and the last step."""
    points = [point for series in curve.series.values() for point in series]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def place(x: float, y: float) -> str:
        across = EDGE + (WIDTH - EDGE - 8) * (x - left) / ((right - left) or 1)
        down = 8 + (HEIGHT - 28) * (high - y) / (high - low)
        return f"{across:.1f},{down:.1f}"

    frame = f"{place(left, high)} {place(left, low)} {place(right, low)}"
    lines = [
        f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(place(*point) for point in series)}"/>'
        for colour, series in zip(COLOURS, curve.series.values(), strict=False)
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(curve.title)}">'
        f'<polyline fill="none" stroke="#bbb" points="{frame}"/>{"".join(lines)}'
        f'<text x="{EDGE - 4}" y="14" text-anchor="end">{high:.3g}</text>'
        f'<text x="{EDGE - 4}" y="{HEIGHT - 20}" text-anchor="end">{low:.3g}</text>'
        f'<text x="{EDGE}" y="{HEIGHT - 4}">{left:g}</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end">step {right:g}</text></svg>'
    )


def legend(curve: Curve) -> str:
    """Return the names of a chart's series in their colours."""
    names = (
        f'<span style="color:{colour}">{html.escape(name)}</span>'
        for colour, name in zip(COLOURS, curve.series, strict=False)
    )
    return f"<p class=key>{' '.join(names)}</p>"


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>body{{font:15px/1.45 system-ui,sans-serif;max-width:1200px;margin:2em auto;padding:0 1em;
background:#fff;color:#222}} svg{{width:100%;font:11px system-ui,sans-serif}}
section{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24em),1fr));gap:1em}}
h2{{font-size:1em;margin:.5em 0 0}} table{{border-collapse:collapse;width:100%}}
td,th{{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}}
pre{{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;min-width:4em;font-size:13px}}
.key{{margin:0;font-size:13px}} .key span{{margin-right:1em}} .alarm{{color:#a40000}}
@media(max-width:50em){{tr:first-child{{display:none}} tr{{display:block;padding:.5em 0;border-bottom:1px solid #ddd}}
td{{display:block;border:0}}}}</style><h1>{title}</h1>{alarms}<section>{charts}</section>{samples}</html>
"""


def write_page(
    path: Path, title: str, curves: Sequence[Curve], alarms: Sequence[str], samples: Sequence[tuple[str, ...]]
) -> None:
    """Write the report as one page without any address in it: it opens offline.

    `samples` are rows of (when, prompt, completion, total, reason).
    """
    charts = "".join(
        f"<div><h2>{html.escape(curve.title)}</h2>{legend(curve)}{drawn(curve)}</div>" for curve in curves
    )
    told = "".join(f'<p class="alarm">{html.escape(sentence)}</p>' for sentence in alarms)
    rows = "".join(
        "<tr>" + "".join(f"<td><pre>{html.escape(cell)}</pre></td>" for cell in row) + "</tr>"
        for row in samples
    )
    head = "".join(f"<th>{name}</th>" for name in ("when", "prompt", "completion", "total", "why"))
    table = f"<h2>Completions before and after</h2><table><tr>{head}</tr>{rows}</table>" if samples else ""
    page = PAGE.format(title=html.escape(title), alarms=told, charts=charts, samples=table)
    path.write_text(page, "utf-8", errors="backslashreplace")


def write_picture(path: Path, curves: Sequence[Curve]) -> bool:
    """Write the curves as PNG where matplotlib is installed; return whether it is."""
    try:
        drawing: Any = import_module("matplotlib.figure")
    except ImportError:
        return False
    figure = drawing.Figure(figsize=(10, 2.2 * len(curves)), layout="constrained")
    for axes, curve in zip(figure.subplots(len(curves), squeeze=False)[:, 0], curves, strict=True):
        for name, series in curve.series.items():
            axes.plot([x for x, _ in series], [y for _, y in series], label=name)
        axes.set_title(curve.title)
        axes.legend()
    figure.savefig(path)
    return True
