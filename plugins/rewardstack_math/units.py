"""Units of measure: what an answer may carry besides its value, and how units convert."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from rewardstack_math.lexicon import words
from rewardstack_math.nodes import Unit

__all__ = ["CELSIUS", "DEGREE", "PERCENT", "UNIT_LETTERS", "currency", "is_currency", "is_unit", "read_unit"]

# dimension -> names of its base unit and of the others with their size
_TABLE: dict[str, dict[str, str]] = {
    "length": {
        "1": "m meter meters metre metres 米", "1000": "km kilometer kilometers kilometre kilometres 千米 公里",
        "1/100": "cm centimeter centimeters centimetre centimetres 厘米", "1/10": "dm decimeter decimeters 分米",
        "1/1000": "mm millimeter millimeters millimetre millimetres 毫米",
        "1/1000000": "um micrometer micrometers micron microns", "1/1000000000": "nm nanometer nanometers",
        "127/5000": "in inch inches", "381/1250": "ft foot feet", "1143/1250": "yd yard yards",
        "201168/125": "mi mile miles",
    },
    "mass": {
        "1": "kg kilogram kilograms 千克 公斤", "1/1000": "g gram grams 克", "1/1000000": "mg milligram milligrams", "1/1000000000": "ug microgram micrograms",
        "45359237/100000000": "lb lbs pound pounds", "45359237/1600000000": "oz ounce ounces",
        "1000": "ton tons tonne tonnes t 吨",
    },
    "time": {
        "1": "s sec secs second seconds 秒 秒钟", "60": "min mins minute minutes 分钟 分",
        "3600": "h hr hrs hour hours 小时 时", "86400": "day days d 天", "604800": "week weeks 周",
        "1/1000": "ms millisecond milliseconds", "1/1000000": "us microsecond microseconds",
    },
    "year": {"1": "year years yr yrs 年", "1/12": "month months 个月", "10": "decade decades", "100": "century centuries"},
    "volume": {
        "1": "l L liter liters litre litres 升", "1/1000": "ml mL milliliter milliliters millilitre millilitres 毫升",
        "473176473/125000000": "gal gallon gallons", "473176473/500000000": "quart quarts qt",
        "473176473/1000000000": "pint pints", "473176473/2000000000": "cup cups",
    },
    "currency $": {"1": "dollar dollars usd USD bucks 美元", "1/100": "cent cents ¢"},
    "currency €": {"1": "euro euros eur EUR 欧元"},
    "currency £": {"1": "gbp GBP"},
    "currency ¥": {"1": "yuan rmb RMB 元 人民币"},
    "currency ₹": {"1": "rupee rupees Rs rs"},
    "angle": {"1": "degree degrees deg 度"},
    "percent": {"1/100": "percent pct percentage percents", "1/1000": "permille"},
    "temperature": {"1": "K kelvin kelvins"},
    "energy": {"1": "J joule joules", "1000": "kJ kilojoule kilojoules", "4184": "kcal", "3600000": "kWh"},
    "force": {"1": "N newton newtons", "1000": "kN"},
    "power": {"1": "W watt watts", "1000": "kW kilowatt kilowatts"},
    "pressure": {"1": "Pa pascal pascals", "1000": "kPa", "101325": "atm", "100000": "bar"},
    "information": {
        "1": "byte bytes B", "1000": "kB KB", "1000000": "MB megabyte megabytes", "1000000000": "GB gigabyte gigabytes",
        "1000000000000": "TB", "1024": "KiB kibibyte kibibytes", "1048576": "MiB mebibyte mebibytes",
        "1073741824": "GiB gibibyte gibibytes", "1/8": "bit bits",
    },
    "level": {"1": "dB decibel decibels"},
    "electronvolt": {"1": "eV", "1000": "keV", "1000000": "MeV", "1000000000": "GeV"},
    "charge": {"1": "coulomb coulombs", "1/1000000": "uC"},
    "voltage": {"1": "V volt volts", "1/1000": "mV", "1000": "kV"},
    "current": {"1": "A amp amps ampere amperes", "1/1000": "mA"},
    "resistance": {"1": "ohm ohms Ω Omega", "1000": "kohm"},
    "frequency": {"1": "Hz hertz", "1000": "kHz", "1000000": "MHz"},
    "capacitance": {"1": "farad farads", "1/1000000": "uF", "1/1000000000": "nF", "1/1000000000000": "pF"},
    "flux": {"1": "tesla teslas", "1/1000": "mT"},
    "amount": {"1": "mol mole moles"},
    "unit": {"1": "unit units 单位"},
    "dozen": {"1": "dozen dozens"},
}  # fmt: skip
_RATES = {"mph": ("mi", "h"), "kph": ("km", "h"), "kmh": ("km", "h"), "mps": ("m", "s"), "fps": ("ft", "s")}
_AREA = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cu": 3, "cubed": 3}
_CJK_AREA = {"平方": 2, "立方": 3}

_UNITS: dict[str, tuple[str, Fraction]] = {
    name: (dimension, Fraction(size))
    for dimension, sizes in _TABLE.items()
    for size, names in sizes.items()
    for name in names.split()
}

# Single letters that name a unit when they stand as text after a number.
UNIT_LETTERS = frozenset(words("m s g h N J W V A K L l t d Omega"))

DEGREE = Unit(Fraction(1), "angle")
PERCENT = Unit(Fraction(1, 100), "percent")
CELSIUS = {"C": Unit(Fraction(1), "temperature", Fraction("273.15")),
           "F": Unit(Fraction(5, 9), "temperature", Fraction("459.67") * Fraction(5, 9))}  # fmt: skip
_SIGNS = {"cur": "currency $", "$": "currency $", "€": "currency €", "£": "currency £", "¥": "currency ¥",
          "₹": "currency ₹", "￥": "currency ¥"}  # fmt: skip


def currency(sign: str) -> Unit | None:
    """Return the unit a currency sign stands for, or None for another character."""
    return Unit(Fraction(1), _SIGNS[sign]) if sign in _SIGNS else None


def _look_up(word: str) -> tuple[str, Fraction] | None:
    return _UNITS.get(word) or _UNITS.get(word.lower())


def is_unit(word: str) -> bool:
    """Whether a word names a known unit, or squares or cubes one."""
    return _look_up(word) is not None or word.lower() in _AREA or word in _RATES


def is_currency(word: str) -> bool:
    """Whether a word names a currency: it may stand before its amount, "Rs. 200"."""
    found = _look_up(word)
    return found is not None and found[0].startswith("currency")


def _stem(word: str) -> str:
    word = word.lower()
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


@lru_cache(maxsize=512)
def read_unit(parts: tuple[tuple[str, int], ...]) -> Unit:
    """Return the unit of words with their powers, (("m", 1), ("s", -2)); unknown words make an unknown unit."""
    powers: dict[str, int] = {}
    factor = Fraction(1)
    pending = 0
    for word, power in _expand(parts):
        if word.lower() in _AREA and power == 1:
            if word.lower() in ("squared", "cubed") and powers:
                last = next(reversed(powers))
                powers[last] *= _AREA[word.lower()]
                continue
            pending = _AREA[word.lower()]
            continue
        known = _look_up(word)
        if known is None:
            return _unknown(parts)
        whole = power * pending if pending else power
        pending = 0
        dimension, size = known
        if dimension == "unit":
            continue
        factor *= size**whole if dimension != "volume" else (size / 1000) ** whole
        dimension, rank = ("length", 3 * whole) if dimension == "volume" else (dimension, whole)
        powers[dimension] = powers.get(dimension, 0) + rank
    dimensions = " ".join(
        f"{name}^{power}" if power != 1 else name for name, power in sorted(powers.items()) if power
    )
    letter = parts[0][0] if len(parts) == 1 and parts[0][0] in UNIT_LETTERS and parts[0][1] == 1 else ""
    return Unit(factor, dimensions, letter=letter)


def _expand(parts: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    spread: list[tuple[str, int]] = []
    for word, power in parts:
        if word == "ms" and power < 0:
            spread += [("m", 1), ("s", power)]  # ms^{-1} is m/s
        elif word in _RATES:
            spread += [(_RATES[word][0], power), (_RATES[word][1], -power)]
        elif word[:2] in _CJK_AREA and word[2:] in _UNITS:
            spread.append((word[2:], power * _CJK_AREA[word[:2]]))
        else:
            spread.append((word, power))
    return spread


def _unknown(parts: Sequence[tuple[str, int]]) -> Unit:
    return Unit(Fraction(1), " ".join(_stem(word) for word, _ in parts), known=False)
