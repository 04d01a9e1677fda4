"""What is said around an answer: doubts, questions, what takes it back, and remarks that are no answer."""

import pytest

from rewardstack.answer import find_answer, find_phrases


@pytest.mark.parametrize(
    "completion",
    [
        "The answer is 5, which is wrong.",
        "The answer is 5, but that is wrong.",
        "The answer is 5 (which is clearly incorrect).",
        "The answer is 5. That's not right.",
        "The answer is 5.\nThis answer is wrong.",
        "The answer is 5. Now 2 + 2 = 4, so my answer is wrong because it is odd.",
        "The answer is 5. But the answer is not correct.",
        "\\boxed{5}\n\nWait, that is wrong.",
        "\\boxed{5}. Oops, I made a mistake.",
        "<answer>5</answer>\nHmm, this result is not correct.",
        "#### 5\nNo, wait. That can't be right.",
        "答案是5。不对。",
        "Die Antwort ist 5. Das ist falsch.",
    ],
)
def test_what_is_taken_back_right_away_is_no_answer(completion):
    answer = find_answer(completion)
    assert answer.text is None
    assert "taken back" in answer.reason or "negated" in answer.reason


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("\\boxed{5}\n\nWait, that is wrong: the correct value is 6.", "6"),
        ("<answer>5</answer>\nThat's not right. The answer is 6.", "6"),
        ("#### 5\nI was wrong. The final answer is 6.", "6"),
        ("It is not \\boxed{5}. The answer is 6.", "6"),
        ("Is it \\boxed{5}? No. The answer is 6.", "6"),
        ("The answer is 5, which is wrong. The answer is 6.", "6"),
        ("<answer>5</answer> Wait, that is wrong. <answer>6</answer>", "6"),
    ],
)
def test_the_phrase_that_corrects_a_slot_counts(completion, text):
    answer = find_answer(completion)
    assert (answer.text, answer.count) == (text, 2)
    assert find_answer(completion, unique=True).text is None


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("\\boxed{5}. It is wrong to assume that x is even.", "5"),
        ("\\boxed{5}. I made a mistake earlier, now it is right.", "5"),
        ("The answer is 5. If you got 6, your answer is wrong.", "5"),
        ("The answer is 5. If the answer is wrong, tell me.", "5"),
        ("The answer is 5. Bob's answer is wrong.", "5"),
        ("The answer is 5. Is the answer wrong? No, the answer is correct.", "5"),
        ("Is the claim true? The answer is no, it is incorrect.", "no"),
        ("The answer is false. This is wrong because 2 < 3.", "false"),
        ("The answer is B. The answer C is wrong.", "B"),
        ("The answer is 5. My first answer was wrong.", "5"),
        ("\\boxed{5}. My earlier answer was wrong.", "5"),
        ("The answer is B. The other option is wrong.", "B"),
        ("The answer is 5. It is not the answer we expected.", "5"),
    ],
)
def test_what_calls_something_else_wrong_takes_nothing_back(completion, text):
    assert find_answer(completion).text == text


@pytest.mark.parametrize(
    "completion",
    [
        "It is definitely not the case that the answer is 5.",
        "I doubt that the answer is 5.",
        "I seriously doubt the correct answer is 5.",
        "No way the answer is 5.",
        "It is not true that the answer is 5.",
        "I am not sure that the final answer is 5.",
        "It would be wrong to say that the answer is 5.",
        "It's unlikely that the answer is 5.",
        "No creo que la respuesta es 5.",
        "Я не думаю, что ответ — 5.",
        "我不认为答案是5。",
        "Suppose the answer is 5.",
        "I wonder whether the answer is 5.",
        "We cannot say that the answer is 5.",
        "I'm not 100% sure the answer is 5.",
    ],
)
def test_a_doubt_or_a_supposition_is_no_answer(completion):
    assert find_answer(completion).text is None
    assert find_phrases(completion) == []


@pytest.mark.parametrize(
    "completion",
    [
        "There is no doubt that the answer is 5.",
        "I do not doubt that the answer is 5.",
        "It is not wrong. The answer is 5.",
        "I believe that the answer is 5.",
        "If x = 5 - 0, the answer is 5.",
        "The answer is 5. Let me check if the answer is 6: it is not.",
        "It took a test\nA: 5",
    ],
)
def test_not_every_word_of_doubt_doubts_the_answer(completion):
    assert find_answer(completion).text == "5"


@pytest.mark.parametrize(
    "completion",
    [
        "Is it \\boxed{5}?",
        "Hmm, could it be $\\boxed{5}$ or so?",
        "Is \\boxed{5} the answer?",
        "<answer>5</answer>?",
        "What if the total is \\boxed{5}, then what?",
    ],
)
def test_a_slot_that_asks_states_nothing(completion):
    assert find_answer(completion).reason.endswith("is asked and not stated")


@pytest.mark.parametrize(
    "completion",
    [
        "So what is the total? \\boxed{5}",
        "Is it even? It is not. \\boxed{5} Anything else?",
        "Is it \\boxed{5}? Yes.",
        "The sum is \\boxed{5}. Does that help?",
        "The answer is 5? Yes, it is.",
    ],
)
def test_a_question_beside_an_answer_takes_nothing_away(completion):
    assert find_answer(completion).text == "5"


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("The answer is 5! = 120.", "5! = 120"),
        ("The answer is 5! ways.", "5! ways"),
        ("The answer is 5!.", "5!"),
        ("The answer is $5!$.", "5!"),
        ("The answer is (n-1)! + 1.", "(n-1)! + 1"),
        ("The answer is (2n)!/(n!(n+1)!)", "(2n)!/(n!(n+1)!)"),
        ("The answer is n! - 1, because of that.", "n! - 1"),
        ("The answer is 42! Great.", "42"),
        ("The answer is 42!", "42"),
        ("The answer is yes! it works.", "yes"),
    ],
)
def test_a_factorial_is_no_end_of_a_sentence(completion, text):
    assert find_answer(completion).text == text


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("The answer is 42.\n\nNote: the answer is rounded.", "42"),
        ("The answer is 5.\n\nThe answer is in metres.", "5"),
        ("The answer is 5.\nThe answer is in km/h.", "5"),
        ("The answer is 3.14. Note that the answer is rounded to 2 decimal places.", "3.14"),
        ("The answer is 10. Let me verify my answer: 5 + 5 = 10, correct.", "10"),
        ("The answer is 10.\n**Explanation of the answer:** 5 + 5 = 10.", "10"),
        ("The answer is 42. I am confident in my answer: it checks.", "42"),
        ("The answer is 10. We checked the final answer: 5 + 5 = 10.", "10"),
        ("The answer is 10. I see that my answer is right because 5 + 5 = 10.", "10"),
        ("The answer is 10. The answer is indeed correct, since 5 + 5 = 10.", "10"),
        ("The answer is 42. But the answer is not unique.", "42"),
        ("The answer is Rome. The answer is given in lower case, and the answer is well known.", "Rome"),
        ("La réponse est 5. La réponse est en mètres.", "5"),
    ],
)
def test_a_remark_on_the_answer_does_not_displace_it(completion, text):
    answer = find_answer(completion)
    assert (answer.form, answer.text) == ("phrase", text)
    assert find_answer(completion, unique=True).text == text, "a remark is no second commitment"


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("The answer is 4. So the answer is five.", "five"),
        ("The answer is A. So the answer is b.", "b"),
        ("The answer is Yes. So the answer is no.", "no"),
        ('The answer is 4. The answer is "none of these".', "none of these"),
        ("The answer is 4. The answer is **unknown**.", "unknown"),
        ("The answer is (b). So the answer is (a).", "(a)"),
        ("The answer is Rome. No, wait, the answer is paris.", "paris"),
        ("The answer is mercury. The answer is venus.", "venus"),
        ("The answer is rounded.", "rounded"),
        ("Check your work!\nAnswer: 5 + x", "5 + x"),
        ("I guess 4. Verified answer: 5", "5"),
        ("This is my confirmed answer: 5", "5"),
    ],
)
def test_a_later_answer_in_small_letters_is_none_the_less_one(completion, text):
    assert find_answer(completion).text == text


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("#### 5 ####", "5"),
        ("#### 5 ##", "5"),
        ("#### 5####\n", "5"),
        ("#### 4 ####\n#### 5 ####\nThat is all.", "5"),
        ("#### C#", "C#"),
    ],
)
def test_closing_hashes_are_markdown(completion, text):
    answer = find_answer(completion)
    assert (answer.form, answer.text) == ("hash", text)


def test_hashes_that_nothing_follows_are_cut_off():
    assert find_answer("so 2 + 3 = 5\n####").reason == "the last #### is empty"
    assert find_answer("#### 4\n####").reason == "the last #### is empty"


@pytest.mark.parametrize(
    "tail",
    [
        "</s>",
        "<|im_end|>\n",
        "[EOS]<pad>",
        "<|unheard_of|>",
        "<|im_end|>\n<|im_start|>user",
        "</s><|im_start|>",
    ],
)
@pytest.mark.parametrize("answer", ["x = 5", "#### 5", "The answer is 5"])
def test_special_tokens_at_the_end_belong_to_no_answer(answer, tail):
    assert find_answer(answer + tail).text == find_answer(answer).text
