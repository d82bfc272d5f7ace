"""Ready-made worlds: from the literature, an example of a shop, and random ones for tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import InputError, as_list, check_kind, check_truth, number_of, numbers_of, shown
from .mechanisms import Node, linear, node
from .world import World

__all__ = ["confounded_chain", "marketing", "parallel", "random_world"]


def __dir__() -> list[str]:
    return __all__


def parallel(p: Sequence[float], epsilon: float) -> World:
    """The parallel bandit (Lattimore, Lattimore & Reid 2016): independent causes X_i of Y, P(X_i = 1) = p_i.

    Only X_1 has an effect. The mean of the observation is 1/2:
        P(Y = 1 | X_1 = 1) = 1/2 + epsilon
        P(Y = 1 | X_1 = 0) = 1/2 - p_1 epsilon / (1 - p_1)
    Experiments 1 to 3 of Nair, Patil & Sinha (2021) use 50 causes.
    """
    p, epsilon = numbers_of("The probabilities p", p).tolist(), number_of("epsilon", epsilon)
    if len(p) < 1 or not all(0 < q < 1 for q in p):
        raise InputError(f"The probabilities p must lie strictly between 0 and 1, not {list(p)[:5]}.")
    lower = 0.5 - p[0] * epsilon / (1 - p[0])
    if not (0 <= 0.5 + epsilon <= 1 and 0 <= lower <= 1):
        raise InputError(
            f"With epsilon = {epsilon:g} and p_1 = {p[0]:g} the reward's probabilities leave [0, 1]; "
            "choose a smaller epsilon."
        )
    causes = [node(f"X{i + 1}", {0: 1 - q, 1: q}) for i, q in enumerate(p)]
    parents = [cause.variable.name for cause in causes]
    reward = node("Y", [0, 1], given="X1", table={0: lower, 1: 0.5 + epsilon}, parents=parents)
    return World(
        [*causes, reward],
        reward="Y",
        reference="Lattimore, Lattimore & Reid 2016; Nair, Patil & Sinha 2021, Experiments 1 to 3",
    )


def confounded_chain() -> World:
    """Experiment 4 of Nair, Patil & Sinha (2021): X1 -> X2, X1 -> W1, X2 -> W2, W1 -> Y <- W2.

    The reward is Y = 0.25 W1 + 0.25 W2 + N(0, 0.01), and X2 has a backdoor path to it.
    The paper's text has X1 and X2 in that formula. Its table of expected rewards is right only with W1 and W2.
    """
    return World(
        [
            node("X1", {0: 0.45, 1: 0.55}),
            node("X2", [0, 1], given="X1", table={0: 0.45, 1: 0.55}),
            node("W1", [0, 1], given="X1", table={0: 0.54, 1: 0.46}, intervenable=False),
            node("W2", [0, 1], given="X2", table={0: 0.48, 1: 0.52}, intervenable=False),
            linear("Y", {"W1": 0.25, "W2": 0.25}, noise=0.01),
        ],
        reward="Y",
        reference="Nair, Patil & Sinha 2021, Experiment 4",
    )


def marketing() -> World:
    """The product page from the introduction of Nair, Patil & Sinha (2021), with our own numbers.

    Season is hidden. In the holiday season there are more promotions and more purchases. So Promotion has a backdoor
    path to Purchase, and in observed data promotions look better than they are.
    Large images are rare, and by far the best intervention.
    """
    return World(
        [
            node("Season", {"usual": 0.7, "holiday": 0.3}, hidden=True),
            node("Image", {"small": 0.9, "large": 0.1}),
            node("Description", {"short": 0.6, "long": 0.4}),
            node("Comparison", {"none": 0.75, "competitor": 0.25}),
            node("Promotion", ["no", "yes"], given="Season", table={"usual": 0.1, "holiday": 0.7}),
            node(
                "Reviews",
                ["skipped", "read"],
                given=["Description", "Promotion"],
                table={("short", "no"): 0.6, ("short", "yes"): 0.35, ("long", "no"): 0.4, ("long", "yes"): 0.2},
                intervenable=False,
            ),
            node(
                "Cart",
                ["empty", "filled"],
                given=["Image", "Promotion", "Comparison"],
                table={
                    ("small", "no", "none"): 0.2,
                    ("small", "no", "competitor"): 0.15,
                    ("small", "yes", "none"): 0.3,
                    ("small", "yes", "competitor"): 0.28,
                    ("large", "no", "none"): 0.55,
                    ("large", "no", "competitor"): 0.45,
                    ("large", "yes", "none"): 0.65,
                    ("large", "yes", "competitor"): 0.6,
                },
                intervenable=False,
            ),
            node(
                "Purchase",
                ["no", "yes"],
                given=["Cart", "Reviews", "Season"],
                table={
                    ("empty", "skipped", "usual"): 0.01,
                    ("empty", "skipped", "holiday"): 0.05,
                    ("empty", "read", "usual"): 0.02,
                    ("empty", "read", "holiday"): 0.08,
                    ("filled", "skipped", "usual"): 0.5,
                    ("filled", "skipped", "holiday"): 0.7,
                    ("filled", "read", "usual"): 0.65,
                    ("filled", "read", "holiday"): 0.85,
                },
            ),
        ],
        reward="Purchase",
        success="yes",
        reference="after Nair, Patil & Sinha 2021, section 1",
    )


def random_world(
    rng: np.random.Generator,
    *,
    variables: int = 6,
    values: tuple[int, int] = (2, 3),
    parents: int = 3,
    hidden: int = 0,
    backdoors: bool = True,
    reward: Sequence[str] = ("0", "1"),
) -> World:
    """A random world for tests: a random graph, tables uniform on the simplex, and the reward Y as its last variable.

    `hidden` is the number of hidden variables, `reward` the values of Y. Without `backdoors` only Y has parents.
    Then every arm can be learned by observing.
    """
    check_kind("The rng", rng, np.random.Generator, "a generator such as np.random.default_rng(1)")
    variables, parents = _whole("variables", variables, 1), _whole("parents", parents, 0)
    hidden = _whole("hidden", hidden, 0)
    if hidden > variables:
        raise InputError(f"hidden must be at most {variables}, the number of variables, not {hidden}.")
    sizes = [_whole("values", size, 2) for size in as_list("values", values, "(2, 3)")]
    if len(sizes) != 2 or sizes[0] > sizes[1]:
        raise InputError(f"values must be the fewest and the most values of a variable, as in (2, 3), not {values!r}.")
    check_truth("backdoors", backdoors)
    names = [str(value) for value in as_list("reward", reward, '("0", "1")')]
    nodes: list[Node] = []
    hide = set(rng.choice(variables, size=hidden, replace=False).tolist())
    for i in range(variables):
        count = int(rng.integers(0, min(parents, i) + 1)) if backdoors else 0
        given = [nodes[j].variable.name for j in sorted(rng.choice(i, size=count, replace=False).tolist())]
        size = int(rng.integers(sizes[0], sizes[1] + 1))
        nodes.append(_random_node(rng, f"V{i + 1}", [str(v) for v in range(size)], given, nodes, i in hide))
    given = [
        nodes[j].variable.name
        for j in sorted(rng.choice(variables, size=min(parents, variables), replace=False).tolist())
    ]
    nodes.append(_random_node(rng, "Y", names, given, nodes, False))
    return World(nodes, reward="Y", reference="random")


def _whole(what: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} must be a whole number, at least {least}, not {shown(value)}.")
    return int(value)


def _random_node(
    rng: np.random.Generator, name: str, values: list[str], given: list[str], nodes: list[Node], hidden: bool
) -> Node:
    cards = {n.variable.name: len(n.variable.values) for n in nodes}
    shape = tuple(cards[cause] for cause in given)
    table = rng.dirichlet(np.ones(len(values)), size=math.prod(shape)).reshape(*shape, len(values))
    return node(name, values, given=given, table=table, hidden=hidden)
