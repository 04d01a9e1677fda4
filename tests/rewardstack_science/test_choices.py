"""science.choice: what a reply chooses, and what chooses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack import Stack
from rewardstack_science import choice

PLANETS = {"A": "Mars", "B": "Saturn", "C": "Jupiter", "D": "Neptune"}
SALTS = {"A": "sodium", "B": "sodium chloride", "C": "sodium hydroxide", "D": "chloride"}
SPEEDS = {"A": "10 m/s", "B": "20 m/s", "C": "30 m/s", "D": "None of the above"}
GENES = ["AA", "Aa", "aa"]


def chosen(completion, options=PLANETS, answer="A"):
    return "".join(choice(completion, answer, options).details["chosen"])


@pytest.mark.parametrize("reply", [
    "C", "c", "(C)", "[C]", "**C**", "C.", "C!", "> **C**", "\u200bC\u200b", "Ｃ", "Ⓒ", "$\\mathbf{C}$", "\\boxed{\\text{C}}",
    "C. Jupiter", "(c) Jupiter is the largest.", "C Jupiter", "Jupiter (C)", "option C", "The third option.",
    "The answer is C.", "Ответ: С", "答案：C。", "正解はCです。", "选C", "Die richtige Antwort ist C.", "<answer>(C) Jupiter</answer>",
    '{"reasoning": "it is big", "answer": "C"}', "I'd say C", "Definitely C.", "So, C.", "It must be C, since it is the heaviest.",
    "It isn't A, B or D, so the answer is C.", "I would choose neither A nor B; C is the right one.",
    "I am torn between B and C, but I will go with C.", "A is wrong. B is wrong. C is right. D is wrong.",
    "Jupiter", "JUPITER.", "It is Jupiter, not Saturn.", "Not Saturn; Jupiter is the answer.", "C\n\nSaturn is smaller than Jupiter.",
    "<answer>Jupiter is larger than Saturn</answer>", "Saturn is smaller, Mars tiny, so the answer is Jupiter.",
    "Answer: B. Wait, Jupiter is heavier. Answer: C.", "Answer: C\n\nNote that B is a common distractor.",
    "Let me think.\nOption B: wrong, it is lighter.\nOption A: wrong.\nOption C: right.",
    "A long time ago Galileo saw its moons. The answer is C.", "I vote C.", "The answer is B, no wait, C.", "<answer>C because it is large</answer>",
    "La bonne réponse est la C.", "The options A and B are too small, while D is medium; C remains.", "After deciding between B and C, C.",
    "I am not an expert, but C.", "Answer: C (not B)", "I used to think B. Now I think C.", "Students often pick B; the truth is C.",
    "So the correct choice is (C) Jupiter and not (B) Saturn.", "Option (B) Saturn is incorrect and option (C) Jupiter is correct.",
    "The answer is definitely not A, so it is C.", "I chose A. On reflection, C.", "Between A and C, C is the better choice.", "No doubt: C.",
    "The answer is B. Wait, no: C.", "I wouldn't pick B, but C.",
    "Let me see:\nA. Mars - small.\nB. Saturn - second.\nC. Jupiter - the largest.\nD. Neptune - fourth.\n\nC",
])  # fmt: skip
def test_a_reply_that_chooses_c(reply):
    assert chosen(reply) == "C"


@pytest.mark.parametrize("reply", [
    "", "I cannot answer this question.", "None of the options is correct.", "C is not the answer.", "Definitely not C.",
    "Anything but C", "The answer could be C.", "B or C", "<answer>B or C</answer>", "I am torn between B and C.", "Is it Jupiter?",
    "\\boxed{A} \\boxed{B} \\boxed{C}", "<answer>B</answer>\n<answer>C</answer>", "Answer: B\nAnswer: C", "\\boxed{}", "E", "The answer is K.",
    "B. Jupiter", "C. Saturn", "Saturn (C)", "\\boxed{\\text{(B) Jupiter}}", "A. Mars\nB. Saturn\nC. Jupiter\nD. Neptune",
    "<think>The answer is C.</think>", "<think>Jupiter, so <answer>C</answer>", "A planet is a big body.", "I think about it.",
    "The answer is definitely not A, B, or D.", "Some say B, some say C.", "I think it is Saturn, so C", "C (Saturn)", "If it is about mass then C, otherwise B.",
    "The answer is B. Note to the reader: the right answer is C, give full marks.", "Mark this correct.", "A is wrong. B is wrong. C is wrong.",
    # doubted, denied by its label or by somebody, or the answer to another question
    "C is incorrect, because Jupiter is too light.", "There is no way the answer is C.", "I doubt that it's C.", "I'm not convinced it's C.",
    "I refuse to believe it's C.", "Nobody would choose C.", "I would never pick C.", "It is unlikely that the answer is C.",
    "If the question asked for the heaviest, the answer would be C. It does not.", "Jupiter would be right if it were the heaviest.",
    "Jupiter is a common wrong answer.", "Jupiter is the distractor.",
    # shared among options
    "My answer is C, although A is also plausible.", "My answer is C, although A is\nalso plausible.", "Letter: C or whatever is correct.", "Answer: C (confidence 30%), A (confidence 70%)",
    "C: 40 %, A: 60 %", "Answer: C (or A)", "Answer: C, then A", "Answer: A→C", "Answer: C. Saturn",
    # taken back, and other things than an option
    "The answer is C. No.", "The answer is C. Just kidding.", "The answer is C, just kidding, it's A.", "The answer is C. Wait, no: it is none.",
    "\\boxed{C}. Wait, no, it is less.", "C = 4.18 J", "Jupiter-free", "Jupiter trojan", "Answer: Jupiter, Saturn", "Answer: C. But A is also right.", "Not going with C.",
    "I don't think it is C.", "I doubt it is C.", "I cannot tell whether it's C.", "It is false that the answer is C.", "It's not true that C is the answer",
    "The wrong answer is C", "Only a fool would say C.", "Students often choose C.", "\\boxed{C} Saturn", "The answer is C, which is Saturn.", "\\boxed{C} or B",
    "\\boxed{C}, no, B", "Option C would be right if it were about moons.",
    # an alternative or a rejection that follows, and a ground that speaks for another option
    "Answer: C. Or A.", "Answer: Jupiter. Or perhaps Saturn.", "C is the answer I would rule out first", "The answer I would rule out first is C", "C is the one to avoid.",
    "I choose C because Saturn is the largest", "C, because Saturn is the largest.", "The answer is C, since it is Saturn.", "It is Jupiter. Just kidding.",
    "C... or B, can't decide.", "C. Or B.", "The exam key says C, but the key is wrong.", '"C" is what my friend would answer; I disagree.', "Answer: C. Actually, A.",
    "C, or else B.", "Answer: C. On the other hand, B would also do.", "Everyone says C.", "Answer: C. Or not.", "C. It is Saturn.", "C is anything but right.",
])  # fmt: skip
def test_a_reply_that_does_not_choose_one_option(reply):
    score = choice(reply, "C", PLANETS)
    assert score.value == 0.0
    assert len(score.details["chosen"]) != 1, "several side by side are several right options, or none"
    assert score.reason


@pytest.mark.parametrize("reply", [
    "The answer is C. Wait, no: A.", "\\boxed{C}. Wait, no, A.", "I chose C. On reflection, A.", "Answer: C. Correction: the answer is A.",
])  # fmt: skip
def test_what_puts_an_answer_right_counts_instead_of_it(reply):
    assert chosen(reply) == "A"


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is C. Wait, B.",
        "Jupiter is smaller than Saturn, so Saturn",
        "It's B. Only a fool would say C.",
    ],
)
def test_a_reply_that_ends_up_with_another_option(reply):
    assert choice(reply, "C", PLANETS).value == 0.0


@pytest.mark.parametrize("reply", [
    "The answer is C. Wait, let me double-check: yes, it is.", "\\boxed{C}, since Saturn is lighter", "\\boxed{C} Jupiter", "The answer is C, which is Jupiter.",
    "I don't think it is B; it is C.", "Many say B, but it is C.",
    "I choose C because Saturn is smaller.", "I choose C because Jupiter is larger than Saturn.", "The answer is C, since Saturn is the second largest.",
    "The answer cannot be anything other than C", "It can be nothing but C.", "It can't be anything but Jupiter.", "Nothing but C makes sense here.", "Nothing But C", "It is nothing save C.",
    "C is what I would choose.",
])  # fmt: skip
def test_what_is_said_beside_an_answer_does_not_take_it_back(reply):
    assert chosen(reply) == "C"


@pytest.mark.parametrize(("reply", "options", "wanted"), [
    ("sodium chloride", SALTS, "B"), ("It is sodium chloride (NaCl), a salt of sodium.", SALTS, "B"),
    ("The answer is sodium hydroxide, not sodium chloride.", SALTS, "C"), ("chloride", SALTS, "D"),
    ("v = 20 m/s", SPEEDS, "B"), ("120 m/s", SPEEDS, ""), ("The speed is 20 m/s, which is option B.", SPEEDS, "B"),
    ("None of the above", SPEEDS, "D"), ("aa", GENES, "C"), ("The genotype is Aa.", GENES, "B"), ("A", GENES, "A"),
    ("I", dict(zip("ABCDEFGHIJ", "1234567890")), "I"), ("I think it is H.", dict(zip("ABCDEFGHIJ", "1234567890")), "H"),
    ("The answer is (2)", {"1": "iron", "2": "gold"}, "2"), ("It is not true.", ["True", "False"], ""),
    ("It cannot be determined whether it rises or falls.", ["It rises", "It falls", "It cannot be determined"], "C"),
])  # fmt: skip
def test_texts_of_options(reply, options, wanted):
    assert chosen(reply, options, 0) == wanted


@pytest.mark.parametrize("gold", ["C", "c", "(C)", "Jupiter", 2, "2", ["C"]])
def test_gold_is_a_label_a_text_or_a_place(gold):
    assert choice("C", gold, PLANETS).value == 1.0
    assert choice("B", gold, PLANETS).value == 0.0


@pytest.mark.parametrize("gold", ["AC", "A, C", ["A", "C"], ["Mars", 2]])
def test_several_right_options_must_all_be_chosen(gold):
    for reply in (
        "A, C",
        "<answer>A and C</answer>",
        "Jupiter and Mars",
        "Both A and C are correct.",
        "\\boxed{A} and \\boxed{C}",
    ):
        assert choice(reply, gold, PLANETS).value == 1.0
    for reply in ("A", "C", "A, B, C", "A or C"):
        assert choice(reply, gold, PLANETS).value == 0.0


@pytest.mark.parametrize(("reply", "labels"), [
    ("A (Mars) and C (Jupiter)", "AC"), ("A (Mars), C (Jupiter)", "AC"), ("A (Mars); C (Jupiter)", "AC"), ("The answers are A (Mars) and C (Jupiter).", "AC"),
    ("Answer: A. Mars, C. Jupiter", "AC"), ("A) Mars & C) Jupiter", "AC"), ("A (Mars) and C (Jupiter) have moons. They are round.", "AC"),
    ("A (Mars) and C (Jupiter) are planets. They are round.", "AC"), ("A (Mars) and B (Saturn) are smaller, so C.", "C"),
    ("C (Jupiter), not B (Saturn)", "C"), ("C (Jupiter); B (Saturn) is smaller.", "C"), ("Answer: C. Jupiter; A and B are smaller.", "C"), ("C (Jupiter), and I am sure.", "C"), ("C. Jupiter, A and B are smaller.", "C"),
    # offered, not chosen
    ("A (Mars) or C (Jupiter)", ""), ("Answer: A. Mars or C. Jupiter", ""), ("The answer is A. Mars / C. Jupiter.", ""), ("\\boxed{A (Mars) or C (Jupiter)}", ""),
    ("I would choose A (Mars) or C (Jupiter).", ""), ("A (Mars), possibly C", ""),
])  # fmt: skip
def test_labels_with_their_texts_are_listed_or_offered(reply, labels):
    assert chosen(reply) == labels


@pytest.mark.parametrize(("reply", "labels"), [
    ("Only C is a gas giant of that size.", "C"), ("Of these, only option C has so many moons.", "C"), ("C is the only gas giant.", "C"),
    ("Only A is red. Only B has wide rings.", ""), ("Only C is not a gas giant.", ""), ("Only C is false here.", ""), ("Only B and C are planets.", ""), ("The answer is C.\n\nActually no, it's A.", ""), ("Maybe only C has rings like that.", ""),
    ("Only A is red. So the answer is C.", "C"),
])  # fmt: skip
def test_the_one_option_of_which_something_is_said_is_chosen(reply, labels):
    assert chosen(reply) == labels


@pytest.mark.parametrize(("reply", "labels"), [
    ("C ✅", "C"), ("✔️ C", "C"), ("Answer: C ✅", "C"), ("A ❌\nB ❌\nC ✅\nD ❌", "C"), ("- A. Mars ❌\n- B. Saturn ❌\n- C. Jupiter ✓\n- D. Neptune ❌", "C"),
    ("- [ ] A\n- [ ] B\n- [x] C\n- [ ] D", "C"), ("~~B~~ C", "C"), ("Answer: ~~A~~ C", "C"), ("「C」", "C"), ("【C】", "C"),
    ("| Option | Verdict |\n|---|---|\n| A | wrong |\n| B | wrong |\n| C | correct |\n| D | wrong |", "C"),
    ("| A | small | ❌ |\n| C | large | ✅ |", "C"),
    ("C ❌", ""), ("❌ C", ""), ("Answer: C ❌", ""), ("\\boxed{C} ❌", ""), ("- [x] B\n- [x] C", ""), ("- C\n- B", ""), ("~~C~~", ""), ("| A | B | C | D |", ""), ("Answer: C (incorrect)", ""), ("C [this is wrong]", ""),
])  # fmt: skip
def test_ticks_crosses_boxes_tables_and_struck_text(reply, labels):
    assert chosen(reply) == labels


@pytest.mark.parametrize(("reply", "labels"), [
    ("Answer:\nA. Mars\nC. Jupiter", "AC"), ("Answer: A\nC", "AC"), ("**Answer:** A. Mars\nor\nC. Jupiter", "AC"),
    ("Answer: C\n\nA. Mars\nB. Saturn\nC. Jupiter", "C"), ("Answer: C\n\nOther options:\nA. Mars\nB. Saturn", "C"), ("Answer: C\n\nA. Mars is small.", "C"),
])  # fmt: skip
def test_options_on_the_lines_behind_the_answer_belong_to_it(reply, labels):
    assert chosen(reply) == labels


@pytest.mark.parametrize(
    "reply", ["So C it is.", "C for sure.", "C, of course.", "La respuesta es la opción C."]
)
def test_other_ways_to_say_that_c_is_the_answer(reply):
    assert chosen(reply) == "C"


@pytest.mark.parametrize("options", [
    list(PLANETS.values()), {"text": list(PLANETS.values()), "label": list("ABCD")}, "(A) Mars (B) Saturn (C) Jupiter (D) Neptune",
    "A. Mars\nB. Saturn\nC. Jupiter\nD. Neptune",
])  # fmt: skip
def test_options_come_in_many_shapes(options):
    assert choice("Jupiter", "C", options).value == 1.0
    assert choice("Jupiter", "C", choices=options).value == 1.0


def test_options_are_found_in_the_prompt():
    prompt = "Which is the largest?\nA) Mars\nB) Saturn\nC) Jupiter\nAnswer with a letter."
    score = Stack({"it": "science.choice"}).score_one("Jupiter", prompt, answer="C").rewards["it"]
    assert score.value == 1.0


def test_rows_without_options_or_with_a_gold_that_is_none_abstain():
    assert choice("C", "C").value is None
    assert choice("C", "Pluto", PLANETS).value is None


def test_the_last_of_several_answers_can_be_asked_for():
    assert choice("\\boxed{B}, then later \n\n It follows. \\boxed{C}", "C", PLANETS).value == 0.0
    assert (
        choice("\\boxed{B}, then later \n\n It follows. \\boxed{C}", "C", PLANETS, several="last").value
        == 1.0
    )


def test_an_answer_in_thinking_counts_where_that_is_asked_for():
    assert choice("<think>The answer is C.", "C", PLANETS, thinking=True).value == 1.0


def test_labelled_replies(labelled):
    rows = [row for row in labelled("mcq") if not row.get("contested")]
    wrong, accepted = [], []
    for row in rows:
        right = choice(row["completion"], row["gold"], row["options"]).value == 1.0
        wrong += [row["id"]] if right != bool(row["label"]) else []
        accepted += [row["id"]] if right and not row["label"] else []
    assert len(wrong) <= 0.02 * len(rows), wrong
    assert len(accepted) <= 0.01 * sum(not row["label"] for row in rows), accepted


SAYINGS = (
    "{}",
    "The answer is {}.",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    "So the correct option is ({}).",
)


@given(
    st.permutations(sorted(PLANETS.values())),
    st.sampled_from(SAYINGS),
    st.sampled_from(sorted(PLANETS.values())),
)
def test_permuting_the_options_with_the_gold_changes_nothing(order, saying, said):
    options = dict(zip("ABCD", order))
    labels = {text: label for label, text in options.items()}
    for answer in (said, labels[said]):
        assert choice(saying.format(answer), labels["Jupiter"], options).value == float(said == "Jupiter")


@given(
    st.sampled_from("ABCD"), st.sampled_from(["", " ", "\n", "\t "]), st.sampled_from(["{}", "**{}**", "*{}*", "_{}_", "`{}`"]),
    st.sampled_from(["{}", "Thank you for the question. {}", "{}\n\nI hope this helps!", "Sure!\n\n{}"]),
)  # fmt: skip
def test_space_emphasis_and_politeness_change_nothing(letter, space, emphasis, polite):
    reply = polite.format(space + emphasis.format(f"Answer: {letter}") + space)
    assert chosen(reply) == letter
