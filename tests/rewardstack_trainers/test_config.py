"""Training files: what they may say, what is translated, and how wrong ones are told."""

import pytest
from click.testing import CliRunner

pytest.importorskip("trl")

from rewardstack.cli import rewards
from rewardstack.errors import OptionError, RewardNotFound, StackError
from rewardstack_trainers.training.arguments import check_names, make_arguments
from rewardstack_trainers.training.config import load_config
from rewardstack_trainers.training.presets import ALGORITHMS, PRESETS

LEAST = """
[model]
name = "m"
[rewards.form]
use = "format.tags"
"""


@pytest.fixture
def config(write):
    """Return a function that loads a training file: the least there is, and some more."""
    return lambda more="", top="": load_config(write("run.toml", top + LEAST + more))


def test_the_least_there_is(config):
    found = config()
    assert (found.output, found.algorithm, found.lora, found.stack.name) == (
        "runs/run",
        "grpo",
        None,
        "stack",
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_algorithm_and_preset_is_known_to_the_installed_trl(algorithm, preset):
    check_names(PRESETS[preset]["grpo"] | ALGORITHMS[algorithm], algorithm)


def test_a_preset_lies_under_what_the_file_says(config):
    found = config("[grpo]\nlearning_rate = 1e-4\n", top='preset = "gsm8k-lora"\n')
    assert found.grpo["learning_rate"] == 1e-4
    assert (found.grpo["adam_beta2"], found.grpo["max_completion_length"]) == (0.99, 786)
    assert (found.data.prompt_tokens, found.lora.r) == (256, 16)
    assert set(found.lora.target_modules) == {"q_proj", "k_proj", "o_proj", "up_proj", "down_proj"}


WELL_KNOWN = {
    "learning_rate": 5e-6, "adam_beta1": 0.9, "adam_beta2": 0.99, "weight_decay": 0.1, "warmup_steps": 0.1,
    "num_generations": 4, "max_completion_length": 786, "max_grad_norm": 0.1,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("preset", PRESETS)
def test_the_presets_have_the_well_known_values(config, tmp_path, preset):
    found = config(top=f'preset = "{preset}"\n')
    args = make_arguments(found, tmp_path, evaluates=False)
    assert {name: getattr(args, name) for name in WELL_KNOWN} == WELL_KNOWN
    assert args.lr_scheduler_type.value == "cosine"
    assert found.data.prompt_tokens == 256
    assert ("8bit" in args.optim.value) == (preset in ("gsm8k-8bit", "gsm8k-checkpointing"))
    assert args.activation_checkpointing == (preset == "gsm8k-checkpointing"), (
        "none on a CPU unless asked for"
    )
    told = {"gsm8k": False, "gsm8k-8bit": False, "gsm8k-checkpointing": True}
    assert found.grpo.get("activation_checkpointing") == told.get(preset), "on a card TRL does unless told"
    assert (found.lora is not None) == (preset in ("gsm8k-lora", "gsm8k-qlora"))
    assert found.model.quantize == ("4bit" if preset == "gsm8k-qlora" else None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("algorithm", "fields"),
    [
        ("grpo", {"loss_type": "grpo", "scale_rewards": "group"}),
        ("dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none"}),
        (
            "dapo",
            {"loss_type": "dapo", "epsilon_high": 0.28, "mask_truncated_completions": True, "beta": 0.0},
        ),
        ("gspo", {"importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4}),
        ("gdpo", {"multi_objective_aggregation": "normalize_then_sum", "reward_weights": [1.0]}),
        ("rloo", {}),
    ],
)
def test_an_algorithm_is_what_its_paper_says_and_the_file_wins(config, tmp_path, algorithm, fields):
    args = make_arguments(config(top=f'algorithm = "{algorithm}"\n'), tmp_path, evaluates=False)
    assert {name: getattr(args, name) for name in fields} == fields
    assert type(args).__name__ == ("RLOOConfig" if algorithm == "rloo" else "GRPOConfig")
    own = config("[grpo]\nepsilon = 0.3\n", top=f'algorithm = "{algorithm}"\n')
    assert make_arguments(own, tmp_path, evaluates=False).epsilon == 0.3


@pytest.mark.filterwarnings("ignore")
def test_retired_names_are_translated_and_told(config, tmp_path):
    found = config(
        "[grpo]\nwarmup_ratio = 0.1\nmax_prompt_length = 256\nlogging_dir = 'x'\noverwrite_output_dir = true\n"
    )
    assert found.grpo["warmup_steps"] == 0.1
    assert found.data.prompt_tokens == 256
    assert [sentence.partition(" = ")[0] for sentence in found.translated] == [
        "warmup_ratio", "max_prompt_length", "logging_dir", "overwrite_output_dir",
    ]  # fmt: skip
    args = make_arguments(found, tmp_path, evaluates=False)
    assert (args.warmup_steps, args.bf16) == (0.1, False)


FAULTS = {
    "a table": ("[modle]\nname = 'x'", OptionError, r"has no 'modle' \(did you mean 'model'\?\)"),
    "a key": ("[lora]\nrank = 8", OptionError, r"\[lora\] has no 'rank'"),
    "a type": ("[eval]\nevery = 'often'", OptionError, r"\[eval\]: expected int, got str.*every"),
    "a reward": ("[rewards.x]\nuse = 'format.tagz'", RewardNotFound, "did you mean 'format.tags'"),
    "no TOML": ("[[", StackError, "run.toml is not valid TOML"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named_with_the_file(config, fault):
    more, kind, message = FAULTS[fault]
    with pytest.raises(kind, match=f"(?s)run.toml.*{message}" if fault != "no TOML" else message):
        config(more)


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ("algorithm = 'drgrpo'\n", "did you mean 'dr_grpo'"),
        ("preset = 'gsm8'\n", "did you mean 'gsm8k'"),
        ("task = 'gsm8'\nstack = 'x.toml'\n", "both a stack and"),
        ("task = 3\n", "expected str | array, got int - at task"),
        ("stack = 3\n", "got int - at stack"),
        ("preset = []\n", "got array - at preset"),
        ("dead_zone = 'small'\n", "expected float, got str - at dead_zone"),
        ("kl_target = 'low'\n", "got str - at kl_target"),
        ("data = { too_long = 'trim' }\n", 'too_long is "drop" or "cut", not \'trim\''),
    ],
)
def test_faults_at_the_top(config, top, message):
    with pytest.raises(StackError, match=message):
        config(top=top)


@pytest.mark.filterwarnings("ignore")
class TestArguments:
    def test_an_unknown_field_names_the_nearest(self, config, tmp_path):
        with pytest.raises(
            OptionError, match=r"GRPOConfig of trl .* has no 'learning_rat' \(did you mean 'learning_rate'"
        ):
            make_arguments(config("[grpo]\nlearning_rat = 1.0"), tmp_path, evaluates=False)

    def test_impossible_batches_are_told_before_anything_is_loaded(self, config, tmp_path):
        given = (
            "[grpo]\nper_device_train_batch_size = 3\nnum_generations = 4\ngradient_accumulation_steps = 1"
        )
        with pytest.raises(OptionError, match=r"\[grpo\]: .*divisible"):
            make_arguments(config(given), tmp_path, evaluates=False)

    def test_what_belongs_elsewhere(self, config, tmp_path):
        with pytest.raises(OptionError, match="weights stand in the stack"):
            make_arguments(config("[grpo]\nreward_weights = [1.0]"), tmp_path, evaluates=False)

    def test_gdpo_has_the_stacks_weights(self, config, tmp_path):
        args = make_arguments(config("weight = 0.5", top="algorithm = 'gdpo'\n"), tmp_path, evaluates=False)
        assert (args.multi_objective_aggregation, args.reward_weights) == ("normalize_then_sum", [0.5])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[data]\nlimit = 0\n", r"\[data\]: expected int >= 1 - at limit"),
        ("[data]\nprompt_tokens = 0\n", r"\[data\]: expected int >= 1 - at prompt_tokens"),
        ("[eval]\nevery = 0\n", r"\[eval\]: expected int >= 1 - at every"),
        ("[eval]\nrows = -1\n", r"\[eval\]: expected int >= 0 - at rows"),
        ("[eval]\npatience = 0\n", r"\[eval\]: expected int >= 1 - at patience"),
        ("[log]\nevery = 0\n", r"\[log\]: expected int >= 1 - at every"),
        ("[lora]\nr = 0\n", r"\[lora\]: expected int >= 1 - at r"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(config, table, message):
    with pytest.raises(OptionError, match=message):
        config(table)


@pytest.mark.parametrize("word", ["--dry-run", "--resume", "--force"])
def test_the_demo_refuses_what_it_would_pass_over(word):
    done = CliRunner().invoke(rewards, ["train", "--demo", "larger", word])
    assert done.exit_code == 2
    assert "takes no --dry-run" in done.output
