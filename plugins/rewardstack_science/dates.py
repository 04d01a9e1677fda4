"""Dates in text: 26 April 1986, April 26th, 1986, 26/04/1986, 1986-04-26."""

import re
from datetime import date

__all__ = ["is_date", "read_dates"]

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NAMES = {name: number for number, full in enumerate(_MONTHS, 1) for name in (full, full[:3], full[:4])}
_MONTH = r"(?P<month>jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WRITTEN = (
    re.compile(rf"(?<!\w){_DAY}(?:\s+of)?\s+{_MONTH},?\s+{_YEAR}(?!\w)", re.IGNORECASE),
    re.compile(rf"(?<!\w){_MONTH}\s+{_DAY},?\s+{_YEAR}(?!\w)", re.IGNORECASE),
    re.compile(rf"(?<!\w){_YEAR},?\s+{_MONTH}\s+{_DAY}(?!\w)", re.IGNORECASE),
)
_ISO = re.compile(r"(?<![\d-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?![\d-])")
_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/.-])")


def read_dates(text: str) -> list[frozenset[date]]:
    """Return the dates in a text; 04/05/1986 may be one of two days, so each comes as the set of what it may be."""
    text = text[:2_000]
    found = [
        _days([(match["year"], str(_NAMES.get(match["month"].lower()[:3], 0)), match["day"])])
        for pattern in _WRITTEN
        for match in pattern.finditer(text)
    ]
    found += [_days([match.groups()]) for match in _ISO.finditer(text)]
    for first, _, second, year in _SLASHED.findall(text):
        found.append(_days([(year, second, first), (year, first, second)]))
    return [days for days in found if days]


def _days(readings: list[tuple[str, ...]]) -> frozenset[date]:
    days = set()
    for year, month, day in readings:
        try:
            days.add(date(int(year), int(month), int(day)))
        except ValueError:
            continue
    return frozenset(days)


def is_date(text: str) -> frozenset[date]:
    """Return the days that a text as a whole may mean, none where it is no date."""
    bare = text.strip(" .,;")
    for pattern in (*_WRITTEN, _ISO, _SLASHED):
        if pattern.fullmatch(bare):
            dates = read_dates(bare)
            return dates[0] if dates else frozenset()
    return frozenset()
