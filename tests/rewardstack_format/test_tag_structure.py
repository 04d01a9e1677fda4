import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Stack, StackError
from rewardstack_format import tags, xmlcount

GOOD = "<think>48 / 2 = 24</think><answer>72</answer>"
NOTEBOOK = "<reasoning>\n48 / 2 = 24\n</reasoning>\n<answer>\n72\n</answer>\n"
words = st.text("abc 123.,\n", min_size=1).filter(lambda text: text.strip(" .\n"))


@given(thought=words, answer=words)
def test_any_two_filled_blocks_in_order_are_worth_all(thought, answer):
    assert tags(f" <think>{thought}</think>\n<answer>{answer}</answer>\n").value == 1.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "<think> is missing"),
        ("72", "<think> is missing"),
        ("<answer>72</answer>", "<think> is missing"),
        ("<think>24</think>72", "<answer> is missing"),
        ("<answer>72</answer><think>24</think>", "<answer> stands where <think> should"),
        ("<think>24<answer>72</answer>", "</answer> stands inside <think>"),
        ("<think>24</think><answer>72", "<answer> is never closed"),
        ("24</think><answer>72</answer>", "</think> closes nothing"),
        (
            "<think>a<think>b</think></think><answer>72</answer>",
            "<think> is opened again before it is closed",
        ),
        ("<think>24 <answer>7</answer></think><answer>72</answer>", "</answer> stands inside <think>"),
        ("<think>24</think><answer>72<think>7</think></answer>", "<think> is opened inside <answer>"),
        ("<Think>24</Think><answer>72</answer>", "<Think> is not how <think> is written"),
        ("<think>24</think ><answer>72</answer>", "</think > is not how </think> is written"),
        ("< think>24</think><answer>72</answer>", "< think> is not how <think> is written"),
        (
            '<think>24</think><answer kind="int">72</answer>',
            '<answer kind="int"> is not how <answer> is written',
        ),
        (f"{GOOD}<ANSWER>7</ANSWER>", "<ANSWER> is not how <answer> is written"),
    ],
)
@pytest.mark.parametrize("credit", ["strict", "soft"])
def test_what_is_wrong_is_refused_and_said(text, reason, credit):
    score = tags(text, credit=credit)
    assert (score.value, score.reason) == (0.0, reason)


@pytest.mark.parametrize(
    "text", [f"So: {GOOD}", f"{GOOD} I hope this helps", GOOD.replace("><", ">, hence <")]
)
def test_text_outside_is_refused_by_strict_alone(text):
    assert tags(text).value == 0.0
    assert tags(text).reason.startswith("text outside the tags: ")
    assert tags(text, credit="soft").value == tags(text, credit="partial").value == 1.0


def test_a_tag_inside_a_code_fence_counts_like_any_other():
    fenced = f"```xml\n{GOOD}\n```"
    assert tags(fenced).value == 0.0
    assert tags(fenced, credit="soft").value == 1.0
    assert tags(f"{GOOD}\n```\n<answer>7</answer>\n```", credit="soft").reason == "<answer> stands 2 times"


def test_reasoning_may_name_the_tags_that_come_later():
    assert tags("<think>The result goes into <answer> tags.</think><answer>72</answer>").value == 1.0
    assert tags("<think>24</think>Now the <answer> tag: <answer>72</answer>", credit="soft").value == 0.0


def test_a_flood_of_tags_is_refused():
    flood = f"<think>{'<answer>' * 2000}</think><answer>72</answer>"
    assert tags(flood).reason == "more than 1000 tags"
    assert tags(flood.replace("<answer>" * 2000, "<answer>" * 900)).value == 1.0


def test_other_tags_and_longer_names_are_text():
    assert tags("<think>a <b>bold</b> <thinking> <answer-key></think><answer>x < y > z</answer>").value == 1.0


def test_partial_credit_pays_half_for_opening_and_half_for_closing():
    values = {
        GOOD: 1.0,
        "<think>24</think><answer>72": 0.75,
        "<think>24</think>72": 0.5,
        "<answer>72</answer><think>24</think>": 0.5,
        "<think>24": 0.25,
        "72": 0.0,
    }
    assert {text: tags(text, credit="partial").value for text in values} == values
    assert tags("<think>24</think>72", credit="partial").details == {"tags": {"think": 1.0, "answer": 0.0}}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=repr)
def test_lines_asks_for_tags_on_lines_of_their_own(line_end):
    text = NOTEBOOK.replace("\n", line_end)
    options = {"tags": ("reasoning", "answer"), "lines": True}
    assert tags(text, **options).value == 1.0
    assert tags(text.rstrip(), **options).value == 1.0
    crowded = text.replace(f"{line_end}</answer>", "</answer>")
    assert tags(crowded, **options).reason == "</answer> does not stand on a line of its own"
    assert tags(crowded, tags=("reasoning", "answer")).value == 1.0
    crowded = text.replace(f"<answer>{line_end}", "<answer>")
    assert tags(crowded, **options).reason == "<answer> does not stand on a line of its own"


def test_the_options_are_checked_when_the_stack_is_loaded():
    for wrong in ({"tags": []}, {"tags": ["<think>"]}, {"tags": "think"}, {"credit": "some"}, {"lines": 1}):
        with pytest.raises(StackError, match="term 'format'"):
            Stack({"format": {"use": "format.tags", **wrong}})


def test_a_list_of_tags_does_as_well_as_a_tuple():
    assert tags("<a>1</a>", tags=["a"]).value == 1.0


def test_xmlcount_pays_a_quarter_for_each_of_four_markers():
    values = {
        NOTEBOOK: 1.0,
        NOTEBOOK.rstrip(): 1.0,
        NOTEBOOK.replace("\n", "\r\n"): 1.0,
        NOTEBOOK.replace("</answer>\n", ""): 0.75,
        NOTEBOOK.replace("\n</reasoning>", "</reasoning>"): 0.75,
        "<reasoning>\nso 72": 0.25,
        "<reasoning>24</reasoning><answer>72</answer>": 0.0,
        NOTEBOOK * 2: 0.0,
    }
    assert {text: xmlcount(text).value for text in values} == values


def test_xmlcount_says_that_line_breaks_belong_to_the_markers():
    text = "<reasoning>24</reasoning><answer>72</answer>"
    assert xmlcount(text).reason == "0 of 4 markers with their line breaks"
    assert (
        xmlcount(NOTEBOOK + "x").reason == "4 of 4 markers with their line breaks, 1 character after the last"
    )


def test_xmlcount_does_not_overlook_a_marker_that_shares_a_line_break():
    assert xmlcount("<reasoning>\n24\n</reasoning>\n<answer>\n<answer>\n72\n</answer>").value == 0.75


def test_xmlcount_charges_for_text_after_the_last_tag_down_to_its_low_end():
    assert xmlcount(NOTEBOOK + "x" * 100).value == pytest.approx(1 - 100 * 0.002)
    assert xmlcount(NOTEBOOK + "x" * 100, trailing=0.004).value == pytest.approx(1 - 100 * 0.004)
    assert xmlcount(NOTEBOOK + "x" * 100_000).value == -1.0


def test_xmlcount_takes_any_tags():
    assert xmlcount("<a>\n1\n</a>\n<b>\n2\n</b>\n<c>\n3\n</c>", tags=("a", "b", "c")).value == pytest.approx(
        1.0
    )


@pytest.mark.parametrize("reward", ["format.tags", "format.xmlcount"])
@pytest.mark.parametrize("names", [["a", "a"], ["a", "A"], ["think", "answer", "Think"]])
def test_tags_of_one_name_are_refused_when_the_stack_is_loaded(reward, names):
    with pytest.raises(StackError, match=f"term 'form': tags = .* names '{names[-1]}' twice"):
        Stack({"form": {"use": reward, "tags": names}})


@pytest.mark.parametrize(
    "nothing",
    ["\U000e0001\U000e0041", "\U000e0100", "\ufff9", "\u0300", " \u20dd", "\ufe0f", "\u3164", "\u2800", "\ue000",
     "-", "_", "—", "−", "- - -", "...", "\n_\n", "•"],
    ids=ascii,
)  # fmt: skip
def test_a_block_that_shows_nothing_is_empty(nothing):
    assert tags(f"<think>a</think><answer>{nothing}</answer>").reason == "<answer> is empty"
    assert tags(f"<think>{nothing * 1000}</think><answer>4</answer>").value == 0.0
    assert tags(f"<think>{nothing}a</think><answer>4</answer>").value == 1.0


@pytest.mark.parametrize(
    "something", ["4", "é", "e\u0301", "答", "ก็", "½", "+", "?", "∅", "🙂", "👍\ufe0f", "\u0661", "-1"]
)
def test_a_block_that_shows_one_letter_number_or_sign_is_not_empty(something):
    assert tags(f"<think>a</think><answer>{something}</answer>").value == 1.0


@pytest.mark.parametrize("odd", ["<th\u0131nk>", "<thin\u212a>", "</an\u017fwer>", "<\u0130d>"], ids=ascii)
def test_letters_that_fold_to_others_make_no_tag_and_no_error(odd):
    assert tags(GOOD + odd, credit="soft").value == 1.0
    assert tags("<id>a</id>" + odd, tags=("id",), credit="soft").value == 1.0
