"""Recommend a policy for a problem, with the reason in two sentences.

`suited` lists the policies that suit a problem. The first one that accepts the problem is recommended. The last one
accepts every problem. The measurements behind the rule are in docs/policies.md, "Which policy?".
"""

from __future__ import annotations

from dataclasses import dataclass

from ..display.sheets import block
from ..errors import InputError
from ..money import decimal_text
from ..policies.checks import accept
from ..policies.columns.factors import factor_tables
from ..policies.contract import Policy
from ..policies.registry import policy_named
from ..problem import Objective, Problem, checked_objective

WISHES: dict[Objective, str] = {
    "find": "You want to find the best intervention",
    "earn": "You want to earn as much as possible while learning",
}
REASONS = {
    "factor-find": (
        "factor-find learns about all interventions from every round, "
        "and uses it to separate the best one from its closest rival, in the cheapest way."
    ),
    "factor-ucb": (
        "factor-ucb learns about all interventions from every round, plays the one that could still be the best "
        "for its cost, and observes only while that is the cheaper way to learn."
    ),
    "causal-ts": (
        "causal-ts plays each arm as often as it is likely to be the best for its cost, given the data so far."
    ),
}


@dataclass(frozen=True)
class RecommendedPolicy:
    """A policy, and why it suits the problem: one sentence about the problem, one about the policy."""

    policy: Policy
    why: str

    def __str__(self) -> str:
        return f"{self.policy.label} is recommended. {self.why}"

    def _repr_html_(self) -> str:
        return block(f"{self.policy.label} is recommended.", self.why)


def recommend_policy(problem: Problem, objective: str | None = None) -> RecommendedPolicy:
    """The policy to choose if you do not know which. `objective` replaces the objective of the problem."""
    if not isinstance(problem, Problem):
        raise InputError(
            f"A policy is recommended for a cb.Problem, not for {problem!r}; "
            "cb.read_problem(path).problem reads one from a file."
        )
    wanted = problem.objective if objective is None else checked_objective(objective)
    for kind in suited(problem, wanted):
        policy = policy_named(kind)()
        try:
            accept(policy, problem)
        except InputError:
            continue
        return RecommendedPolicy(policy, f"{_situation(problem, wanted)} {REASONS[policy.kind]}")
    raise AssertionError("the last policy accepts every problem")


def suited(problem: Problem, objective: Objective) -> tuple[str, ...]:
    """The kinds of policy that suit a problem, the best first. The last one accepts every problem."""
    if objective == "find":
        return ("factor-find",)
    return ("causal-ts",) if _learns_arms_alone(problem) else ("factor-ucb",)


def _learns_arms_alone(problem: Problem) -> bool:
    """Whether each arm is learned from its own rounds alone: nothing is watched, and the tables are too large."""
    return not problem.observes and bool(factor_tables(problem).whole.all())


def _situation(problem: Problem, objective: Objective) -> str:
    """The sentence about the problem: the objective, the budget, and the fact that decides."""
    if problem.horizon is None:
        limit = f"with a budget of {decimal_text(problem.exact_budget)}"
    else:
        limit = f"in {_counted(problem.horizon, 'round')}"
    return f'{WISHES[objective]} (objective "{objective}") {limit}; {_deciding_fact(problem)}.'


def _deciding_fact(problem: Problem) -> str:
    if factor_tables(problem).uses_parents:
        causes = _counted(len(problem.graph[problem.reward.variable].parents), "cause")
        return f"it is known how each arm changes the {causes} of {problem.reward.variable}"
    return _observation_fact(problem)


def _observation_fact(problem: Problem) -> str:
    """How many interventions can be learned by observing, and the costs if there is a budget."""
    costs = sorted(problem.exact_costs[int(problem.observes) :])
    interventions = _counted(len(costs), "intervention")
    low, high = decimal_text(costs[0]), decimal_text(costs[-1])
    price = "" if problem.horizon is not None else f" at {low if low == high else f'{low} to {high}'} each"
    if not problem.observes:
        return f"nothing can be learned by observing, so the policy must try {interventions}{price}"
    whole = factor_tables(problem).whole
    learned = [
        problem.teaches[a] if whole[a] else entry.learned == "by watching" for a, entry in enumerate(problem.teaching())
    ]
    cost = "" if problem.horizon is not None else f"costs {decimal_text(problem.exact_costs[0])} and "
    return f"observing {cost}teaches all about {sum(learned) - 1} of {interventions}{price}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
