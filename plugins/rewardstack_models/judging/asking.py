"""The options of everything that asks a judge, and the questions they make."""

import asyncio
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rewardstack import Score, visible_text
from rewardstack_models.errors import BudgetSpent, EndpointError
from rewardstack_models.judging.budget import Limits
from rewardstack_models.judging.cache import default_path
from rewardstack_models.judging.endpoints import check_endpoint, check_variable, endpoint_at
from rewardstack_models.judging.exchanges import Care, Refused, Usage, exchange, is_kept
from rewardstack_models.judging.orders import find_order
from rewardstack_models.judging.replies import Request
from rewardstack_models.judging.substance import find_nothing
from rewardstack_models.judging.verdicts import read_verdict, schema_of
from rewardstack_models.wording import empty_reason

__all__ = ["Asker", "Judge", "Opinion", "check_asker", "count_votes", "nothing"]

DEFAULT_CACHE = "default"
LONGEST_SAID = 300
MOST_MONEY = 1_000_000


class Judge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A further judge of a panel; what it leaves out is as for the first one."""

    model: str
    endpoint: str = ""
    key_from: str | None = None
    price_read: float | None = None
    price_written: float | None = None


class Opinion(msgspec.Struct, frozen=True):
    """What one judge, by its place among the judges, says to one question."""

    place: int
    model: str
    usage: Usage

    def data(self) -> dict[str, Any]:
        """Return it as details of a score."""
        reply, cost = self.usage.reply, self.usage.cost
        return {
            "model": self.model, "label": self.usage.label, "said": reply.text.strip()[-LONGEST_SAID:],
            "cached": self.usage.cached, "tries": self.usage.tries, "tokens": cost.tokens, "cost": cost.nanos / 1e9,
        }  # fmt: skip


@dataclass
class Asker:
    """The options that all rewards which ask a judge share.

    Options:
        model: The judge's name at the endpoint.
        endpoint: The address of the API, up to and with `/v1`.
        key_from: The environment variable that holds the key. A key itself must never stand in a stack.
        panel: Further judges, tables of `model` and perhaps `endpoint`, `key_from`, `price_read`, `price_written`.
        quorum: How many judges must answer; 0 for all of them.
        output: "schema" (structured output), "text", or "auto": structured until the server refuses it.
        temperature: Of the judge's sampling; below 0 it is not sent, for models that take none.
        max_tokens: The most a judge may write; a reply that is cut off is no verdict.
        parameters: Further parameters of the request, such as `{ seed = 1 }`.
        orders: "refuse" replies that speak to their judge, or "judge" them like any other.
        tries: Tries for one verdict; 429, 5xx, time-outs and unreadable replies are tried again.
        seconds: Wall time of one try.
        at_once: Calls to the endpoint at one time, all ranks and terms together: the smallest number counts.
        per_minute: Calls to the endpoint in a minute, all ranks together; 0 for no limit.
        price_read: Price of a million tokens read, for `budget_money` and reports.
        price_written: Price of a million tokens written.
        budget_file: A file in which all ranks count what was spent; needed for a budget, deleting it starts anew.
        budget_tokens: The most tokens to spend; a call that could pass it is not made.
        budget_money: The most money to spend, likewise.
        cache: The file that keeps verdicts; empty for none. By default in the user's folder for caches.
        log: A file to which every try is appended as a line of JSON.
    """

    model: str
    endpoint: str = "http://localhost:8000/v1"
    key_from: str = ""
    panel: tuple[Judge, ...] = ()
    quorum: Annotated[int, Meta(ge=0)] = 0
    output: Literal["auto", "text", "schema"] = "auto"
    temperature: float = 0.0
    max_tokens: Annotated[int, Meta(ge=1)] = 1024
    parameters: dict[str, Any] | None = None
    orders: Literal["refuse", "judge"] = "refuse"
    tries: Annotated[int, Meta(ge=1)] = 8
    seconds: Annotated[float, Meta(gt=0)] = 60.0
    at_once: Annotated[int, Meta(ge=1)] = 32
    per_minute: Annotated[float, Meta(ge=0)] = 0.0
    price_read: Annotated[float, Meta(ge=0)] = 0.0
    price_written: Annotated[float, Meta(ge=0)] = 0.0
    budget_file: str = ""
    budget_tokens: Annotated[int, Meta(ge=0)] | None = None
    budget_money: Annotated[float, Meta(ge=0)] | None = None
    cache: str = DEFAULT_CACHE
    log: str = ""

    def __post_init__(self) -> None:
        self.judges = (Judge(self.model), *self.panel)

    def refusal(self, completion: str, reference: str = "", labels: Sequence[str] = ()) -> tuple[str, str]:
        """Return the reply that a completion gives, and the reason why no judge need see it (empty: it must)."""
        visible = visible_text(completion)
        reply = visible.text.strip()
        fault = empty_reason(visible) or find_nothing(reply, reference)
        own = [label for label in labels if label not in reference]  # a reply may say what the reference says
        if not fault and self.orders == "refuse" and (order := find_order(reply, own)):
            fault = f"the reply addresses its judge ({order})"
        return reply, fault

    def care(self, judge: Judge) -> Care:
        """Return how a judge is asked."""
        prices = (self.price_read, self.price_written)
        own = (judge.price_read, judge.price_written)
        read, written = (mine if its is None else its for mine, its in zip(prices, own, strict=True))
        path = default_path() if self.cache == DEFAULT_CACHE else Path(self.cache) if self.cache else None
        return Care(
            self.key_from if judge.key_from is None else judge.key_from, self.tries, self.seconds, self.at_once,
            self.per_minute, read, written, path,
            Path(self.log) if self.log else None, Path(self.budget_file) if self.budget_file else None,
            Limits(self.budget_tokens, self.budget_money),
        )  # fmt: skip

    async def ask(self, place: int, messages: Sequence[dict[str, str]], labels: Sequence[str]) -> Opinion:
        """Return what one judge says; structured output where its server has it, and no more once it refused."""
        judge = self.judges[place]
        url = judge.endpoint or self.endpoint
        plain: dict[str, Any] = dict(self.parameters or {})
        if "max_completion_tokens" not in plain:  # its successor, which some models take alone
            plain["max_tokens"] = self.max_tokens
        if self.temperature >= 0:
            plain["temperature"] = self.temperature
        care, endpoint = self.care(judge), endpoint_at(url)

        def request(parameters: dict[str, Any]) -> Request:
            return Request(url, judge.model, tuple(messages), parameters)

        async def put(parameters: dict[str, Any]) -> Opinion:
            usage = await exchange(request(parameters), care, lambda reply: read_verdict(reply, labels))
            return Opinion(place, judge.model, usage)

        if self.output == "text" or (self.output == "auto" and endpoint.plain_text):
            return await put(plain)
        if self.output == "auto" and await is_kept(request(plain), care):
            return await put(
                plain
            )  # asked in words by an earlier run: trying the schema anew would cost a call
        try:
            return await put({**plain, "response_format": schema_of(labels)})
        except Refused as error:
            if self.output == "schema":
                raise EndpointError(
                    f'the endpoint {url} does not take structured output: {error}; set output = "text"'
                ) from error
        opinion = await put(plain)
        endpoint.plain_text = (
            True  # not before: what was refused may have been this question, whatever its form
        )
        return opinion

    async def ask_all(self, messages: Sequence[dict[str, str]], labels: Sequence[str]) -> list[Opinion]:
        """Return what the judges say: all of them, or `quorum` where that many are enough.

        Raises the first judge's error where fewer answered; the budget's always.
        """
        asked = (self.ask(place, messages, labels) for place in range(len(self.judges)))
        found = await asyncio.gather(*asked, return_exceptions=True)
        opinions = [each for each in found if isinstance(each, Opinion)]
        errors = [each for each in found if isinstance(each, BaseException)]
        spent = [error for error in errors if isinstance(error, BudgetSpent)]
        if errors and (spent or len(opinions) < (self.quorum or len(self.judges))):
            raise (spent or errors)[0]
        return opinions


def count_votes(values: Sequence[tuple[str, float]], rule: str) -> tuple[float, str]:
    """Return the value that labels with their values come to, and how: their mean, or that of the most frequent."""
    if rule == "mean" or len(values) == 1:
        return sum(value for _, value in values) / len(values), ", ".join(label for label, _ in values)
    counts = Counter(label for label, _ in values)
    most = max(counts.values())
    winners = {label: value for label, value in values if counts[label] == most}
    shown = ", ".join(f"{count} {label}" for label, count in counts.most_common())
    return sum(winners.values()) / len(winners), shown


def nothing(low: float, reason: str) -> Score:
    """Return the score of a reply that no judge was asked about."""
    return Score(low, reason=reason, details={"asked": False})


def check_asker(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for options of judges that do not go together."""
    check_endpoint(options["endpoint"])
    check_variable(options["key_from"])
    for judge in options["panel"]:
        if judge.endpoint:
            check_endpoint(judge.endpoint)
        check_variable(judge.key_from or "")
    if options["quorum"] > 1 + len(options["panel"]):
        raise ValueError(f"quorum = {options['quorum']}, but there are {1 + len(options['panel'])} judges")
    limited = options["budget_tokens"] is not None or options["budget_money"] is not None
    if limited and not options["budget_file"]:
        raise ValueError(
            "a budget needs budget_file, which all ranks share and which remembers what was spent: deleting it starts anew"
        )
    if options["budget_file"] and not limited:
        raise ValueError("budget_file without budget_tokens or budget_money limits nothing")
    if options["budget_money"] is not None and not options["price_read"] + options["price_written"]:
        raise ValueError("budget_money needs price_read and price_written, the prices of a million tokens")
    prices = [options["price_read"], options["price_written"], options["budget_money"] or 0.0]
    prices += [
        price
        for judge in options["panel"]
        for price in (judge.price_read, judge.price_written)
        if price is not None
    ]
    if not all(0 <= price <= MOST_MONEY for price in prices):
        raise ValueError(f"prices and budget_money are amounts from 0 to {MOST_MONEY:,}")
    taken = {"model", "messages", "stream", "n", "max_tokens", "temperature", "response_format", "best_of"}
    if clash := sorted(taken & set(options["parameters"] or {})):
        raise ValueError(
            f"parameters must not hold {clash[0]!r}: it is set otherwise, or would change what comes back"
        )
    secrets = {
        value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN")) and len(value) > 15
    }
    if secrets & {value for value in (options["parameters"] or {}).values() if isinstance(value, str)}:
        raise ValueError("parameters hold a secret of the environment; keys are read by key_from alone")
