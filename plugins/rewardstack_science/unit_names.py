"""What single names of units stand for, as pint knows them: "km", "newtons", "°C".

pint only ever sees one name, never an expression, so no text is evaluated. Its registry is made on first use and
shared by all threads.
"""

import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from math import log
from typing import Any

import msgspec

from rewardstack import import_extra
from rewardstack_science.wording import word_set

__all__ = ["ENGLISH", "POWERS", "Dimensions", "Name", "unit_word"]

LONGEST_NAME = 30

Dimensions = tuple[tuple[str, float], ...]
POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3, "squared": 2, "cubed": 3}

# Names that pint lacks or takes for something else than people who write them mean
_NAMES = {
    "AU": "astronomical_unit", "au": "astronomical_unit", "Cal": "kilocalorie", "Kcal": "kilocalorie", "ℓ": "liter",
    "Celsius": "degree_Celsius", "Centigrade": "degree_Celsius", "centigrade": "degree_Celsius", "°C": "degree_Celsius",
    "Fahrenheit": "degree_Fahrenheit", "°F": "degree_Fahrenheit", "°K": "kelvin", "°": "degree", "º": "degree",
    "ohms": "ohm", "Ohm": "ohm", "Ohms": "ohm", "mho": "siemens", "℧": "siemens", "Å": "angstrom",
    "rev": "turn", "revs": "turn", "secs": "second", "mins": "minute", "sec": "second", "amps": "ampere", "amp": "ampere",
    "yrs": "year", "yr": "year", "Gyr": "gigayear", "Myr": "megayear", "Gs": "gauss", "lightyear": "light_year", "lightyears": "light_year",
    "c": "speed_of_light", "e": "elementary_charge", "μ": "micron", "′": "arcminute", "″": "arcsecond", "cc": "cubic_centimeter",
    "lbs": "pound", "lbm": "pound", "feet": "foot", "kgf": "kilogram_force", "L": "liter", "l": "liter", "mps": "meter_per_second", "kmph": "kilometer_per_hour", "kgs": "kilogram", "kilo": "kilogram", "kilos": "kilogram", "gms": "gram", "y": "year", "kmh": "kilometer_per_hour", "unit": "", "units": "",
    "cycle": "", "cycles": "", "oscillations": "", "unitless": "", "gauss": "gauss", "G": "gauss", "dimensionless": "", "times": "", "bits": "bit", "%": "percent", "％": "percent", "‰": "permille", "percent": "percent",
    "percentage": "percent", "pct": "percent", "cm^-1": "reciprocal_centimeter", "psia": "psi", "molal": "", "Torr": "torr", "mcg": "microgram",
    "kelvins": "kelvin", "Kelvin": "kelvin", "Kelvins": "kelvin", "degs": "degree", "cps": "hertz", "b": "barn", "hp": "horsepower",
    "ppb": "ppb", "ppt": "ppt", "¤": "¤", "dollars": "¤", "dollar": "¤", "USD": "¤", "€": "€", "euros": "€", "£": "£",
    "dB": "dB", "db": "dB", "DB": "dB", "decibel": "dB", "decibels": "dB", "Decibels": "dB", "Np": "Np", "neper": "Np", "nepers": "Np", "dBm": "dBm",
}  # fmt: skip
_OWN = {
    "ppb": 1e-9,
    "ppt": 1e-12,
    "¤": 1.0,
    "€": 1.0,
    "£": 1.0,
    "": 1.0,
    "dB": 1.0,
    "Np": 20 / log(10),
    "dBm": 1.0,
}
# What of them is no pure number; levels are logarithms, which pint would take for one
_MEASURED = {"¤": "¤", "€": "€", "£": "£", "dB": "dB", "Np": "dB", "dBm": "dBm"}
# What pint knows under one letter and nobody means after a number, and words of English that are units to pint
_BANNED = word_set(
    "k n a h_bar R G_0 number_meter boltzmann_constant molar_gas_constant "
    "newtonian_constant_of_gravitation planck_constant dirac_constant standard_gravity count pixel "
    "absorbance_unit carat point scaled_point didot cicero number_english number_metric denier jute dtex "
    "tex aberdeen RKM"
)
ENGLISH = word_set(
    "a an and are as at be but by can do for from had has he if in into is it its me my no not of off on "
    "or so than that the then there they this to up was we were when which while with you am ad pa per "
    "hence thus after before apart long high deep wide tall away each both all only also more less about"
)
_SYMBOLS = word_set("m g s A K N J W C V F H T S L l h d t u M G P D B b Å Ω c e")
_CAPITALS = frozenset("kwvj")  # n, m, h and the like are units or prefixes themselves
_CASES = {
    name.lower(): name
    for name in [
        "Hz",
        "kHz",
        "MHz",
        "GHz",
        "eV",
        "keV",
        "MeV",
        "GeV",
        "kWh",
        "kJ",
        "kN",
        "kV",
        "kW",
        "kPa",
        "MPa",
        "GPa",
        "dB",
        "mol",
        "mmol",
        "kmol",
    ]
}
# Scales of temperature: the unit of a difference, and where their zero lies in kelvin
_SCALES: dict[str, tuple[str, float | None]] = {
    "degree_Celsius": ("delta_degree_Celsius", 273.15),
    "degree_Fahrenheit": ("delta_degree_Fahrenheit", 459.67 * 5 / 9),
}

_lock = threading.Lock()


@cache
def _registry() -> Any:
    """The one pint registry of the process."""
    pint = import_extra("pint", "science", "reading units")
    with _lock:
        return pint.UnitRegistry(cache_folder=None)


class Name(msgspec.Struct, frozen=True):
    """A name's size in base units, what it measures, where its scale's zero lies in kelvin, and pint's own name."""

    factor: float
    dimensions: Dimensions
    offset: float | None
    canonical: str


@lru_cache(maxsize=2048)
def unit_word(word: str, *, forgiving: bool = True) -> Name | None:
    """Return what one name of a unit stands for, None where it is none.

    The wrong case of a name is forgiven where that names no other unit (Kg, KJ), unless `forgiving` is false. "mhz" is
    none, since mHz and MHz differ by nine powers of ten.
    """
    if not 0 < len(word) <= LONGEST_NAME or (word in ENGLISH and word != "in") or word in POWERS:
        return None
    if (own := _NAMES.get(word)) == "gauss":  # pint's is that of another system of units
        tesla = unit_word("tesla")
        return tesla and Name(tesla.factor * 1e-4, tesla.dimensions, None, "gauss")
    if own in _OWN:
        return Name(_OWN[own or ""], ((_MEASURED[own], 1.0),) if own in _MEASURED else (), None, own or "")
    return next(filter(None, map(_known, _spellings(own or word, forgiving=forgiving))), None)


def _spellings(word: str, *, forgiving: bool) -> Iterable[str]:
    """The ways to look a name up: as it is, then with a plainer case."""
    if len(word) > 1 or word in _SYMBOLS or not word.isalpha():
        yield word
    if not forgiving:
        return
    if word.endswith("s") and 2 < len(word) < 5:  # "5 mgs"
        yield word[:-1]
    if word in _CAPITALS:
        yield word.upper()
    elif len(word) > 1 and not _has_two_sizes(word):
        yield from dict.fromkeys((_plain_case(word), word.lower(), word.capitalize()))


def _plain_case(word: str) -> str:
    return _CASES.get(word.lower(), word.lower())


def _has_two_sizes(word: str) -> bool:
    """Whether a name in the wrong case may be one unit with two prefixes, and its first letter does not say which."""
    usual = _plain_case(word)
    if usual[0] == word[0]:
        return False
    one, two = _known(usual), _known(usual[0].swapcase() + usual[1:])
    return (
        one is not None and two is not None and one.dimensions == two.dimensions and one.factor != two.factor
    )


def _known(word: str) -> Name | None:
    """Look one spelling up in pint."""
    registry = _registry()
    parsed = (
        registry.parse_unit_name(word) if word.replace("_", "").isalpha() or word in ("°", "%", "‰") else ()
    )
    for prefix, name, _ in parsed:
        if name in _BANNED or (
            prefix and name in ("speed_of_light", "elementary_charge", "percent", "degree")
        ):
            continue
        if prefix and word in ENGLISH:
            continue
        step, offset = _SCALES.get(name, (name, None))
        factor, base = registry.get_root_units(prefix + step)
        dimensions = tuple(sorted((unit, float(power)) for unit, power in base._units.items()))  # noqa: SLF001 - the public forms are strings
        if name == "kelvin":
            offset = 0.0 if not prefix else None
        return Name(float(factor), dimensions, offset, step)
    return None
