"""`code.static`: what can be said of a program without running it. It shapes a reward; it is no security boundary."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardstack import Score, import_extra, reward
from rewardstack_code.checks import CHECKS, Asked, Finding, Wanted
from rewardstack_code.running import Reading
from rewardstack_code.syntax import parse
from rewardstack_code.tasks import test_texts

__all__ = ["static"]

MOST_FINDINGS = 20


@reward(isolated=True, timeout=10.0, check=lambda options: check_weights(options["weights"]))
@dataclass
class static(Asked, Reading):  # noqa: N801 - the name of the reward
    """1 when the code parses and every check finds nothing; each check that does takes its weight off.

    Checks: `entry_point` (the column is defined), `signature` (it takes as many arguments as the column `parameters`
    lists), `imports`, `calls`, `names`, `nodes` (forbidden and required ones), `tricks` (eval, frames, `__subclasses__`),
    `hard_coding` (values of the column `tests` in comparisons), `complexity`, `length`, and, when given a weight,
    `copy` (too like the column `reference`) and `policy` (RestrictedPython). Code that does not parse is worth 0.

    Options:
        weights: Weights of checks, over the defaults; 0 leaves a check out.
        forbidden_imports: Modules, with all below them.
        required_imports: Modules that must be imported.
        forbidden_calls: Functions as written (`os.system`), with wildcards (`os.*`).
        required_calls: The same, of which each must be called.
        forbidden_names: Names that must not be used.
        required_names: Names of which each must be used.
        forbidden_nodes: Kinds of syntax as in Python's `ast` (`For`, `Lambda`).
        required_nodes: The same, of which each must be used.
        complexity: Branches a function may have (McCabe).
        lines: Lines a program may have.
        similarity: How like the reference a program may be, 0 to 1.
        where: Where the code is: "any", "fence", "tag" or "text".
        tag: The tag that holds answers.

    Range: 0 to 1. Runs in a worker process. It shapes reward and is no security boundary: what it forbids can be
    written in a hundred other ways, and only the sandbox holds. Python only.
    """

    weights: dict[str, float] = field(default_factory=dict)

    def __call__(
        self,
        completion: str,
        *,
        entry_point: str | None = None,
        parameters: list[str] | None = None,
        tests: Any = None,
        reference: str | None = None,
        prompt_code: str | None = None,
    ) -> Score:
        """Score a completion."""
        code = self.find(completion)
        if code.text is None:
            return Score(0.0, code.reason)
        program = parse(f"{prompt_code}\n{code.text}" if prompt_code else code.text)
        if program.tree is None:
            finding = {"check": "parses", "line": program.line, "text": program.reason}
            return Score(0.0, program.reason, {"findings": [finding]})
        texts = test_texts(tests)
        wanted = Wanted(
            asked=self,
            source=program.source,
            entry_point=entry_point,
            parameters=None if parameters is None else tuple(parameters),
            tests=texts if isinstance(texts, str) else "\n".join(texts),
            reference=parse(reference).tree if reference else None,
        )
        chosen = {name: self.weights.get(name, default) for name, (_, default) in CHECKS.items()}
        found = {
            name: list(CHECKS[name][0](program.tree, wanted)) for name, weight in chosen.items() if weight > 0
        }
        return summarize(found, chosen)


def check_weights(weights: Mapping[str, float]) -> None:
    """Check that weights are of checks that there are, and are not negative; `ValueError` otherwise.

    What a check needs must be there when the stack is loaded, not at its first row.
    """
    if weights.get("policy"):
        import_extra("RestrictedPython", "code", "the check 'policy' of code.static")
    for name, weight in weights.items():
        if name not in CHECKS:
            raise ValueError(f"weights: there is no check {name!r}, only {', '.join(CHECKS)}")
        if weight < 0:
            raise ValueError(f"weights: {name} must not be below 0, is {weight}")


def summarize(found: dict[str, list[Finding]], weights: dict[str, float]) -> Score:
    """Return the score of what the checks found."""
    total = sum(weights[name] for name in found)
    lost = sum(weights[name] for name, findings in found.items() if findings)
    listed = [
        {"check": name, "line": finding.line, "text": finding.text}
        for name, findings in found.items()
        for finding in findings
    ]
    first = next((f"{one['check']}: {one['text']}" for one in listed), "every check passed")
    more = f" (and {len(listed) - 1} more)" if len(listed) > 1 else ""
    value = 1 - lost / total if total else 1.0
    return Score(max(0.0, value), f"{first}{more}", {"findings": listed[:MOST_FINDINGS]})
