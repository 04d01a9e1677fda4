"""Where models are found: folders, packages, functions, the hub."""

import json
import subprocess
import sys

import pytest

from rewardstack_models.errors import ModelError
from rewardstack_models.places import find_place


def test_a_folder_with_a_config_is_a_model(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert find_place(str(tmp_path)) == str(tmp_path)


def test_a_folder_without_one_is_told(tmp_path):
    with pytest.raises(ModelError, match=r"has no config\.json"):
        find_place(str(tmp_path))


def test_a_path_that_leads_nowhere_is_not_asked_of_the_hub():
    with pytest.raises(ModelError, match="there is no folder"):
        find_place("./nowhere")


def test_other_names_are_the_hubs():
    assert find_place("Skywork/Skywork-Reward-V2-Qwen3-0.6B") == "Skywork/Skywork-Reward-V2-Qwen3-0.6B"
    assert find_place("gpt2") == "gpt2"


def test_a_package_that_ships_a_model_is_found_without_being_imported(write, monkeypatch, tmp_path):
    write("shipped_model/__init__.py", "raise RuntimeError('imported')")
    config = write("shipped_model/weights/config.json", "{}")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_place("shipped_model") == str(config.parent)
    write("shipped_model/more/config.json", "{}")
    with pytest.raises(ModelError, match="ships several models"):
        find_place("shipped_model")


def test_an_attribute_of_a_module_may_be_a_path_a_pair_or_a_function(write, monkeypatch, tmp_path):
    write(
        "model_maker.py",
        f"pair = ('model', 'tokenizer')\nnumber = 3\ndef place(): return {str(tmp_path)!r}\n",
    )
    write("config.json", "{}")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_place("model_maker:pair") == ("model", "tokenizer")
    assert find_place("model_maker:place") == str(tmp_path)
    for wrong, message in (
        ("model_maker:number", "gave int"),
        ("model_maker:gone", "gone"),
        ("no_such:x", "no_such"),
    ):
        with pytest.raises(ModelError, match=message):
            find_place(wrong)


def test_importing_the_plugin_and_loading_a_stack_imports_nothing_big():
    code = """
import json, sys
from rewardstack import Stack
uses = ["reward", "rank", "process", "judge", "rubric", "entails", "similar"]
Stack({use: {"use": f"models.{use}", "model": "some/model"} for use in uses})
print(json.dumps([name for name in ("torch", "transformers", "httpx", "numpy") if name in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
