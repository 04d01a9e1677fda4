"""The committed answer, by example; its laws and its numbers on real completions are in test_answer_laws.py."""

import pytest

from rewardstack.answer import beside, find_answer, find_boxes, find_phrases, find_tags, visible_text


def found(text, **options):
    answer = find_answer(text, **options)
    return answer.form, answer.text


# --- which form wins ---


@pytest.mark.parametrize(
    ("completion", "form", "text"),
    [
        ("<answer>7</answer>\nAs a check, \\boxed{8} would not fit.", "tag", "7"),
        ("<answer>So we get \\boxed{15} metres</answer>", "tag", "15"),
        ("We get \\boxed{42}\nSo the answer is 43.", "box", "42"),
        ("The answer is 9.\n#### 8", "hash", "8"),
        ("The total is 3 + 5 = 8.\nA: 8", "phrase", "8"),
        ("Let us see.\nx = 8", "line", "x = 8"),
        ("", None, None),
        (" \n\n\t ", None, None),
        ("$$$$$$", None, None),
        ("\x00\\boxed{41}\x00", "box", "41"),
    ],
)
def test_slots_win_over_phrases_and_phrases_over_the_last_line(completion, form, text):
    assert found(completion) == (form, text)


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("<answer>12</answer>\nWait, that is wrong.\n<answer>13</answer>", "13"),
        ("<answer>1<answer>2</answer>", "2"),
        ("is it \\boxed{3}? No. It must be \\boxed{9}.", "9"),
        ("#### 3\nNo, wait.\n#### 4\nand chatter", "4"),
        ("I first thought the answer is C, but my final answer is B.", "B"),
        ("Answer: B\n\nI was mistaken.\n\nFinal answer: C", "C"),
    ],
)
def test_the_last_commitment_counts(completion, text):
    assert find_answer(completion).text == text


def test_unique_asks_for_a_single_commitment():
    assert find_answer("\\boxed{1}, or rather \\boxed{2}", unique=True).text is None
    assert find_answer("\\boxed{2}", unique=True).text == "2"
    assert find_answer("**Final Answer**: The final answer is $7$.", unique=True).text == "7"
    assert "2 commitments" in find_answer("The answer is 4.\nThe answer is 5.", unique=True).reason


# --- thinking ---


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("<think>maybe \\boxed{5}?</think>\nThe answer is \\boxed{4}.", "4"),
        ("maybe \\boxed{5}?</think>\nThe answer is \\boxed{4}.", "4"),  # the template prefilled <think>
        ("The answer is C.</think>\nD", "D"),
        ("<think>The answer is C.</think>", None),
        ("<think>Jupiter, so <answer>C</answer>", None),
        ("<think>a</think> x <think>\\boxed{4}", "x"),
        ("\\boxed{4} <think> hmm", "4"),
        ("<thinking>\\boxed{5}</thinking><answer>4</answer>", "4"),
        ("<reasoning>\nx\n</reasoning>\n<answer>\n4\n</answer>\n", "4"),
        ("<|begin_of_thought|>5<|end_of_thought|>\\boxed{4}", "4"),
        ("[THINK]5[/THINK]4", "4"),
        ("<|channel|>analysis<|message|>5<|end|><|start|>assistant<|channel|>final<|message|>A: 4", "4"),
    ],
)
def test_only_what_follows_closed_thinking_counts(completion, text):
    assert find_answer(completion).text == text


def test_thinking_may_be_allowed_to_count():
    assert find_answer("<think>so \\boxed{5}", thinking=True).text == "5"


def test_visible_text_says_why_there_is_none():
    assert visible_text("<think>a</think>b<|im_end|>").text == "b"
    assert visible_text("<think>a").reason == "the thinking never closes"
    assert visible_text("a</think> \n").reason == "nothing follows the closed thinking"


# --- slots ---


@pytest.mark.parametrize(
    ("completion", "content"),
    [
        ("\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("\\boxed{\\{1, 2\\}}", "\\{1, 2\\}"),
        ("\\boxed{\\left\\{1\\right.}", "\\left\\{1\\right."),
        ("$$\\boxed{ $5$ }$$", "5"),
        ("\\fbox{7} <|im_end|>", "7"),
        ("\\framebox[2cm]{7}", "7"),
        ("\\boxed 12.", "12"),
        ("\\boxed{\\boxed{5}}", "5"),
        ("\\\\boxed{\\\\frac{1}{2}}", "\\\\frac{1}{2}"),  # escaped twice, as JSON in JSON is
        ("<answer>\n**42**\n</answer>", "42"),
        ("<Answer>42</ANSWER>", "42"),
        ("<answer>The answer is 42.</answer>", "42"),
        ("<answer>#### 42</answer>", "42"),
        ("<answer>The answer is 4. It was hard to find.</answer>", "The answer is 4. It was hard to find."),
        ("#### $70,000\nand the reasoning above confirms it.", "$70,000"),
        ("so 6 * 7 = 42 #### **42**.", "42"),
        ("##### Step 2\n#### 3", "3"),
    ],
)
def test_slots_are_read_to_their_end(completion, content):
    assert find_answer(completion).text == content


@pytest.mark.parametrize(
    ("completion", "why"),
    [
        ("First \\boxed{42}, the final answer is \\boxed{", "the last box is cut off"),
        ("First \\boxed{42}, the final answer is \\boxed{4\\}", "the last box is cut off"),
        ("\\boxed{1} and then \\boxed{ }.", "the last box is empty"),
        ("<answer></answer>", "the last answer tag is empty"),
        ("<answer>4</anwser>", "the last answer tag is cut off"),
        ("<answer>\\boxed{4</answer>", "the last box is cut off"),
        ("so\n####\n", "the last #### is empty"),
        ("The answer is", "nothing follows the last answer phrase"),
        ("the answer is \\boxed{4}\n\\boxed{", "the last box is cut off"),
    ],
)
def test_an_empty_or_cut_off_slot_is_no_answer(completion, why):
    answer = find_answer(completion)
    assert (answer.text, answer.reason) == (None, why)
    assert answer.form is not None


@pytest.mark.parametrize(
    "completion",
    [
        "#### Step 3: multiply\nThe answer is 4",
        "#### **Conclusion**\nThe answer is 4",
        "#### 1. Find the ratio\nThe answer is 4",
        "#### Final Answer\n4",
    ],
)
def test_a_markdown_heading_is_no_answer(completion):
    assert found(completion) == ("phrase", "4")


# --- phrases ---


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("**Answer:** 42", "42"),
        ("**Answer**: 42", "42"),
        ("_The answer is_ 42", "42"),
        ("**The answer is 42**", "42"),
        ("> Answer: 42", "42"),
        ("## Final Answer\n\n**42**\n", "42"),
        ("\\textbf{Answer:} 42", "42"),
        ("(so the answer is 42)", "42"),
        ('{"answer": "B"}', "B"),
        ('The answer is "Paris".', "Paris"),
        ("The final answer is:\n42", "42"),
        ("The answer is:\n```\n42\n```", "42"),
        ("The answer is\n\\[\n\\frac{1}{2}\n\\]\n", "\\frac{1}{2}"),
        ("The answer is $x+1$.", "x+1"),
        ("The answer is \\( (-6, 10) \\). I hope it is correct.", "(-6, 10)"),
        ("Answer: $6$ ways", "$6$ ways"),
        ("A: 1,260 dollars", "1,260 dollars"),
        ("The answer is $5. Then $10 remains.", "$5"),
        ("The answer is 3. This follows from Theorem 12.", "3"),
        ("The answer is 3.5.", "3.5"),
        ("The answer is ... 42!", "42"),
        ("The answer is -.5", "-.5"),
        ("The answer is approx. 3.14 m. Good.", "approx. 3.14 m"),
        ("The answer to the question is therefore 5.", "5"),
        ("Answer: A, because B contradicts the premise", "A"),
        ("The answer: D, it doesn't make sense for it to be A or B", "D"),
        ("The answer is sodium hydroxide, not sodium chloride.", "sodium hydroxide"),
        ("The correct option is **C**.", "C"),
        ("Ans. 5", "5"),
        ("the answer is 7</s>", "7"),
        ("A: Mars\nB: Saturn\nC: Jupiter\nThe answer is C", "C"),
        ("The answer is 4.\nThis answer is correct.", "4"),
        ("The answer is 4.\nWrong answer: 5", "4"),
    ],
)
def test_a_phrase_announces_the_rest_of_its_sentence(completion, text):
    assert found(completion) == ("phrase", text)


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("因此，答案是 5。", "5"),
        ("答案：**5**", "5"),
        ("答：5。", "5"),
        ("故选C。", "C"),
        ("したがって、答えは5です。", "5"),
        ("따라서 정답은 5입니다.", "5"),
        ("La réponse est 105.", "105"),
        ("Réponse : Janeth aura 220 $ à payer.", "Janeth aura 220 $ à payer"),
        ("La respuesta final es 5.", "5"),
        ("Respuesta: 5", "5"),
        ("A resposta é 5.", "5"),
        ("La risposta è 5.", "5"),
        ("Die Antwort lautet 3,5.", "3,5"),
        ("Het antwoord is 5.", "5"),
        ("Ответ: 5", "5"),
        ("Ответ — 5.", "5"),
        ("Відповідь: 5", "5"),
        ("Odpowiedź: 5", "5"),
        ("Odpověď je 5.", "5"),
        ("Svaret er 5.", "5"),
        ("Vastaus on 5.", "5"),
        ("Válasz: 5", "5"),
        ("Răspunsul este 5.", "5"),
        ("Cevap: 5", "5"),
        ("Η απάντηση είναι 5.", "5"),
        ("الإجابة هي 5.", "5"),
        ("پاسخ: 5", "5"),
        ("התשובה היא 5.", "5"),
        ("उत्तर: 5", "5"),
        ("উত্তর হল 5", "5"),
        ("సమాధానం: 5", "5"),
        ("பதில்: 5", "5"),
        ("คำตอบคือ 5", "5"),
        ("Đáp án là 5.", "5"),
        ("Jawabannya adalah 5.", "5"),
        ("Jibu ni 5.", "5"),
        ("Ang sagot ay 5.", "5"),
    ],
)
def test_phrases_of_other_languages(completion, text):
    assert found("1 + 4 = 5\n" + completion) == ("phrase", text)


@pytest.mark.parametrize(
    "completion",
    [
        "The answer is not 42.",
        "The answer isn't 42",
        "I do not think the answer is 42.",
        "It is not \\boxed{42}",
        "so $x \\neq \\boxed{42}$",
        "\\boxed{C} is not the answer.",
        "\\boxed{42} is wrong.",
        "So it cannot be <answer>42</answer>",
        "C is not the answer.",
        "所以答案不是 42。",
        "答えは42ではない。",
        "La respuesta no es 42.",
        "La réponse n'est pas 42.",
        "Die Antwort ist nicht 42.",
    ],
)
def test_a_negation_is_no_answer(completion):
    assert find_answer(completion).text is None


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("The answer is not 42 but 43.", "43"),
        ("The answer is \\boxed{43}, not \\boxed{42}.", "43"),
        ("It is not \\boxed{42}. It is \\boxed{43}.", "43"),
        ("It isn't A, B or D, so the answer is C.", "C"),
    ],
)
def test_what_is_said_instead_of_the_negated_counts(completion, text):
    assert find_answer(completion).text == text


@pytest.mark.parametrize(
    "completion",
    ["The answer is 5?", "Is there anything else?", "I cannot solve this problem.", "I don't know"],
)
def test_questions_and_disclaimers_commit_to_nothing(completion):
    assert find_answer(completion).text is None


def test_a_label_that_opens_an_explanation_is_no_commitment():
    assert found("Answer: Let's think. 1 + 1 = 2.\nSo it is 2.") == ("line", "So it is 2")


# --- the last line ---


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("B", "B"),
        ("**C**", "C"),
        ("so\n```\nB\n```", "B"),
        ("so\n$$\n14\n$$\n", "14"),
        ("so\n\\[\nx = 5\n\\]", "x = 5"),
        ("x\n---\n\n", "x"),
        ("First.\nWe find that $x \\lt 3$.", "We find that $x \\lt 3$"),
        ("C. Jupiter", "C. Jupiter"),
    ],
)
def test_the_last_line_is_the_last_that_says_something(completion, text):
    assert found(completion) == ("line", text)


@pytest.mark.parametrize(
    "completion",
    ["It is 7. Just kidding.", "7\nJust kidding.", "So 7, scratch that"],
)
def test_a_last_line_may_take_back_what_it_says(completion):
    answer = find_answer(completion)
    assert answer.text is None
    assert "taken back" in answer.reason


@pytest.mark.parametrize(
    "completion", ["By the second law, no.", "Scratch that: 7", "I was mistaken, it is 7"]
)
def test_a_last_line_that_says_something_instead_is_not_taken_back(completion):
    assert found(completion) == ("line", completion.rstrip("."))


# --- alternatives and parts ---


@pytest.mark.parametrize(
    ("completion", "alternatives"),
    [
        ("\\boxed{3 \\text{ or } 4}", ("3", "4")),
        ("\\boxed{3} or \\boxed{4}", ("3", "4")),
        ("The answer is \\boxed{3} (but it could also be \\boxed{5}).", ("3", "5")),
        ("<answer>B or C</answer>", ("B", "C")),
        ("#### 3 or 4", ("3", "4")),
        ("The answer is either $3$ or $4$.", ("3", "4")),
        ("If the coin is fair the answer is 1/2, otherwise it is 1/3. I cannot tell which.", ("1/2", "1/3")),
        ("C (but it might also be B)", ("C", "B")),
        ("\\boxed{x = 3 \\text{ or } x = -3}", ("x = 3", "x = -3")),
        ("\\boxed{\\text{(A) or (B)}}", ("(A)", "(B)")),
        ("Die Antwort ist 3 oder 4.", ("3", "4")),
        ("答案是 3 或 4。", ("3", "4")),
    ],
)
def test_alternatives_come_back_flagged(completion, alternatives):
    answer = find_answer(completion)
    assert answer.alternatives == alternatives
    assert answer.text is not None


@pytest.mark.parametrize(
    "completion", ["The answer is 3 or more.", "\\boxed{1}, or equivalently \\boxed{2/2}"]
)
def test_not_every_or_is_a_hedge(completion):
    assert find_answer(completion).alternatives == ()


@pytest.mark.parametrize(
    ("completion", "parts"),
    [
        ("The solutions are $\\boxed{1}$ and $\\boxed{2}$.", ("1", "2")),
        ("\\[\\boxed{(1, 2)}, \\boxed{(2, 1)}\\]", ("(1, 2)", "(2, 1)")),
        ("(a) \\boxed{3}\n(b) \\boxed{5}", ("3", "5")),
        ("$x = \\boxed{1}$ and $y = \\boxed{2}$", ("1", "2")),
        ("<answer>A</answer><answer>C</answer>", ("A", "C")),
        ("Part (a): \\boxed{3}\n\nSo the final value is $3^2 = \\boxed{9}$.", ()),
    ],
)
def test_slots_side_by_side_are_parts_and_the_last_is_the_text(completion, parts):
    answer = find_answer(completion)
    assert answer.parts == parts
    assert not parts or answer.text == parts[-1]


# --- helpers for plugins ---


def test_helpers_list_every_commitment():
    boxes = find_boxes("a \\boxed{1} b \\boxed{2")
    assert [(box.content, box.closed) for box in boxes] == [("1", True), ("2", False)]
    assert (boxes[0].start, boxes[0].end, boxes[0].span) == (2, 11, (9, 10))
    assert [slot.content for slot in find_tags("<code>1</code> <code>2</code>", "code")] == ["1", "2"]
    phrases = find_phrases("The answer is B. Note: the right answer is C. The answer is not D.")
    assert [slot.content for slot in phrases] == ["B", "C"]


def test_beside_gives_what_touches_a_slot():
    text = "so it costs $\\$ \\boxed{5}\\%$ of\nall"
    assert beside(text, find_answer(text)) == ("so it costs $\\$ ", "\\%$ of")
    text = "The answer is C. Saturn."
    assert beside(text, find_answer(text)) == ("The answer is ", ". Saturn.")
    assert beside("", find_answer("")) == ("", "")


def test_another_tag_may_hold_the_answer():
    assert find_answer("<solution>4</solution> <answer>5</answer>", tag="solution").text == "4"
