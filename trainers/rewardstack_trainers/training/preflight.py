"""What can be known before the first step, and without loading the model: checked, or said."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewardstack import Sample, Stack
from rewardstack.errors import OptionError, StackError
from rewardstack.wording import counted
from rewardstack_trainers.checks import OF_TRAINER, check_columns, check_groups
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.training.config import Config
from rewardstack_trainers.training.packages import missing_packages

__all__ = ["Finding", "check_folder", "gold_above_wrong", "memory_findings", "preflight"]

Finding = tuple[str, str]
"""What was checked, and what came of it."""

TRIED = 8
WRONG = "I do not know."
FORMS = ("<answer>{}</answer>", "{}", r"\boxed{{{}}}", "#### {}", "```python\n{}\n```")


ANOTHER = "Go on with it with --resume, or choose another folder: `output` in the file, or --output FOLDER"


def check_folder(folder: Path, *, resume: bool, mend: str = ANOTHER) -> None:
    """Make the run's folder; `TrainingError` when it holds another run (with what to do) or cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise TrainingError(
            f"cannot write to the run's folder {folder}: {error.strerror or error}"
        ) from error
    if not resume and (folder / "run.json").exists():
        raise TrainingError(f"{folder} holds a run already. {mend}")


def preflight(
    config: Config, args: Any, rows: Sequence[dict[str, Any]], held_out: Sequence[dict[str, Any]]
) -> list[Finding]:
    """Return what was found; raises what would make the first step fail, whatever machine it is to run on."""
    if not rows:
        raise TrainingError("the data have no rows left to train on; is prompt_tokens too low?")
    check_columns(config.stack, dict.fromkeys(name for row in rows for name in row))
    check_groups(config.stack, args, config.dead_zone)
    found = [
        (
            "data",
            f"{counted(len(rows), 'row')} to train on, {len(held_out):,} held out; columns {', '.join(rows[0])}",
        ),
        ("batch", batch_arithmetic(args)),
        *(("packages", sentence) for sentence in missing_packages(config)),
    ]
    return [*found, *gold_above_wrong(config.stack, rows)]


def batch_arithmetic(args: Any) -> str:
    """Return how many completions a generation and an update take."""
    rows = args.generation_batch_size
    return (
        f"{counted(rows, 'completion')} a generation: {counted(rows // args.num_generations, 'prompt')} x "
        f"{args.num_generations}; {args.per_device_train_batch_size} at a time, accumulated "
        f"{counted(args.gradient_accumulation_steps, 'time')}"
    )


def memory_findings(config: Config) -> list[Finding]:
    """Return the memory the run is estimated to need, beside what the card has; nothing for unknown shapes.

    Only told, never refused: an estimate must not stop what may work.
    """
    import torch

    from rewardstack_trainers.plan.changes import cheapest_changes
    from rewardstack_trainers.plan.memory import GB, estimate
    from rewardstack_trainers.plan.reading import plan_of

    try:
        plan = plan_of(config)
    except OptionError:
        return []
    if not torch.cuda.is_available():
        return [("memory", f"about {estimate(plan).peak / GB:.1f} GB at the peak, were it on a card")]
    card = torch.cuda.get_device_properties(0).total_memory / GB
    told = f"about {estimate(plan, card).peak / GB:.1f} GB at the peak; the card has {card:.1f} GB"
    changes = cheapest_changes(plan, card)
    advice = "" if changes == [] else f". To fit: {'; '.join(changes) if changes else 'another model'}"
    return [("memory", told + advice)]


def gold_above_wrong(stack: Stack, rows: Sequence[dict[str, Any]]) -> list[Finding]:
    """Score a few rows' own gold answers and a wrong one; says whether the stack tells them apart.

    The gold is tried in the usual forms, as the best of which it counts: the stack decides which it reads. Raises
    `StackError` when no gold scores above the wrong answer on any row: such a run cannot learn.
    """
    if not set(stack.columns()) - OF_TRAINER:
        return [("gold answers", "not tried: the stack reads nothing of the data, so it cannot know them")]
    fit = [row for row in rows if isinstance(row.get("answer"), (str, int, float))]
    tried = fit[:: max(1, len(fit) // TRIED)][:TRIED]
    if not tried:
        return [("gold answers", "not tried: no completion can be made of them")]
    above = 0
    for row in tried:
        columns = {name: value for name, value in row.items() if name != "prompt"} | {"completion_ids": [0]}
        texts = [WRONG, *(form.format(row["answer"]) for form in FORMS)]
        wrong, *golds = stack.score([Sample(text, row["prompt"], columns) for text in texts])
        best = max((score.total for score in golds if score.total is not None), default=None)
        above += best is not None and (wrong.total is None or best > wrong.total)
    if not above:
        raise StackError(
            f"of {counted(len(tried), 'row')} none of the gold answers scores above {WRONG!r}: the stack does not pay for the "
            f"data's own answers, such as {tried[0]['answer']!r}. Try: rewards try"
        )
    verb = "scores" if above == 1 else "score"
    return [("gold answers", f"{above} of {len(tried)} {verb} above a wrong answer")]
