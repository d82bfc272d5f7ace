"""Finding the best intervention: top-two against OBS-ALG, PB-ALG and γ-NB-ALG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..papers.nair2021 import paper as nair
from ..policies.top_two import TopTwo
from ..studies.claims import Claim, Every, Never
from ..studies.contrasts import Better, Curve
from ..studies.study import SIMPLE, Curves, Figure, Line, Panel, Part, Study
from .worlds import AXIS, NUMBERS, random_world, shows_worlds, worlds_claims

TOP_TWO = TopTwo()
FIND = [nair.OBS, nair.PB, nair.GAMMA_NB]  # the paper's for simple regret
RUNS = 2000
ENOUGH = 0.01  # a simple regret above this is worth lowering


def knowing(budget: float) -> float:
    """The simple regret in Experiment 2a of one who knows that X_1 = 1 or X_2 = 1 is the best arm, with which means, and watches: the more likely
    of the two is the best answer. No policy that treats the variables alike and only watches can do better; a pull costs as much as 60
    observations, which show each of the two 1.2 times.

    The likelihoods depend on by how much successes and failures of the one outnumber the other's: a walk on a lattice, by Fourier transform.
    """
    world, _ = nair.world_2a(budget)
    good, usual = world.mean("do(X1=1)"), world.mean("do(X2=1)")
    p, size = nair.RARE, 512  # the walk stays within 256
    one, other = np.zeros((size, size)), np.zeros((size, size))
    one[0, 0], one[1, 0], one[0, 1] = 1 - p, p * good, p * (1 - good)
    other[0, 0], other[-1, 0], other[0, -1] = 1 - p, p * usual, p * (1 - usual)
    chances = np.fft.ifft2((np.fft.fft2(one) * np.fft.fft2(other)) ** int(budget)).real
    steps = np.fft.fftfreq(size, 1 / size)
    likelihood = steps[:, None] * math.log(good / usual) + steps[None, :] * math.log((1 - good) / (1 - usual))
    return float((good - usual) * (chances[likelihood < -1e-9].sum() + chances[abs(likelihood) <= 1e-9].sum() / 2))


def find(part: Part, study: str, letter: str, lines: Sequence[Line] = (), room: bool = True) -> Part:
    """An experiment of the paper with top-two beside all of its policies for simple regret; `room` whether γ-NB-ALG leaves any."""
    theirs = part.studies[0]
    one, others = Curve(study, TOP_TWO.label), [Curve(study, policy.label) for policy in FIND]
    as_good = Claim(
        f"{letter}1",
        "At no point does top-two have a larger simple regret than OBS-ALG, PB-ALG or γ-NB-ALG.",
        Never([Better(one, other) for other in others]),
    )
    much_better = Claim(
        f"{letter}2",
        f"Where γ-NB-ALG's is above {ENOUGH:g}, top-two's is at most 0.7 of it.",
        Every([Better(one, Curve(study, nair.GAMMA_NB.label), 0.7, above=ENOUGH)]),
    )
    return Part(
        id=part.id,
        title=f"{part.title.split(':')[0]}: finding the best intervention",
        question="Is one policy as good as the best of three, wherever they are good?",
        studies=[replace(theirs, policies=[*FIND, TOP_TWO], runs=RUNS, measures=[SIMPLE])],
        figures=[
            Figure(
                study,
                f"Simple regret; the setting is that of the paper's Figure {part.id}.",
                [Panel(study, lines=lines, log="y" if lines else "")],
            )
        ],
        shows=lambda data: shows_find(data[study], lines),
        claims=[as_good, *([much_better] if room else [])],
    )


def shows_find(curves: Curves, lines: Sequence[Line]) -> list[str]:
    means = {policy.label: curves.means(policy.label) for policy in (*FIND, TOP_TWO)}
    best = np.min([means[policy.label] for policy in FIND], axis=0)
    ours, theirs = means[TOP_TWO.label], means[nair.GAMMA_NB.label]
    high = theirs > ENOUGH
    told = "; ".join(f"{label}: {values.mean():.4f}" for label, values in means.items())
    shares = ""
    if high.any():
        ratios = ours[high] / theirs[high]
        said = f"{np.median(ratios):.2f} in the middle and {ratios.max():.2f} at most"
        shares = f"Of γ-NB-ALG's, where that is above {ENOUGH:g}, top-two has a share of {said}. "
    worst = int(np.argmax(ours - best))
    limits = [
        f"Where γ-NB-ALG's is above {ENOUGH:g}, 0.7 of it is {_four(0.7 * theirs[high])}; top-two has {_four(ours[high])}, "
        f"and one who {line.label} (and their means) "
        f"{_four([line.of(x) for x in curves.x[high]])}."
        for line in lines
    ]
    return [
        f"Mean simple regret over all points. {told}.",
        f"{shares}Against the best of the three it is worst at "
        f"{curves.study.name_of(curves.study.values[worst])}: {ours[worst]:.4f} against {best[worst]:.4f}.",
        *limits,
    ]


def _four(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:.4f}" for number in numbers)


ONE, TWO_A, TWO_B = (
    find(nair.ONE, "1", "A"),
    find(nair.TWO_A, "2a", "B", [Line("knows the two rare arms", knowing)]),
    find(nair.TWO_B, "2b", "C", room=False),
)

# Random worlds

WORLDS = Part(
    id="worlds-find",
    title="Finding in random worlds",
    question="Does it hold in worlds that nobody chose?",
    studies=[
        Study("worlds-find", AXIS, NUMBERS, random_world, [*FIND, TOP_TWO], runs=200, measures=[SIMPLE], rank=True)
    ],
    figures=[
        Figure(
            "worlds-find",
            f"Simple regret in {len(NUMBERS)} random no-backdoor worlds; in the order of each policy's.",
            [Panel("worlds-find")],
        ),
    ],
    shows=shows_worlds("worlds-find", [TOP_TWO.label], "Simple regret"),
    claims=worlds_claims("worlds-find", TOP_TWO.label, [policy.label for policy in FIND], "WT", "simple regret"),
)
