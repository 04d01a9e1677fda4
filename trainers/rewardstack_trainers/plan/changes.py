"""What makes a plan fit: changes ordered by what they cost the run, tried one after another."""

import msgspec

from rewardstack_trainers.plan.memory import Plan, fits

__all__ = ["CARDS", "CHANGES", "cheapest_changes"]

CARDS = {"T4": 16, "RTX 4090": 24, "A100-40": 40, "L40S": 48, "A100-80, H100": 80, "H200": 141, "B200": 180}
"""The memory of cards in GB."""

CHANGES: tuple[tuple[str, dict[str, object]], ...] = (
    ('dtype = "bfloat16" in [model]: TRL loads float32 unless told', {"dtype": "bfloat16"}),
    ("beta = 0: no reference model", {"reference": False}),
    ("trl 1.16 or newer: the head works in tiles", {"trainer": "trl"}),
    ("activation_checkpointing = true: about a third slower", {"checkpointing": True}),
    ('optim = "adamw_8bit"', {"optimizer": "adamw_8bit"}),
    ("per_device_train_batch_size = 1, more accumulation", {"sequences": 1}),
    ("[lora]: 16 ranks, trains less", {"lora": 16}),
    ('quantize = "4bit" in [model], with [lora]', {"quantize": "4bit", "lora": 16}),
    ("max_completion_length halved", {"completion": 0}),
    ("8 cards with ZeRO-3 or FSDP", {"shards": 8}),
)
"""Each with the fields of the plan it changes; a completion of 0 stands for half of what it was."""


def cheapest_changes(plan: Plan, card: float) -> list[str] | None:
    """Return the first changes that make a plan fit: none when it does, `None` when all together do not.

    Changes are added in order until it fits, then those that it fits without are left out again.
    """
    taken: list[int] = []
    for number in range(len(CHANGES) + 1):
        if fits(changed(plan, taken), card):
            break
        if number == len(CHANGES):
            return None
        if changed(plan, [*taken, number]) != changed(plan, taken):
            taken.append(number)
    for number in list(reversed(taken)):
        rest = [each for each in taken if each != number]
        if fits(changed(plan, rest), card):
            taken = rest
    return [CHANGES[number][0] for number in taken]


def changed(plan: Plan, numbers: list[int]) -> Plan:
    """Return a plan with some of the changes."""
    for number in numbers:
        fields = dict(CHANGES[number][1])
        if "trainer" in fields and plan.trainer != "old-trl":
            continue
        if "completion" in fields:
            fields["completion"] = plan.completion // 2
        plan = msgspec.structs.replace(plan, **fields)
    return plan
