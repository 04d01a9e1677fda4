"""A training run from its config to its report."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.errors import RewardstackError
from rewardstack.wording import counted
from rewardstack_models.hub import hub_advice
from rewardstack_trainers.callbacks import AdaptiveKL, Alarms, EarlyStop, Interruption, Lines
from rewardstack_trainers.data.rows import filter_by_length, make_rows, split_off
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.ranks import world_size
from rewardstack_trainers.training.arguments import columns_mode, make_arguments
from rewardstack_trainers.training.checkpoints import last_checkpoint, step_of
from rewardstack_trainers.training.config import Config, ModelTable
from rewardstack_trainers.training.faults import told_plainly
from rewardstack_trainers.training.identity import check_identity
from rewardstack_trainers.training.models import (
    find_model,
    first_line,
    init_options,
    load_tokenizer,
    lora_config,
    quantization,
)
from rewardstack_trainers.training.packages import missing_packages
from rewardstack_trainers.training.preflight import Finding, check_folder, memory_findings, preflight
from rewardstack_trainers.training.record import Record, forget_since
from rewardstack_trainers.trl import RewardFuncs, reward_funcs

__all__ = ["Outcome", "Session"]

REPHRASED = "rephrased.jsonl"
Tell = Callable[[str, str], None]


class Outcome(msgspec.Struct):
    """What a run left: its logs, alarms, and the record of scored batches. `interrupted` ended early by Ctrl-C."""

    folder: Path
    logs: list[dict[str, Any]]
    alarms: dict[str, str]
    record: Path | None = None
    stopped: str = ""
    interrupted: bool = False


class Session:
    """A run prepared up to its first step. `tell` is called with what was found, kind and text.

    `resume` goes on from the last checkpoint of the run's folder, `force` also where that run had another stack.
    Raises one of the `RewardstackError`s for whatever can be known to be wrong before the model is loaded.
    """

    def __init__(self, config: Config, tell: Tell, *, resume: bool = False, force: bool = False) -> None:
        self.config = config
        self.tell = tell
        self.resume = resume
        self.force = force
        self.folder = Path(config.output)
        for sentence in config.translated:
            tell("translated", sentence)
        self.model = find_model(config.model, config.base)
        self.tokenizer = load_tokenizer(self.model)
        evaluates = config.eval.path is not None or config.eval.rows > 0
        self.args = make_arguments(config, self.folder, evaluates=evaluates)
        with self.args.main_process_first(local=False):  # what it downloads or has rephrased the others read
            self.rows, self.held_out = self.load_rows()
        self.args.model_init_kwargs = init_options(config.model) or None

    def load_rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the rows to train on and those held out."""
        config = self.config
        chat = self.tokenizer.chat_template is not None if config.data.chat is None else config.data.chat
        wanted = [name for name in config.stack.columns() if name not in ("completion", "messages", "prompt")]
        read = partial(
            make_rows,
            tasks=config.task,
            wanted=wanted,
            base=config.base,
            chat=chat,
            kept=self.folder / REPHRASED,
        )
        rows = read(config.data)
        if config.eval.path is not None:
            table = msgspec.structs.replace(
                config.data, path=config.eval.path, limit=config.eval.rows or None
            )
            held = read(table)
            if not held:
                raise TrainingError(f"[eval]: {config.eval.path} holds no rows")
        else:
            rows, held = split_off(rows, config.eval.rows)
        before = len(rows)
        rows, long = filter_by_length(rows, config.data, self.tokenizer)
        if long:
            left_out = before - len(rows)
            prompts = counted(long, "prompt")
            limit = counted(config.data.prompt_tokens or 0, "token")
            what = f"{left_out:,} left out, {long - left_out:,} cut at the beginning"
            self.tell("data", f"{prompts} of more than {limit}: {what}")
        return rows, held

    def check(self) -> list[Finding]:
        """Run the preflight checks and tell what they found."""
        found = preflight(self.config, self.args, self.rows, self.held_out)
        found += memory_findings(msgspec.structs.replace(self.config, model=self.located_model()))
        for kind, text in found:
            self.tell(kind, text)
        return found

    def located_model(self) -> ModelTable:
        """Return the model's table with the folder that was found for its name."""
        return msgspec.structs.replace(self.config.model, name=self.model)

    def run(self) -> Outcome:
        """Train, and return what came of it; Ctrl-C saves a checkpoint and ends the run in order."""
        for sentence in missing_packages(self.config):
            raise TrainingError(sentence)
        rank = int(os.environ.get("RANK", "0"))
        last = self.find_checkpoint() if self.resume else None
        if rank == 0:  # the others would find what this one has written; the launcher ends them if it fails
            check_folder(self.folder, resume=self.resume)
            check_identity(self.config, self.folder, self.tell, resume=self.resume, force=self.force)
            if self.config.log.record:
                forget_since(self.folder, step_of(last), evaluates_again=self.args.eval_on_start)
        record = Record(self.config.stack, self.folder, rank) if self.config.log.record else None
        functions = reward_funcs(
            self.config.stack, "columns" if columns_mode(self.config) else "scalar", args=self.args,
            processing_class=self.tokenizer, dead_zone=self.config.dead_zone,
            observers=[record] if record is not None else [],
        )  # fmt: skip
        trainer = self.make_trainer(functions)
        alarms = Alarms(
            self.config.stack.name, f"eval_{self.config.eval.metric}", stop_on=self.config.log.stop_on,
            tell=lambda sentence: self.tell("alarm", sentence),
        )  # fmt: skip
        trainer.add_callback(alarms)
        self.replace_progress(trainer)
        stop = self.add_callbacks(trainer)
        if record is not None:
            record.phase = lambda: "train" if trainer.model.training else "eval"
        outcome = Outcome(self.folder, trainer.state.log_history, alarms.raised)
        with told_plainly():
            outcome.interrupted = self.train(trainer, last)
        outcome.logs = trainer.state.log_history
        outcome.stopped = "" if stop is None else stop.reason
        trainer.accelerator.wait_for_everyone()  # the record is made of what all ranks wrote
        if record is not None and trainer.is_world_process_zero():
            outcome.record = record.finish()
        return outcome

    def make_trainer(self, functions: RewardFuncs) -> Any:
        """Load the model and return TRL's trainer; `TrainingError` where either refuses."""
        from datasets import Dataset
        from trl.trainer.grpo_trainer import GRPOTrainer
        from trl.trainer.rloo_trainer import RLOOTrainer

        kind: Any = RLOOTrainer if self.config.algorithm == "rloo" else GRPOTrainer
        more = (
            {}
            if quantization(self.config.model) is None
            else {"quantization_config": quantization(self.config.model)}
        )
        try:
            return kind(
                model=self.model, reward_funcs=functions, args=self.args, processing_class=self.tokenizer,
                train_dataset=Dataset.from_list(self.rows),
                eval_dataset=Dataset.from_list(self.held_out) if self.held_out else None,
                peft_config=lora_config(self.config.lora), **more,
            )  # fmt: skip
        except RewardstackError:
            raise
        except Exception as error:  # each part that reads a model has errors of its own
            why = hub_advice(error, self.model) or first_line(error)
            raise TrainingError(f"cannot start with the model {self.config.model.name}: {why}") from error

    def replace_progress(self, trainer: Any) -> None:
        """Tell progress in compact lines instead of transformers' dump of all numbers."""
        from transformers.trainer_callback import PrinterCallback, ProgressCallback

        for callback in (PrinterCallback, ProgressCallback):
            trainer.remove_callback(callback)
        trainer.add_callback(Lines(self.config.stack.name, lambda line: self.tell("", line)))

    def add_callbacks(self, trainer: Any) -> EarlyStop | None:
        """Add what the file asks for, and return the early stop if there is one."""
        if self.config.kl_target is not None:
            AdaptiveKL(self.config.kl_target).attach(trainer)
        wanted = self.config.eval
        if wanted.stop_at is None and wanted.patience is None:
            return None
        stop = EarlyStop(f"eval_{wanted.metric}", at=wanted.stop_at, patience=wanted.patience)
        trainer.add_callback(stop)
        return stop

    def find_checkpoint(self) -> Path | None:
        """Return the checkpoint to go on from, None where there is none yet, and tell which."""
        last, broken = last_checkpoint(self.folder)
        for path in broken:
            self.tell("resume", f"{path} was not written to its end, and is passed over")
        self.tell("resume", f"from {last}" if last else "no checkpoint yet, from the beginning")
        return last

    def train(self, trainer: Any, last: Path | None) -> bool:
        """Run the training loop, on from a checkpoint; return whether Ctrl-C ended it (one is saved then)."""
        interrupted = train_on_all_ranks(trainer, last) if world_size() > 1 else train_alone(trainer, last)
        if interrupted:
            self.tell("interrupted", f"saved step {trainer.state.global_step}; go on with --resume")
        return interrupted


def train_alone(trainer: Any, last: Path | None) -> bool:
    """Train in one process; return whether Ctrl-C ended it, which saves where it is."""
    try:
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    except KeyboardInterrupt:
        trainer._save_checkpoint(trainer.model, None)  # noqa: SLF001 - what --resume goes on from
        return True
    return False


def train_on_all_ranks(trainer: Any, last: Path | None) -> bool:
    """Train together with other ranks; return whether Ctrl-C on any of them ended it, after a step and saved."""
    interruption = Interruption()
    trainer.add_callback(interruption)
    with interruption.listening():
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    return interruption.taken
