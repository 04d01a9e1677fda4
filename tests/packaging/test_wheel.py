"""The built wheel, in a clean environment; and the package with the oldest dependencies it claims to work with."""

import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_the_wheel_holds_packages_of_this_project_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert all(name.startswith("rewardstack") for name in names)
    packages = {name.partition("/")[0] for name in names if not name.partition("/")[0].endswith(".dist-info")}
    assert {"rewardstack", "rewardstack_format"} <= packages
    assert {f"{package}/py.typed" for package in packages} <= set(names)
    assert not [name for name in names if "tests/" in name or name.endswith(".jsonl")]
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_works_in_a_clean_environment(wheel, new_environment, shell, tmp_path):
    programs = new_environment(wheel)
    assert "rewards" in shell(programs / "rewards", "--help", cwd=tmp_path)
    assert "format.tags" in shell(programs / "rewards", "list", cwd=tmp_path)
    shell(programs / "rewards", "doctor", cwd=tmp_path)
    (tmp_path / "my.py").write_text(
        "from rewardstack import reward\n\n@reward\ndef brief(completion: str, *, limit: int = 200) -> float:\n"
        "    return max(0.0, min(1.0, 2 - len(completion.split()) / limit))\n"
    )
    (tmp_path / "samples.jsonl").write_text('{"completion": "a b c", "expected": 1.0}\n')
    shell(programs / "rewards", "test", "-r", "my.py:brief", "samples.jsonl", cwd=tmp_path)
    frozen = shell(programs / "python", "-m", "pip", "freeze")
    assert not {"torch", "trl", "sympy", "datasets"} & {
        line.partition("==")[0] for line in frozen.splitlines()
    }


def test_the_lowest_versions_claimed_pass_the_quick_tests(root, new_environment, shell):
    lowest = Path(__file__).with_name("lowest.txt")
    programs = new_environment(
        f"{root}[format]", "pytest", "pytest-timeout", "hypothesis", constraints=lowest
    )
    frozen = shell(programs / "python", "-m", "pip", "freeze").splitlines()
    pinned = [line for line in lowest.read_text().splitlines() if "==" in line]
    assert set(pinned) <= set(frozen), "the environment must hold exactly the versions that the test is about"
    folders = ["tests/rewardstack", "tests/rewardstack_format"]
    shell(programs / "python", "-m", "pytest", "-q", "-m", "not slow", *folders, cwd=root)


def test_the_lowest_versions_are_those_of_the_metadata(root):
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    bounds = [*project["dependencies"], *project["optional-dependencies"]["format"]]
    claimed = {tuple(bound.split(">=")) for bound in bounds}
    pinned = Path(__file__).with_name("lowest.txt").read_text().splitlines()
    assert claimed == {tuple(line.split("==")) for line in pinned if "==" in line}
