"""Every page runs: its Python, its stacks, its console sessions. And its links lead somewhere."""

import re

import pytest
from tests.docs.blocks import ROOT, blocks_of, pages, prose_of
from tests.docs.running import RUNNERS, SHOWN_ONLY, opened
from tests.docs.sessions import agrees

PAGES = pages()
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
MACHINE = re.compile(r"(?<![\w.])/(?:work|home|root|Users|mnt|tmp)/\S+")
LONGEST_LINE = 130  # links and tables may pass the 110 that are aimed at


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_every_block_of_a_page_runs(path, tmp_path):
    text = path.read_text("utf-8")
    if 'use = "trl.' in text:  # a reward of trl's own, for which no stand-in would do
        pytest.importorskip("trl")
    with opened(path, tmp_path) as page:
        assert page.run() == len(blocks_of(text))


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_every_block_says_its_language(path):
    for block in blocks_of(path.read_text("utf-8")):
        assert block.language in {*RUNNERS, *SHOWN_ONLY}, f"{path}:{block.line}"


def anchors_of(path):
    """Return the anchors GitHub gives a page's headings."""
    headings = HEADING.findall(prose_of(path.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_links_lead_to_files_and_headings_that_exist(path):
    for link in LINK.findall(prose_of(path.read_text("utf-8"))):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        assert target.exists(), f"{path}: {link}"
        assert not anchor or anchor in anchors_of(target), f"{path}: {link}"


def test_every_page_of_the_docs_can_be_reached_from_the_index():
    reached, waiting = set(), [ROOT / "docs/index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        links = LINK.findall(prose_of(page.read_text("utf-8")))
        targets = ((page.parent / link.partition("#")[0]).resolve() for link in links if "://" not in link)
        waiting += [target for target in targets if target.suffix == ".md" and target.is_file()]
    assert set(ROOT.glob("docs/**/*.md")) <= reached


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_pages_name_no_machine_and_break_their_lines(path):
    text = path.read_text("utf-8")
    assert MACHINE.findall(text) == []
    prose = prose_of(text).splitlines()
    long = [line for line in prose if len(line) > LONGEST_LINE and not line.startswith(("|", "<!--"))]
    assert long == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a  b", "a b", True),
        ("took 0.3 s", "took 12 ms", True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...\nd", "a\nd", True),
        ("a ... d", "a b c d", True),
        ("a\n\nb", "a\nb", True),
        ("a", "b", False),
        ("a\n...\nd", "a\nb", False),
        ("a", "a\nb", False),
        ("1.0", "1x0", False),
        ("", "a", False),
    ],
)
def test_what_a_page_shows_is_held_against_what_is_printed(shown, printed, same):
    assert agrees(shown, printed) is same


def test_blocks_know_their_names_and_lines():
    text = "Text.\n\n```python\n# my.py\nx = 1\n```\n\nIn `samples.jsonl`:\n\n```jsonl\n{}\n```\n\n```console\n$ ls\n```\n"
    first, second, third = blocks_of(text)
    assert (first.language, first.name, first.line) == ("python", "my.py", 4)
    assert (second.language, second.name, second.text) == ("jsonl", "samples.jsonl", "{}\n")
    assert third.name == "", "a sentence names one block only"
