"""What needs a GPU is passed on to TRL by its own names: what its trainer gets, and what is told when a package is missing."""

import importlib.util
import json
from types import SimpleNamespace

import pytest

pytest.importorskip("trl")

from rewardstack.errors import OptionError
from rewardstack_trainers.errors import TrainingError
from rewardstack_trainers.plan.reading import plan_of
from rewardstack_trainers.training import packages
from rewardstack_trainers.training.arguments import make_arguments
from rewardstack_trainers.training.config import load_config
from rewardstack_trainers.training.session import Session

pytestmark = pytest.mark.filterwarnings("ignore")

FILE = """
output = "{output}"
{top}
[model]
name = "model"
{model}
[data]
path = "rows.jsonl"
[rewards.form]
use = "format.tags"
[grpo]
per_device_train_batch_size = 4
num_generations = 4
{grpo}
"""


@pytest.fixture
def config(tmp_path, write):
    """Return a function that loads a training file with some more lines in its tables."""

    def load(grpo="", model="", top=""):
        write("rows.jsonl", json.dumps({"prompt": "1+1", "answer": "2"}) + "\n")
        return load_config(
            write("run.toml", FILE.format(output=tmp_path / "run", grpo=grpo, model=model, top=top))
        )

    return load


@pytest.fixture
def given(config, tmp_path, monkeypatch, model, tokenizer):
    """Return a function that gives what TRL's trainer would be made with."""
    import trl.trainer.grpo_trainer

    caught = {}
    model.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    monkeypatch.setattr(trl.trainer.grpo_trainer, "GRPOTrainer", lambda **arguments: caught.update(arguments))

    def make(**lines):
        session = Session(config(**lines), lambda kind, text: None)
        session.make_trainer([])
        return SimpleNamespace(**caught)

    return make


class TestVLLM:
    COLOCATE = 'use_vllm = true\nvllm_mode = "colocate"\nvllm_gpu_memory_utilization = 0.4\nvllm_tensor_parallel_size = 2'
    SERVER = 'use_vllm = true\nvllm_mode = "server"\nvllm_server_host = "10.0.0.7"\nvllm_server_port = 8001'

    def test_beside_the_training(self, given, config):
        args = given(grpo=self.COLOCATE).args
        assert (args.use_vllm, args.vllm_mode, args.vllm_gpu_memory_utilization) == (True, "colocate", 0.4)
        assert args.vllm_tensor_parallel_size == 2
        sized = config(grpo=self.COLOCATE, model="").grpo
        assert plan_of(planned(config(grpo=self.COLOCATE))).colocate == sized["vllm_gpu_memory_utilization"]

    def test_as_a_server(self, given, config):
        args = given(grpo=self.SERVER).args
        assert (args.vllm_mode, args.vllm_server_host, args.vllm_server_port) == ("server", "10.0.0.7", 8001)
        assert plan_of(planned(config(grpo=self.SERVER))).colocate == 0.0


def planned(config):
    """Return a config whose model's size is known."""
    import msgspec

    return msgspec.structs.replace(config, model=msgspec.structs.replace(config.model, name="0.5B"))


def test_qlora(given):
    made = given(top='preset = "gsm8k-qlora"', model='dtype = "bfloat16"')
    assert made.quantization_config.load_in_4bit
    assert made.quantization_config.bnb_4bit_quant_type == "nf4"
    assert str(made.quantization_config.bnb_4bit_compute_dtype) == "torch.bfloat16"
    assert (made.peft_config.r, made.peft_config.lora_alpha) == (16, 64)
    assert made.args.model_init_kwargs == {"dtype": "bfloat16"}


def test_attention_devices_and_what_else_from_pretrained_takes(given):
    made = given(model='attn_implementation = "sdpa"\ndevice_map = "auto"\ninit = { use_cache = false }')
    assert made.args.model_init_kwargs == {
        "attn_implementation": "sdpa",
        "device_map": "auto",
        "use_cache": False,
    }
    assert not hasattr(made, "quantization_config")


def test_deepspeeds_settings(config, tmp_path, monkeypatch):
    """DeepSpeed itself is not installed here: its part of transformers is stood in for."""
    import accelerate.utils
    import transformers.integrations.deepspeed as integration

    monkeypatch.setattr(
        integration, "HfTrainerDeepSpeedConfig",
        lambda settings: SimpleNamespace(settings=settings, trainer_config_process=lambda args: None),
    )  # fmt: skip
    monkeypatch.setattr(accelerate.utils, "DeepSpeedPlugin", lambda hf_ds_config: hf_ds_config)
    args = make_arguments(config(grpo='deepspeed = "zero3.json"'), tmp_path, evaluates=False)
    assert (args.deepspeed, args.deepspeed_plugin.settings) == ("zero3.json", "zero3.json")


def test_fsdp(given):
    made = given(grpo='fsdp = true\nfsdp_config = { transformer_layer_cls_to_wrap = ["LlamaDecoderLayer"] }')
    assert made.args.fsdp
    assert made.args.fsdp_config["transformer_layer_cls_to_wrap"] == ["LlamaDecoderLayer"]


MISSING = {
    "use_vllm = true": ("grpo", "use_vllm needs vllm, which is not installed here: pip install vllm"),
    'optim = "adamw_8bit"': ("grpo", "optim needs bitsandbytes"),
    'quantize = "4bit"': ("model", "quantize needs bitsandbytes"),
    'attn_implementation = "flash_attention_2"': ("model", "flash_attention_2 needs flash-attn"),
}


@pytest.mark.parametrize("line", MISSING)
def test_a_package_that_is_missing_is_told_before_the_model_is_loaded(given, config, monkeypatch, line):
    table, sentence = MISSING[line]
    monkeypatch.setattr(packages, "find_spec", lambda module: None)
    given()  # writes the model
    told = []
    session = Session(config(**{table: line}), lambda kind, text: told.append(text))
    session.check()  # a laptop may check what a server is to run
    assert any(sentence in text for text in told)
    with pytest.raises(TrainingError, match=sentence):
        session.run()


@pytest.mark.skipif(importlib.util.find_spec("deepspeed") is not None, reason="it is installed")
def test_deepspeed_reads_its_settings_itself_so_it_is_told_at_once(config, tmp_path):
    with pytest.raises(
        OptionError, match=r"\[grpo\]: deepspeed needs deepspeed, which is not installed here: pip"
    ):
        make_arguments(config(grpo='deepspeed = "zero3.json"'), tmp_path, evaluates=False)
