"""Run in a process that `test_other_trainers.py` spawns: a group scored by TRL's own AsyncGRPO loop."""

import asyncio
import os
from types import SimpleNamespace


def score_group(functions, completions, columns):
    """Return process id, advantages, and each function's rewards of one group."""
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    from accelerate import PartialState
    from trl.experimental.async_grpo.async_rollout_worker import (
        RolloutGroup,
        TrainingSequence,
        _AsyncRolloutLoop,
    )
    from trl.trainer.utils import get_callable_name

    PartialState(cpu=True)  # as TRL's child does; its logger asks for it
    size = len(completions)
    group = RolloutGroup(
        prompts=[[{"role": "user", "content": "p"}]] * size, reward_kwargs=columns,
        completions=[[{"role": "assistant", "content": text}] for text in completions],
        completions_ids=[[3, 0]] * size,
        completions_sequences=[[TrainingSequence(input_ids=[3], completion_mask=[1], old_log_probs=[0.0], rollout_id=0)]] * size,
        tool_call_counts=[0] * size, tool_failure_counts=[0] * size, model_version=0, group_id=0,
        env_rewards=[None] * size, rollout_rewards=[None] * size,
    )  # fmt: skip
    loop = SimpleNamespace(
        reward_funcs=functions, reward_func_names=[get_callable_name(each) for each in functions],
        _env_reward_types=[], _provides_rollout_reward=False,
    )  # fmt: skip
    samples = asyncio.run(_AsyncRolloutLoop._score_group(loop, group))
    return os.getpid(), [each.advantage for each in samples], [each.metrics for each in samples]
