"""Recommend a policy for a problem, with the reason in two sentences.

`suited` lists the policies that suit a problem. The first one that accepts the problem is recommended. The last one
accepts every problem. The measurements behind the rule are in docs/policies.md, "Which policy?".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..display.sheets import block
from ..errors import InputError
from ..money import decimal_text
from ..policies.checks import accept
from ..policies.contract import Policy
from ..policies.registry import policy_named
from ..problem import Objective, Problem, checked_objective

WISHES: dict[Objective, str] = {
    "find": "You want to find the best intervention",
    "earn": "You want to earn as much as possible while learning",
}
MOST_CONFIGURATIONS: dict[Objective, int] = {"find": 1, "earn": 4}  # of the reward's parents, per arm
PARAMETERS: dict[tuple[str, Objective], dict[str, Any]] = {  # that differ from the defaults
    ("causal-ucb", "find"): {"per_cost": False},
    ("causal-ucb-learned", "find"): {"per_cost": False},
}
REASONS = {
    "top-two": "top-two uses every round to separate the best arm from its closest rival, in the cheapest way.",
    "causal-kl": (
        "causal-kl plays the arm that could still be the best for its cost, "
        "and observes only while that is the cheaper way to learn."
    ),
    "causal-ts": (
        "causal-ts plays each arm as often as it is likely to be the best for its cost, given the data so far."
    ),
    "causal-ucb-learned": (
        "causal-ucb-learned learns the value of each configuration of these causes, and how often each arm produces it."
    ),
    "causal-ucb": (
        "causal-ucb learns the value of each configuration of these causes, so every round teaches about all arms."
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
        policy = policy_named(kind)(**PARAMETERS.get((kind, wanted), {}))
        try:
            accept(policy, problem)
        except InputError:
            continue
        return RecommendedPolicy(policy, f"{_situation(problem, wanted)} {REASONS[policy.kind]}")
    raise AssertionError("the last policy accepts every problem")


def suited(problem: Problem, objective: Objective) -> tuple[str, ...]:
    """The kinds of policy that suit a problem, the best first. The last one accepts every problem."""
    by_arms = "top-two" if objective == "find" else "causal-kl" if problem.observes else "causal-ts"
    if _prefers_configurations(problem, objective):
        return "causal-ucb", by_arms
    if _has_few_configurations(problem, objective):
        return "causal-ucb-learned", by_arms
    return (by_arms,)


def _prefers_configurations(problem: Problem, objective: Objective) -> bool:
    """Whether it is better to learn about the known configurations of the reward's parents than about the arms.

    It is not if most configurations would never be seen. To find the best arm, it is also not if all arms can be
    learned by observing and there are fewer arms than configurations.
    """
    if problem.parents is None:
        return False
    configurations = int(problem.parents.shape[1])
    if objective == "find" and problem.teaches.all() and configurations > len(problem.arms):
        return False
    return configurations <= problem.exact_budget // min(problem.exact_costs)


def _has_few_configurations(problem: Problem, objective: Objective) -> bool:
    """Whether the reward's parents are visible and have few configurations.

    To earn, few are at most four times as many as there are arms; to find, at most as many.

    To find the best arm where all arms can be learned by observing, all costs must be equal too: top-two then watches
    more.
    """
    parents = problem.graph[problem.reward.variable].parents
    is_visible = bool(parents) and not any(problem.graph[name].hidden for name in parents)
    most = MOST_CONFIGURATIONS[objective] * len(problem.arms)
    if problem.parents is not None or not is_visible or problem.configurations > most:
        return False
    return objective == "earn" or len(set(problem.exact_costs)) == 1 or not problem.teaches.all()


def _situation(problem: Problem, objective: Objective) -> str:
    """The sentence about the problem: the objective, the budget, and the fact that decides."""
    if problem.horizon is None:
        limit = f"with a budget of {decimal_text(problem.exact_budget)}"
    else:
        limit = f"in {_counted(problem.horizon, 'round')}"
    return f'{WISHES[objective]} (objective "{objective}") {limit}; {_deciding_fact(problem, objective)}.'


def _deciding_fact(problem: Problem, objective: Objective) -> str:
    reward = problem.reward.variable
    causes = _counted(len(problem.graph[reward].parents), "cause")
    if _prefers_configurations(problem, objective):
        return f"it is known how each arm changes the {causes} of {reward}"
    if _has_few_configurations(problem, objective):
        return f"every round shows the {causes} of {reward}, with {problem.configurations} configurations"
    fact = _observation_fact(problem)
    if problem.parents is not None:
        fact += f", and {problem.configurations} configurations of the causes of {reward} are too many to learn"
    return fact


def _observation_fact(problem: Problem) -> str:
    """How many interventions can be learned by observing, and the costs if there is a budget."""
    costs = sorted(problem.exact_costs[int(problem.observes) :])
    interventions = _counted(len(costs), "intervention")
    low, high = decimal_text(costs[0]), decimal_text(costs[-1])
    price = "" if problem.horizon is not None else f" at {low if low == high else f'{low} to {high}'} each"
    if not problem.observes:
        return f"nothing can be learned by observing, so the policy must try {interventions}{price}"
    learned = int(problem.teaches.sum()) - 1  # without the observation itself
    cost = "" if problem.horizon is not None else f"costs {decimal_text(problem.exact_costs[0])} and "
    return f"observing {cost}teaches about {learned} of {interventions}{price}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
