import pytest

from rewardstack_code.extraction import find_code

FENCED = "Here it is:\n```python\nx = 1\n```\nDone."


@pytest.mark.parametrize(
    ("completion", "text", "place"),
    [
        (FENCED, "x = 1\n", "fence"),
        ("```py\na\n```\nno:\n```python\nb\n```", "b\n", "fence"),
        ("```\na\n```", "a\n", "fence"),
        ("```python\na\n```\n```bash\nrun\n```", "a\n", "fence"),
        ("```python\na\n```\n```pycon\n>>> a\n1\n```", "a\n", "fence"),
        ("~~~python\n```\na\n```\n~~~", "```\na\n```\n", "fence"),
        ("````python\n```\n````", "```\n", "fence"),
        ("<think>```python\nwrong\n```</think>\n" + FENCED, "x = 1\n", "fence"),
        (f"<answer>{FENCED}</answer>", "x = 1\n", "fence"),
        ("<answer>x = 2</answer>", "x = 2", "tag"),
        ("def f(): pass", "def f(): pass", "text"),
        ("```Python title=a.py\na\n```", "a\n", "fence"),
    ],
)
def test_the_last_code_is_found(completion, text, place):
    found = find_code(completion)
    assert (found.text, found.place) == (text, place)


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        ("```python\nx = 1", "the last code block is cut off"),
        ("```python\n\n```", "the last code block is empty"),
        ("<answer>x", "the last <answer> is never closed"),
        ("<answer> </answer>", "the last <answer> is empty"),
        ("  ", "the completion is empty"),
        ("```bash\nls\n```", "there is no code (a fenced block or tag)"),
    ],
)
def test_why_there_is_no_code(completion, reason):
    assert find_code(completion) == (None, "", reason)


def test_where_asks_for_one_place():
    assert find_code(FENCED, "tag").reason == "there is no code (tag)"
    assert find_code("x = 1", "fence").text is None
    assert find_code("<answer>y</answer>", "fence").text is None


def test_floods_are_quick():
    assert find_code("```\n" * 100_000).reason
    assert find_code("`" * 1_000_000).reason
    assert find_code("```" + " " * 1_000_000 + "`").place == "text"
    assert find_code("~" * 1_000_000 + "`").place == "text"


def test_what_a_program_prints_is_not_taken_for_it():
    completion = "```python\ndef f(): return 5\n```\nOutput:\n```\n5\n```\n"
    assert find_code(completion).text == "def f(): return 5\n"


def test_a_block_without_a_language_counts_where_none_names_it():
    assert find_code("```\nx = 1\n```\n```json\n{}\n```").text == "x = 1\n"


def test_a_block_of_a_list_stands_as_far_in_as_its_fence():
    completion = "1. Like this:\n\n    ```python\n    def f():\n        return 5\n    ```\n\nDone."
    assert find_code(completion).text == "def f():\n    return 5\n"


def test_a_fence_in_a_docstring_closes_nothing():
    code = 'def f():\n    """Use:\n\n    ```\n    f()\n    ```\n    """\n    return 1\n'
    assert find_code(f"```python\n{code}```").text == code
    assert find_code(code).text == code
