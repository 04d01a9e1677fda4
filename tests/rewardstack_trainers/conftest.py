"""A tiny model, a byte-level tokenizer, and live trainers whose completions are given, not generated."""

import importlib.util
import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

TINY = Path(__file__).with_name("tiny.py")


@pytest.fixture(scope="session")
def tiny():
    """Return the module `tiny.py`, which scripts of these tests use too."""
    pytest.importorskip("trl")
    spec = importlib.util.spec_from_file_location("tiny", TINY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tokenizer(tiny):
    """Return a byte-level tokenizer."""
    return tiny.tiny_tokenizer()


@pytest.fixture
def model(tiny, tokenizer):
    """Return a tiny Llama of its own for each test."""
    return tiny.tiny_model(tokenizer)


@pytest.fixture
def grpo(tmp_path):
    """Return a GRPOConfig for a few short steps on the CPU; keywords override."""
    from trl import GRPOConfig

    def make(kind=GRPOConfig, **overrides):
        settings = {
            "output_dir": str(tmp_path / "run"), "per_device_train_batch_size": 4, "num_generations": 4,
            "max_completion_length": 8, "max_steps": 1, "report_to": [], "use_cpu": True, "bf16": False,
            "logging_steps": 1, "save_strategy": "no", "gradient_checkpointing": False, "disable_tqdm": True,
        }  # fmt: skip
        return kind(**settings | overrides)

    return make


@pytest.fixture
def feed(model, tokenizer, grpo):
    """Return a function that trains on given completions, text or token ids, and returns the trainer.

    `caught` of the trainer holds the advantages of every scored batch.
    """
    from datasets import Dataset
    from trl import GRPOTrainer

    def run(functions, completions, *, prompts=None, columns=None, trainer=GRPOTrainer, **overrides):
        size = overrides.get("per_device_train_batch_size", 4)
        generations = overrides.get("num_generations", 4)
        queue = itertools.cycle(completions)
        rows = prompts or [f"p{n}" for n in range(max(1, size // generations))]
        data = Dataset.from_dict({"prompt": rows, **(columns or {})})

        def rollout(prompts, trainer):
            given = [next(queue) for _ in prompts]
            ids = [each if isinstance(each, list) else [*tokenizer(each)["input_ids"], 0] for each in given]
            return {
                "prompt_ids": [tokenizer(str(prompt))["input_ids"] for prompt in prompts],
                "completion_ids": ids,
                "logprobs": [[0.0] * len(each) for each in ids],
            }

        weights = getattr(functions, "weights", None)
        args = grpo(**{"shuffle_dataset": False, "reward_weights": weights, **overrides})
        made = trainer(
            model=model, reward_funcs=functions, args=args, train_dataset=data, processing_class=tokenizer,
            rollout_func=rollout,
        )  # fmt: skip
        made.caught = []
        inner = made._generate_and_score_completions

        def catch(inputs):
            output = inner(inputs)
            made.caught.append(output["advantages"].tolist())
            return output

        made._generate_and_score_completions = catch
        made.train()
        return made

    return run


@pytest.fixture
def endpoint():
    """Return a local OpenAI-compatible endpoint: its address, what it replies in turn, what it was sent."""
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    server.replies, server.seen = [], []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", server.replies, server.seen
    server.shutdown()
    server.server_close()
    thread.join()


class Endpoint(BaseHTTPRequestHandler):
    """Replies with the next text as a chat completion, with the next number as a status, with the next bytes as they are."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers.get("Authorization"), body))
        reply = self.server.replies.pop(0)
        chat = {"choices": [{"message": {"role": "assistant", "content": reply}}]}
        sent = reply if isinstance(reply, bytes) else json.dumps(chat).encode()
        self.send_response(reply if isinstance(reply, int) else 200)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *arguments): ...
