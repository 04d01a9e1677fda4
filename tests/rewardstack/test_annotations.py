"""Annotations in words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import pytest
from msgspec import Meta

from rewardstack.annotations import annotation_text


class Judge:
    """Some class."""


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, "whole number"),
        (Annotated[int, Meta(ge=1)], "whole number, at least 1"),
        (Annotated[float, Meta(gt=0, le=0.5)], "number, above 0, at most 0.5"),
        (Annotated[int, Meta(ge=1)] | None, "whole number, at least 1"),
        (int | float, "whole number or number"),
        (Literal["soft", "hard"], '"soft" or "hard"'),
        (Literal["auto", 3], '"auto" or 3'),
        (list[str], "list of text"),
        (tuple[str, ...], "list of text"),
        (tuple[float, float], "list of 2: number"),
        (Sequence[Literal["a", "b"]], 'list of "a" or "b"'),
        (list, "list"),
        (dict[str, Any], "table"),
        (Mapping[str, int], "table"),
        (Path, "path"),
        (Any, "anything"),
        (bool, "true or false"),
        (Judge, "Judge"),
    ],
)
def test_annotations_are_words_for_people_who_write_toml(annotation, words):
    assert annotation_text(annotation) == words


def test_choices_can_be_dressed():
    assert annotation_text(tuple[Literal["a", "b"], ...], "<{}>".format) == "list of <a> or <b>"


def test_a_name_for_a_type_reads_as_what_it_stands_for():
    alias = pytest.importorskip("typing_extensions").TypeAliasType
    element = TypeVar("element")
    level = alias("level", Literal["soft", "hard"])
    several = alias("several", list[element] | None, type_params=(element,))
    assert annotation_text(level | None) == '"soft" or "hard"'
    assert annotation_text(several[level]) == 'list of "soft" or "hard"'
