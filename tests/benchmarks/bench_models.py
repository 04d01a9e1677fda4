"""Length buckets against random order and one by one; calls to a judge at once against one at a time.

Run it with `python -m tests.benchmarks.bench_models` (`make bench-models`). The ways of one comparison run interleaved
in one process, so what else the machine does hits them alike; the median ratio is printed.
"""

import random
import subprocess
import sys
import warnings
from collections.abc import Sequence

from tests.benchmarks.interleave import ratio

from rewardstack_models.forward import buckets, most_tokens, read_rows
from rewardstack_models.library import Loaded, Recipe
from rewardstack_models.padding import Row

ROWS, BATCH = 128, 64
CALLS, LATENCY, AT_ONCE = 200, 0.05, 32
SERVER = f"""
import sys
from tests.rewardstack_models.endpoint import ChatServer, verdict

print(ChatServer(verdict("CORRECT"), {LATENCY}).url, flush=True)
sys.stdin.read()
"""


def make_model() -> Loaded:
    """Return a small Llama with a score head, wide enough that arithmetic is what costs."""
    import torch
    from tests.rewardstack_models import tiny
    from transformers import LlamaConfig, LlamaForSequenceClassification

    words = tiny.tokenizer()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=256, intermediate_size=704, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=1024, num_labels=1, pad_token_id=words.pad_token_id,
    )  # fmt: skip
    return Loaded(Recipe("bench"), LlamaForSequenceClassification(config).eval(), words, "cpu")


def lengths_of(kind: str, chance: random.Random) -> list[int]:
    """Return lengths as completions have them: log-normal, from a few tokens to some hundreds."""
    spread = {"lengths as of chat": 1.0, "lengths as of reasoning": 0.7}[kind]
    return [max(4, min(768, int(chance.lognormvariate(4.2, spread)))) for _ in range(ROWS)]


def read_in(loaded: Loaded, rows: Sequence[Row], batches: Sequence[Sequence[int]]) -> None:
    """Read rows in given batches."""
    for places in batches:
        read_rows(loaded, [rows[place] for place in places])


def bench_buckets(kind: str) -> None:
    """Print how much longer random order and one by one take than buckets."""
    chance = random.Random(0)
    loaded, lengths = make_model(), lengths_of(kind, chance)
    rows = [Row([chance.randrange(10, 300) for _ in range(length)]) for length in lengths]
    order = list(range(ROWS))
    chance.shuffle(order)
    ours = list(buckets(lengths, BATCH, most_tokens("cpu")))
    size = ROWS // len(ours)
    shuffled = [order[start : start + size] for start in range(0, ROWS, size)]
    run = lambda batches: lambda: read_in(loaded, rows, batches)  # noqa: E731
    print(f"{kind}: random order {ratio(run(shuffled), run(ours), rounds=3):.2f} times as long", end=", ")
    print(f"one by one {ratio(run([[place] for place in order]), run(ours), rounds=3):.2f} times")


def bench_one_by_one() -> None:
    """Print what calling for each row alone costs where rows are short and calls, not arithmetic, are what costs."""
    import torch
    from tests.rewardstack_models import tiny

    words = tiny.tokenizer()
    torch.manual_seed(0)
    loaded = Loaded(Recipe("bench"), tiny.llama("sequence", words).eval(), words, "cpu")
    chance = random.Random(0)
    lengths = [chance.randrange(8, 64) for _ in range(ROWS)]
    rows = [Row([chance.randrange(10, 300) for _ in range(length)]) for length in lengths]
    ours, alone = list(buckets(lengths, BATCH, most_tokens("cpu"))), [[place] for place in range(ROWS)]
    taken = ratio(lambda: read_in(loaded, rows, alone), lambda: read_in(loaded, rows, ours), rounds=9)
    print(f"a model of two thin layers, short rows: one by one {taken:.2f} times as long as buckets")


def bench_calls() -> None:
    """Print how much longer calls one at a time take than 32 at once."""
    from rewardstack import Stack

    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    url = server.stdout.readline().strip() if server.stdout else ""
    options = {"use": "models.judge", "model": "m", "endpoint": url, "output": "text", "cache": ""}
    rows = [{"completion": f"The number is {number}."} for number in range(CALLS)]
    together = Stack({"it": {**options, "at_once": AT_ONCE}})
    single = Stack({"it": {**options, "at_once": 1}})
    taken = ratio(lambda: single.score(rows), lambda: together.score(rows), rounds=3)
    print(
        f"{CALLS} calls at {LATENCY * 1000:g} ms: one at a time takes {taken:.1f} times as long as {AT_ONCE} at once"
    )
    server.communicate()


if __name__ == "__main__":
    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for each in ("lengths as of chat", "lengths as of reasoning"):
        bench_buckets(each)
    bench_one_by_one()
    bench_calls()
