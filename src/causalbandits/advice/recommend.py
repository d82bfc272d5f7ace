"""Which policy to take, from the problem alone, and why in two sentences.

The rule is `suited`; the first of its policies that accepts the problem is recommended. The last one accepts every problem, so there always is one.
The figures behind it are in docs/policies.md, "Which policy?".
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InputError
from ..money import UNIT, decimal_text
from ..policies.checks import accept
from ..policies.contract import Policy
from ..policies.registry import policy_named
from ..problem import Objective, Problem, checked_objective

GOAL: dict[Objective, str] = {
    "find": "You want to find the best intervention",
    "earn": "You want to earn as much as possible while learning",
}
DOES = {
    "top-two": "top-two gives every round to telling the best arm from its closest rival, by the cheapest way that the problem leaves it.",
    "causal-kl": "causal-kl plays the arm that could still be the best for its price, and watches only as long as that is the cheaper way to learn.",
    "causal-ts": "causal-ts plays each arm as often as it is likely to be the best for its price, by the data so far.",
    "causal-ucb-learned": "causal-ucb-learned learns what each configuration of these causes is worth, and how often each arm brings it about.",
    "causal-ucb": "causal-ucb learns what each configuration of these causes is worth, and what one arm shows of them counts for all arms.",
}


@dataclass(frozen=True)
class RecommendedPolicy:
    """A policy, ready to be played, and why it suits the problem: a sentence about the problem, and one about the policy."""

    policy: Policy
    why: str

    def __str__(self) -> str:
        return f"{self.policy.label} is recommended. {self.why}"


def recommend_policy(problem: Problem, objective: str | None = None) -> RecommendedPolicy:
    """The policy to take if you do not know which: for the problem's objective, or for another one."""
    if not isinstance(problem, Problem):
        raise InputError(
            f"A policy is recommended for a cb.Problem, not for {problem!r}; cb.read_problem(path).problem reads one from a file."
        )
    aim = problem.objective if objective is None else checked_objective(objective)
    for kind in suited(problem, aim):
        policy = policy_named(kind)()
        try:
            accept(policy, problem)
        except InputError:
            continue
        return RecommendedPolicy(policy, f"{_told(problem, aim)} {DOES[policy.kind]}")
    raise AssertionError("the last policy accepts every problem")


def suited(problem: Problem, objective: Objective) -> tuple[str, ...]:
    """The kinds of policy that suit a problem, the best first; the last one accepts every problem."""
    by_arms = "top-two" if objective == "find" else "causal-kl" if problem.observes else "causal-ts"
    if _pools(problem, objective):
        return "causal-ucb", by_arms
    return ("causal-ucb-learned", by_arms) if _are_few(problem, objective) else (by_arms,)


def _pools(problem: Problem, objective: Objective) -> bool:
    """Whether learning about the configurations of the reward's parents beats learning about the arms.

    Not where most configurations would never be seen; nor, to find, where watching tells about all arms and these are fewer.
    """
    if problem.parents is None:
        return False
    configurations = int(problem.parents.shape[1])
    if objective == "find" and problem.teaches.all() and configurations > len(problem.arms):
        return False
    return configurations <= problem.budget // min(problem.costs)


def _are_few(problem: Problem, objective: Objective) -> bool:
    """Whether the reward's parents can be seen and have no more configurations than there are arms, so that they are the less to learn about.

    To find, only at one price: what is best for its price is not what is best.
    """
    parents = problem.graph[problem.reward.variable].parents
    is_seen = bool(parents) and not any(problem.graph[name].hidden for name in parents)
    if problem.parents is not None or not is_seen or problem.configurations > len(problem.arms):
        return False
    return objective == "earn" or len(set(problem.costs)) == 1


def _told(problem: Problem, objective: Objective) -> str:
    """The problem in a sentence, as far as it matters here."""
    is_paid = problem.horizon is None
    money = (
        f"with a budget of {decimal_text(problem.budget)}" if is_paid else f"in {_counted(problem.budget // UNIT, 'round')}"
    )
    prices = sorted(problem.costs[int(problem.observes) :])
    price = decimal_text(prices[0]) if prices[0] == prices[-1] else f"{decimal_text(prices[0])} to {decimal_text(prices[-1])}"
    number, shown = len(prices), int(problem.teaches.sum()) - problem.observes
    if problem.observes:
        ways = f"watching {f'costs {decimal_text(problem.costs[0])} and ' if is_paid else ''}tells about {shown} of {_counted(number, 'intervention')}"
        ways += (f" at {price} each" if is_paid else "") + (
            ", for backdoor paths hide the others from it" if shown < number else ""
        )
    else:
        ways = f"nothing can be watched, so that {_counted(number, 'intervention')}{f' at {price} each' if is_paid else ''} must be tried"
    revealed = ""
    if problem.parents is not None:
        causes = _counted(len(problem.graph[problem.reward.variable].parents), "cause")
        revealed = f", and how each arm moves the {causes} of {problem.reward.variable} is revealed"
        revealed += (
            ""
            if _pools(problem, objective)
            else f", but {problem.parents.shape[1]} configurations of them are too many to learn about"
        )
    elif _are_few(problem, objective):
        causes = _counted(len(problem.graph[problem.reward.variable].parents), "cause")
        revealed = f", and every round shows the {causes} of {problem.reward.variable}, {problem.configurations} configurations in all"
    return f'{GOAL[objective]} (objective "{objective}") {money}; {ways}{revealed}.'


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
