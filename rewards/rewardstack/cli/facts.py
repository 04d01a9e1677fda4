"""What `list`, `show` and `doctor` say of rewards and terms, as plain data."""

import inspect
from collections.abc import Sequence
from typing import Any

from rewardstack.annotations import annotation_text
from rewardstack.registry import Plugin, Registry
from rewardstack.signature import Reward, annotations_of, describe
from rewardstack.term import Term

__all__ = ["describe_plugin", "describe_reward", "describe_term"]


def describe_plugin(plugin: Plugin, registry: Registry) -> dict[str, Any]:
    """Return a plugin and its rewards; those that cannot serve as rewards are told of in `registry.broken`."""
    rewards = []
    for short, target in plugin.rewards.items():
        name = f"{plugin.name}.{short}"
        try:
            rewards.append(describe_reward(describe(target, name)))
        except Exception as error:  # one reward that cannot be described hides no other
            registry.broken[name] = f"{type(error).__name__}: {error}"
    return {
        "plugin": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "rewards": rewards,
    }


def describe_reward(reward: Reward) -> dict[str, Any]:
    """Return what a reward reads and what can be set on it."""
    types = option_types(reward)
    return {
        "name": reward.name,
        "summary": reward.summary,
        "scope": reward.scope,
        "async": reward.is_async,
        "isolated": reward.contract.isolated,
        "deterministic": reward.contract.deterministic,
        "range": reward.contract.range,
        "columns": {name: default is inspect.Parameter.empty for name, default in reward.columns.items()},
        "options": {
            option.name: {
                "type": types[option.name],
                "required": option.required,
                "default": option.default,
            }
            for option in reward.options.values()
        },
    }


def option_types(reward: Reward) -> dict[str, str]:
    """Return what each option takes, in words."""
    hints = annotations_of(reward.target, reward.name) if reward.options else {}
    return {name: annotation_text(hints.get(name, Any)) for name in reward.options}


def describe_term(term: Term, steps: Sequence[int]) -> dict[str, Any]:
    """Return a term as the stack understands it, its weight at some training steps."""
    words, reward = term.words, term.reward
    types, required = option_types(reward), term.columns()
    return {
        "name": term.name,
        "use": term.source.use if term.source else reward.name,
        "summary": reward.summary,
        "weight": {str(step): term.weight(step) for step in steps},
        "range": words.clip or reward.contract.range,
        "when": words.when,
        "requires": words.requires,
        "clip": words.clip,
        "timeout": term.timeout,
        "on_error": words.on_error,
        "on_timeout": words.on_timeout,
        "make": words.make,
        "columns": {
            parameter: {"column": column, "required": required[column]}
            for parameter, column in term.inputs.items()
            if column in required
        },
        "all_columns": reward.takes_all,
        "options": {
            option.name: {
                "type": types[option.name],
                "value": term.options.get(option.name, option.default),
                "set": option.name in term.options,
            }
            for option in reward.options.values()
        },
        "scope": reward.scope,
        "async": reward.is_async,
        "isolated": term.isolated,
        "shared": reward.shareable,
    }
