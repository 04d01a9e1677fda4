"""Laws that hold for all answers: symmetry, rewriting, no exceptions."""

import string

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rewardstack_math import check_steps, compare, extract
from rewardstack_math.verification import verify

integers = st.integers(-(10**6), 10**6)
letters = st.sampled_from(["x", "y", "n", "a", "\\alpha", "x_1"])
atoms = st.one_of(
    st.integers(0, 50).map(str),
    letters,
    st.sampled_from(["\\pi", "0.5", "\\sqrt{2}", "\\frac{1}{3}", "e"]),
)


def compound(inner):
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"{p[0]}+{p[1]}"),
        pairs.map(lambda p: f"({p[0]})\\cdot({p[1]})"),
        pairs.map(lambda p: f"\\frac{{{p[0]}}}{{1+\\left|{p[1]}\\right|}}"),
        pairs.map(lambda p: f"({p[0]})-({p[1]})"),
        inner.map(lambda i: f"\\sqrt{{{i}}}"),
        inner.map(lambda i: f"({i})^2"),
        inner.map(lambda i: f"\\sin({i})"),
        inner.map(lambda i: f"\\left|{i}\\right|"),
    )


expressions = st.recursive(atoms, compound, max_leaves=6)
answers = st.one_of(
    expressions,
    st.lists(expressions, min_size=2, max_size=3).map(", ".join),
    st.lists(expressions, min_size=2, max_size=3).map(lambda items: "(" + ",".join(items) + ")"),
    st.lists(expressions, min_size=1, max_size=3).map(lambda items: "\\{" + ",".join(items) + "\\}"),
    st.tuples(letters, expressions).map(lambda p: f"{p[0]} = {p[1]}"),
    st.tuples(letters, st.sampled_from(["<", "\\le", ">", "\\ne"]), integers).map(
        lambda p: f"{p[0]} {p[1]} {p[2]}"
    ),
    st.tuples(integers, integers).map(lambda p: f"[{p[0]}, {p[1]})"),
    st.tuples(
        integers.map(str), st.sampled_from(["cm", "m", "\\%", "\\text{ hours}", "^\\circ", "dollars"])
    ).map(" ".join),
)
fragments = st.lists(
    st.one_of(
        st.sampled_from(
            [
                r"\frac",
                r"{",
                r"}",
                r"(",
                r")",
                r"[",
                r"]",
                r"\{",
                r"\}",
                r"^",
                r"_",
                r"+",
                r"-",
                r"*",
                r"/",
                r"=",
                r"<",
                r">",
                r"\le",
                r",",
                r";",
                r":",
                r"|",
                r"!",
                r"'",
                r"%",
                r"$",
                r"\$",
                r"&",
                r"\\",
                r".",
                r"\sqrt",
                r"\sin",
                r"\log",
                r"\sum",
                r"\int",
                r"\lim",
                r"\begin{pmatrix}",
                r"\end{pmatrix}",
                r"\begin{cases}",
                r"\end{cases}",
                r"\text{",
                r"\boxed{",
                r"\left(",
                r"\right.",
                r"\cup",
                r"\setminus",
                r"\pm",
                r"\infty",
                r"\pi",
                r"\emptyset",
                r"\binom",
                r"\over",
                r"\choose",
                r"\pmod",
                r"\overline{",
                r"\dot{",
                r"d",
                r"x",
                r"dx",
                r"e",
                r"i",
                r"0",
                r"1",
                r"12",
                r"3.5",
                r"1,000",
                r"or",
                r"and",
                r"not",
                r"cm",
                r"km",
                r"degrees",
                r"\circ",
                r"°",
                r"√",
                r"½",
                r"²",
                r"≤",
                r"百分之",
                r"万",
                r"\mathbb{R}",
                r"\langle",
                r"\rfloor",
                r"\angle",
                r"\alpha",
                r"__import__",
                r"eval",
                r"f",
                r"f(x)",
            ]
        ),
        st.text(alphabet=string.printable, max_size=4),
        st.text(max_size=3),
    ),
    max_size=25,
).map(" ".join)

slow = settings(max_examples=150)


@slow
@given(answers, answers)
@example("\\pm 1", "1")
def test_symmetric(one, other):
    first, second = compare(one, other).equal, compare(other, one).equal
    if first is not None and second is not None:
        assert first == second


@slow
@given(fragments, fragments)
@example("\\begin{pmatrix}", "0")
@example("]0,1[", "1/0")
def test_never_raises(gold, answer):
    assert compare(gold, answer).equal in (True, False, None)
    assert verify(gold, answer).comparison.reason
    assert extract(answer).reason
    assert check_steps(answer, problem=gold, gold=gold).reason


@slow
@given(st.text(max_size=200))
def test_never_raises_on_any_text(text):
    assert compare("42", text).equal in (True, False)
    assert verify(text, text).extraction.reason


@slow
@given(answers)
def test_wrapping_says_nothing(answer):
    for wrapped in (
        f"${answer}$",
        f"\\boxed{{{answer}}}",
        f"\\({answer}\\)",
        f"  {answer} .",
        f"**{answer}**",
    ):
        assert compare(answer, wrapped).equal in (True, None) or has_no_value(answer), wrapped


def has_no_value(answer):
    """Division by zero and its kin: such an answer equals nothing, itself included."""
    return compare(answer, f"\\({answer}\\)").equal is not True


@slow
@given(expressions, st.integers(2, 9))
def test_equal_forms_are_equal(expression, factor):
    if has_no_value(expression):
        return
    assert compare(expression, f"{expression} + 0").equal
    assert compare(expression, f"\\frac{{{factor}\\cdot({expression})}}{{{factor}}}").equal
    assert compare(expression, f"({expression})").equal


@slow
@given(expressions)
def test_a_changed_value_is_not_equal(expression):
    assert not compare(expression, f"{expression} + 1").equal


@given(st.fractions())
def test_fractions(value):
    top, bottom = value.numerator, value.denominator
    assert compare(f"\\frac{{{top}}}{{{bottom}}}", f"{3 * top}/{3 * bottom}").equal
    assert not compare(f"{top}/{bottom}", f"{top + 1}/{bottom}").equal


@given(st.integers(10**3, 10**12))
def test_thousands_separators(value):
    for written in (f"{value:,}", f"{value:,}".replace(",", "{,}"), f"{value:,}".replace(",", "\\,")):
        assert compare(str(value), written).equal


@slow
@given(st.lists(integers, min_size=1, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_order_of_sets(values, random):
    shuffled = values[:]
    random.shuffle(shuffled)
    one, other = (", ".join(map(str, items)) for items in (values, shuffled))
    assert compare(one, other).equal
    assert compare(f"\\{{{one}\\}}", other).equal
    assert not compare(one, f"{other}, {10**7}").equal
