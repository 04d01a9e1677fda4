"""The demo's model: a Llama of about 130,000 parameters, made here and taught a bad habit."""

import random
from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from rewardstack_trainers.demo.questions import VOCABULARY, Question, supervised_text

__all__ = ["make_model", "make_tokenizer", "sample", "supervise"]

IGNORED = -100


def make_tokenizer() -> Any:
    """Return the tokenizer of the 18 tokens; nothing is joined by spaces."""
    from tokenizers import decoders

    made = Tokenizer(models.WordLevel({token: place for place, token in enumerate(VOCABULARY)}, "?"))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"</?answer>|."), "isolated")
    made.decoder = decoders.Fuse()
    kind: Any = PreTrainedTokenizerFast  # its __init__ is not annotated
    return kind(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", padding_side="left")


def make_model(seed: int) -> Any:
    """Return the untrained model."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(VOCABULARY), hidden_size=64, intermediate_size=256, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=32, pad_token_id=0, eos_token_id=1,
        bos_token_id=None, tie_word_embeddings=True,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.generation_config.pad_token_id, model.generation_config.eos_token_id = 0, 1
    return model


def supervise(
    model: Any, tokenizer: Any, questions: Sequence[Question], seed: int, *, steps: int, batch: int = 256
) -> float:
    """Teach the model the bad start, with AdamW on completions alone, and return the last loss."""
    chance = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    loss = torch.tensor(0.0)
    model.train()
    for _ in range(steps):
        rows = [supervised_text(question, chance) for question in chance.choices(questions, k=batch)]
        inputs, labels = encode(tokenizer, rows)
        loss = model(input_ids=inputs, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    return float(loss.detach())


def encode(tokenizer: Any, rows: Sequence[tuple[str, str]]) -> tuple[Any, Any]:
    """Return input ids and labels, padded at the right; prompts and padding carry no loss."""
    ids = [(tokenizer(prompt)["input_ids"], [*tokenizer(text)["input_ids"], 1]) for prompt, text in rows]
    width = max(len(prompt) + len(text) for prompt, text in ids)
    inputs = torch.zeros(len(ids), width, dtype=torch.long)
    labels = torch.full_like(inputs, IGNORED)
    for row, (prompt, text) in enumerate(ids):
        end = len(prompt) + len(text)
        inputs[row, :end] = torch.tensor(prompt + text)
        labels[row, len(prompt) : end] = torch.tensor(text)
    return inputs, labels


@torch.no_grad()
def sample(model: Any, tokenizer: Any, prompts: Sequence[str], seed: int, length: int) -> list[str]:
    """Return one sampled completion for each prompt, at temperature 1; the seed decides, the caller's state stays."""
    state, training = torch.get_rng_state(), model.training
    torch.manual_seed(seed)
    model.eval()
    inputs = tokenizer(list(prompts), return_tensors="pt", padding=True, return_token_type_ids=False)
    drawn = model.generate(**inputs, max_new_tokens=length, do_sample=True, temperature=1.0, top_k=0)
    model.train(training)
    torch.set_rng_state(state)
    return list(tokenizer.batch_decode(drawn[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True))
