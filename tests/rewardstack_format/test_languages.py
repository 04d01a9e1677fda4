import time

import pytest

from rewardstack import StackError, extras
from rewardstack.errors import MissingExtra
from rewardstack_format import json, language
from rewardstack_format.languages import sample_parts

ENGLISH = (
    "She sells half as many rolls in May as in April. Together that makes seventy-two rolls in two months."
)
GERMAN = "Im Mai verkauft sie halb so viele Brötchen wie im April. Zusammen sind das zweiundsiebzig Brötchen."
CHINESE = "因为五月卖出的面包是四月的一半，所以我们先计算五月的数量，然后把两个月的数量加起来，最后得到总数，答案是七十二。再检查一遍，结果是正确的。"
RUSSIAN = "В мае она продаёт вдвое меньше булочек, чем в апреле. Всего за два месяца получается семьдесят две булочки."
GREEK = "Τον Μάιο πουλάει τα μισά ψωμάκια από όσα πουλάει τον Απρίλιο. Μαζί είναι εβδομήντα δύο ψωμάκια σε δύο μήνες."


@pytest.mark.parametrize(
    ("text", "code"),
    [(ENGLISH, "en"), (GERMAN, "de"), (CHINESE, "zh"), (RUSSIAN, "ru"), (GREEK, "el")],
    ids=["en", "de", "zh", "ru", "el"],
)
def test_one_language_throughout_is_worth_all(text, code):
    assert language(text).value == language(text, expected=code).value == 1.0
    assert language(text, expected="fr").value == 0.0


def test_a_change_of_language_costs_its_share():
    mixed = f"{ENGLISH}\n{GERMAN}"
    assert language(mixed, expected="en").value == pytest.approx(0.5, abs=0.1)
    assert language(mixed).value == pytest.approx(0.5, abs=0.1)
    assert 0.5 < language(f"{ENGLISH}\n{ENGLISH}\n{GERMAN}", expected="en").value < 0.75


def test_letters_of_a_foreign_script_inside_a_sentence_are_seen():
    score = language(ENGLISH.replace("Together", "所以我们加起来"), expected="en")
    assert 0.8 < score.value < 0.95


def test_a_script_that_none_of_the_languages_in_question_uses_is_foreign():
    mixed = ENGLISH.replace("Together", "所以我们加起来")
    assert (
        language(mixed, expected="en", among=("en", "de")).details["shares"]["Chinese characters or kana"]
        > 0.05
    )


def test_names_and_abbreviations_in_another_script_are_no_change_of_language():
    assert language(CHINESE.replace("五月", "May"), expected="zh").value == 1.0
    assert language(CHINESE + ENGLISH, expected="zh").value < 0.6


@pytest.mark.parametrize("tail", ["A: 72", "Ja!", "x = y", "q.e.d."])
def test_a_short_last_line_is_not_judged_alone(tail):
    assert language(f"{ENGLISH}\n{tail}", expected="en").value == 1.0


def test_code_formulae_and_tags_are_no_language():
    dressed = (
        f"<think>{ENGLISH}</think>\n```python\nfür = [größe for größe in straße]\n```\n"
        "`weil` $wobei$ \\(dass(x)\\) \\[ \\text{und} = \\frac{a}{b} \\] \\textbf{aber} https://beispiel.de/ist-das-so"
    )
    assert language(dressed, expected="en").value == 1.0


@pytest.mark.parametrize(
    "text", ["", "42", "Yes.", "$x = 7$", "```\nfor item in items: print(item)\n```", "\ud800" * 99]
)
def test_too_little_prose_abstains(text):
    assert language(text, expected="en").abstained


def test_least_says_what_is_too_little():
    assert language("She sells half as many.", expected="en").abstained
    assert language("She sells half as many.", expected="en", least=10).value == 1.0


def test_of_a_very_long_text_stretches_from_all_over_are_judged():
    mixed = f"{ENGLISH}\n" * 3000 + f"{GERMAN}\n" * 3000
    assert language(mixed, expected="en").value == pytest.approx(0.5, abs=0.05)


def test_codes_that_nobody_knows_are_said():
    with pytest.raises(StackError, match="unknown language 'english'"):
        language(ENGLISH, expected="english")
    with pytest.raises(StackError, match="unknown language 'xx'"):
        language(ENGLISH, among=("en", "xx"))
    with pytest.raises(StackError, match="leaves out the expected 'en'"):
        language(ENGLISH, expected="en", among=("de", "fr"))


@pytest.mark.parametrize(
    ("library", "call"),
    [
        ("py3langid", lambda: language("q" * 99, least=1)),
        ("jsonschema", lambda: json("[1]", schema={"title": "new"})),
    ],
)
def test_a_missing_extra_names_the_reward_and_the_pip_line(monkeypatch, library, call):
    def refuse(name, *rest, **more):
        if name.partition(".")[0] == library:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)
        return load(name, *rest, **more)

    load = extras.import_module
    monkeypatch.setattr(extras, "import_module", refuse)
    with pytest.raises(
        MissingExtra, match=rf"^format\..* needs {library}.*: pip install 'rewardstack\[format\]'$"
    ):
        call()


@pytest.mark.parametrize(
    "piece",
    ["a. ", "ab cd\n", f"{ENGLISH} ", "cat да мир 因为 한국어 مرحبا שלום नमस्ते สวัสดี. ", "é. ", "因。"],
    ids=ascii,
)
def test_no_text_takes_long(piece):
    language(ENGLISH)  # reads the model
    began = time.process_time()
    language(piece * (200_000 // len(piece)))
    assert time.process_time() - began < 0.5  # 0.02 to 0.15 s here


def test_the_stretches_that_are_judged_are_bounded():
    parts = [str(number) for number in range(5_000)]
    judged = sample_parts(parts)
    assert 500 <= len(judged) <= 1_000
    assert judged[0] == "0"
    assert int(judged[-1]) >= 4_990, "from all over"
    assert sample_parts(parts[:1_000]) == parts[:1_000]
