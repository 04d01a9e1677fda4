"""The report of a run: its curves, and completions before and after."""

from html.parser import HTMLParser

import pytest

pytest.importorskip("trl")

from rewardstack.records import write_rows
from rewardstack_trainers.training.curves import curves_of
from rewardstack_trainers.training.report import sample_rows, write_report
from rewardstack_trainers.training.session import Outcome

LOGS = [
    {"step": 0, "eval_reward": 0.25, "eval_main/right/mean": 0.5},
    *(
        {"step": step, "reward": step / 10, "main/right/mean": 0.5, "entropy": 1.0, "loss": 0.0}
        for step in range(1, 5)
    ),
    {"step": 4, "eval_reward": 0.75, "eval_main/right/mean": 0.25},
]


def row(step, phase, prompt, completion, total=1.0):
    return {"prompt": prompt, "completion": completion, "scored_total": total, "scored_reason": f"why <{total}>",
            "scored_step": step, "scored_phase": phase}  # fmt: skip


@pytest.fixture
def outcome(tmp_path):
    """Return a function that gives the outcome of a run with such a record."""

    def make(rows):
        write_rows(str(tmp_path / "scored.jsonl"), rows)
        return Outcome(tmp_path, LOGS, {"held_out_falls": "Reward rises & so on."}, tmp_path / "scored.jsonl")

    return make


HELD_OUT = [
    row(step, "eval", f"q{number}", f"step {step} of <q{number}>")
    for step in (0, 2, 4)
    for number in range(8)
]
TRAINED = [row(step, "train", f"t{step}", f"c{number}", None) for step in range(4) for number in range(4)]


def test_the_same_held_out_prompts_stand_side_by_side_before_and_after(outcome):
    rows = sample_rows(outcome(HELD_OUT + TRAINED))
    assert [each[:2] for each in rows] == [
        (f"step {step}", f"q{number}") for number in (0, 2, 4, 6) for step in (0, 4)
    ]
    assert rows[1][2:] == ("step 4 of <q0>", "1", "why <1.0>")


@pytest.mark.parametrize("rows", [TRAINED, TRAINED + HELD_OUT[:8]], ids=["no evaluation", "one alone"])
def test_without_two_evaluations_the_first_and_the_last_step_are_shown(outcome, rows):
    shown = sample_rows(outcome(rows))
    assert [each[0] for each in shown] == ["step 0"] * 4 + ["step 3"] * 4
    assert shown[0][3] == "masked"


def test_a_run_without_a_record_has_curves_alone(tmp_path):
    assert sample_rows(Outcome(tmp_path, LOGS, {})) == []


def test_held_out_curves_lie_beside_those_of_training():
    charts = {curve.title: curve.series for curve in curves_of(LOGS, "main")}
    assert list(charts) == ["right", "reward", "entropy"]
    assert charts["right"]["eval_main/right/mean"] == [(0.0, 0.5), (4.0, 0.25)]
    assert len(charts["reward"]["reward"]) == 4


class Page(HTMLParser):
    """Collects what a page holds: tags with their attributes, and its text."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_opens_offline_fits_a_phone_and_shows_completions_as_they_are(outcome, tmp_path):
    files = write_report(outcome(HELD_OUT), "main")
    assert files == [str(tmp_path / "report.html"), str(tmp_path / "report.png")]
    page = Page()
    page.feed((tmp_path / "report.html").read_text("utf-8"))
    assert ("meta", {"name": "viewport", "content": "width=device-width,initial-scale=1"}) in page.tags
    assert not any(name in ("src", "href") for _, attributes in page.tags for name in attributes)
    assert sum(tag == "svg" for tag, _ in page.tags) == 3
    text = "".join(page.text)
    assert "step 4 of <q0>" in text
    assert "Reward rises & so on." in text
    assert {"main/right/mean", "eval_main/right/mean"} <= set(page.text), "each series is named"
