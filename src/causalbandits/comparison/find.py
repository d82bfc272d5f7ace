"""Finding the best intervention: top-two and factor-find against OBS-ALG, PB-ALG and γ-NB-ALG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..papers.nair2021 import simple_regret as nair2021
from ..papers.nair2021.settings import GAMMA_NB, LATE_BUDGET_2B, OBS, PB, RARE, setting_2a
from ..policies.factor_find import FactorFind
from ..policies.top_two import TopTwo
from ..studies.claims import Claim, Every, NotShown, Within
from ..studies.contrasts import Better, Curve, NotMuchWorse, OnAverage
from ..studies.study import SIMPLE_REGRET, Curves, Figure, Line, Panel, Part, Study
from .worlds import (
    AXIS,
    FACTOR,
    MARGIN,
    NUMBERS,
    SMALL_SLACK,
    as_good_claims,
    describe_worlds,
    random_world,
    worlds_claims,
)

TOP_TWO, FACTOR_FIND = TopTwo(), FactorFind()
THEIRS = [OBS, PB, GAMMA_NB]  # the paper's policies for simple regret
RUNS = 2000
GRIDS: dict[str, Sequence[float]] = {  # coarser than the paper's: every point has five policies and twice the runs
    "1": [i / 50 for i in range(1, 16)],
    "2a": range(200, 3001, 200),
    "2b": (1, *range(5, 76, 5)),
}
LARGEST_DIFFERENCE = 0.02  # "not worse" means: by less than this
NOTHING = 0.002  # where top-two's simple regret is next to 0, so small a difference does not count
LARGE_REGRET = 0.01  # a simple regret above this is worth lowering


def regret_of_best_observer(budget: float) -> float:
    """The simple regret in Experiment 2a of an observer who knows the two rare arms and both means.

    The observer knows that X_1 = 1 or X_2 = 1 is the best arm, watches only, and names the more likely one. No policy
    that only watches and treats the variables alike can do better. See docs/policies/top-two.md.
    """
    # The likelihoods depend on the differences of successes and of failures between the two arms. These differences
    # are a random walk on a lattice, and its distribution comes from a Fourier transform.
    world, _ = setting_2a(budget)
    good, usual = world.mean("do(X1=1)"), world.mean("do(X2=1)")
    p, size = RARE, 512  # the walk stays within 256
    one, other = np.zeros((size, size)), np.zeros((size, size))
    one[0, 0], one[1, 0], one[0, 1] = 1 - p, p * good, p * (1 - good)
    other[0, 0], other[-1, 0], other[0, -1] = 1 - p, p * usual, p * (1 - usual)
    probabilities = np.fft.ifft2((np.fft.fft2(one) * np.fft.fft2(other)) ** int(budget)).real
    steps = np.fft.fftfreq(size, 1 / size)
    likelihood = steps[:, None] * math.log(good / usual) + steps[None, :] * math.log((1 - good) / (1 - usual))
    wrong, tied = likelihood < -1e-9, abs(likelihood) <= 1e-9
    return float((good - usual) * (probabilities[wrong].sum() + probabilities[tied].sum() / 2))


def find(
    part: Part, setting: Study, prefix: str, lines: Sequence[Line] = (), can_improve: bool = True, note: str = ""
) -> Part:
    """An experiment of the paper with top-two and factor-find beside the paper's policies for simple regret.

    `setting` is the paper's study whose setting is taken. `can_improve` adds the claim that top-two is much better than
    γ-NB-ALG. Where it cannot, top-two's simple regret is next to 0.
    """
    study = part.id
    one, others = Curve(study, TOP_TWO.label), [Curve(study, policy.label) for policy in THEIRS]
    as_good = Claim(
        f"{prefix}1",
        f"At no point is top-two's simple regret {LARGEST_DIFFERENCE:g} or more above that of OBS-ALG, PB-ALG or "
        "γ-NB-ALG.",
        Within([Better(one, other, slack=LARGEST_DIFFERENCE) for other in others]),
    )
    much_better = Claim(
        f"{prefix}2",
        f"Where γ-NB-ALG's simple regret is above {LARGE_REGRET:g}, top-two's is at most 0.7 of it.",
        Every([Better(one, Curve(study, GAMMA_NB.label), 0.7, above=LARGE_REGRET)]),
    )
    factors = Curve(study, FACTOR_FIND.label)
    slack, give_or_take = (0.0, "") if can_improve else (NOTHING, f", give or take {NOTHING:g}")
    as_good_as_top_two = [
        Claim(
            f"{prefix}3",
            f"On average over these points factor-find's simple regret is at most {MARGIN:g} times top-two's"
            f"{give_or_take}.",
            Every([OnAverage(factors, one, MARGIN, slack=slack)]),
        ),
        Claim(
            f"{prefix}4",
            f"At no point is it shown that factor-find's simple regret is both more than {FACTOR:g} times top-two's "
            f"and more than {SMALL_SLACK:g} above it (3 standard errors).",
            NotShown([NotMuchWorse(factors, [one], FACTOR, SMALL_SLACK)]),
        ),
    ]
    return Part(
        id=part.id,
        title=f"{part.title.split(':')[0]}: finding the best intervention",
        question="Is one policy as good as the best of three, wherever they are good?",
        studies=[
            replace(
                setting,
                id=study,
                values=GRIDS[study],
                policies=[*THEIRS, TOP_TWO, FACTOR_FIND],
                runs=RUNS,
                measures=[SIMPLE_REGRET],
            )
        ],
        figures=[
            Figure(
                study,
                f"Simple regret in the setting of the paper's Experiment {part.id}{note}.",
                [Panel(study, lines=lines, log="y" if lines else "")],
            )
        ],
        describe=lambda data: describe_find(data[study], lines),
        claims=[as_good, *([much_better] if can_improve else []), *as_good_as_top_two],
    )


def describe_find(curves: Curves, lines: Sequence[Line]) -> list[str]:
    means = {policy.label: curves.means(policy.label) for policy in (*THEIRS, TOP_TWO, FACTOR_FIND)}
    best = np.min([means[policy.label] for policy in THEIRS], axis=0)
    ours, gamma_nb = means[TOP_TWO.label], means[GAMMA_NB.label]
    is_large = gamma_nb > LARGE_REGRET
    averages = "; ".join(f"{label}: {values.mean():.4f}" for label, values in means.items())
    shares = ""
    if is_large.any():
        ratios = ours[is_large] / gamma_nb[is_large]
        shares = (
            f"Where γ-NB-ALG's regret is above {LARGE_REGRET:g}, the median of top-two's share of it is "
            f"{np.median(ratios):.2f}, and the largest is {ratios.max():.2f}. "
        )
    worst = int(np.argmax(ours - best))
    limits = [
        f"Where γ-NB-ALG's is above {LARGE_REGRET:g}, 0.7 of it is {_four_digits(0.7 * gamma_nb[is_large])}. "
        f"top-two has {_four_digits(ours[is_large])}, factor-find {_four_digits(means[FACTOR_FIND.label][is_large])}. "
        f"An observer who {line.label} (and their means) has "
        f"{_four_digits([line.of(x) for x in curves.x[is_large]])}."
        for line in lines
    ]
    return [
        f"Mean simple regret over all points. {averages}.",
        f"{shares}Compared with the best of the three, top-two is worst at "
        f"{curves.study.name_of(curves.study.values[worst])}: {ours[worst]:.4f} against {best[worst]:.4f}.",
        *limits,
    ]


def _four_digits(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:.4f}" for number in numbers)


ONE, TWO_A, TWO_B = (
    find(nair2021.ONE, nair2021.STUDY_1, "A"),
    find(nair2021.TWO_A, nair2021.STUDY_2A, "B", [Line("knows the two rare arms", regret_of_best_observer)]),
    find(nair2021.TWO_B, nair2021.STUDY_2B_LATE, "C", can_improve=False, note=f", with B = {LATE_BUDGET_2B:,}"),
)

# Random worlds

WORLDS = Part(
    id="worlds-find",
    title="Finding in random worlds",
    question="Is it also true in worlds that nobody chose?",
    studies=[
        Study(
            "worlds-find",
            AXIS,
            NUMBERS,
            random_world,
            [*THEIRS, TOP_TWO, FACTOR_FIND],
            runs=200,
            measures=[SIMPLE_REGRET],
            rank=True,
        )
    ],
    figures=[
        Figure(
            "worlds-find",
            f"Simple regret in {len(NUMBERS)} random no-backdoor worlds. "
            "For each policy the worlds are sorted by its regret.",
            [Panel("worlds-find")],
        ),
    ],
    describe=describe_worlds("worlds-find", [TOP_TWO.label, FACTOR_FIND.label], "Simple regret"),
    claims=[
        *(
            claim
            for policy, prefix in ((TOP_TWO, "WT"), (FACTOR_FIND, "WF"))
            for claim in worlds_claims(
                "worlds-find", policy.label, [other.label for other in THEIRS], prefix, "simple regret"
            )
        ),
        *as_good_claims("worlds-find", FACTOR_FIND.label, TOP_TWO.label, "WF", "simple regret", f"{SMALL_SLACK:g}"),
    ],
)
