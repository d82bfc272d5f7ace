"""Budgeted and Non-budgeted Causal Bandits (Nair, Patil & Sinha, AISTATS 2021).

The reproduction has four experiments, four theorems and eighteen claims. DEVIATIONS says what is done here where the
paper is silent or contradicts itself.
"""

from __future__ import annotations

from ...studies.study import Paper
from .experiments import EXPERIMENTS
from .settings import BUDGET_2B, BUDGETS_3
from .theorems import THEOREMS

DEVIATIONS = [
    "The radius of CRM-NB-ALG has the constant 8 in the paper's algorithm and 2 in its proof; F-KUBE's is 2. "
    "Both policies are run with both constants. The library's default is 2.",
    "m(p) jumps at the paper's own instance: m = 2 at p_i = 1/2 exactly, and 3 for nearly every estimate. "
    "So γ-NB-ALG changes to watching at a lower γ than the threshold of the theory. The formula is run as written.",
    f"The paper does not give the budget of Experiment 2b; here it is {BUDGET_2B:,}, the last budget of part a. "
    f"Nor does it give the budgets of Experiment 3; here they go to {BUDGETS_3[-1]:,} in steps of {BUDGETS_3.step:,}. "
    "Nor does it give the grids of Experiments 1 and 2; ours are in the tables.",
    "Experiment 4's reward is Y = 0.25 W1 + 0.25 W2 + noise. The text says X1, X2, but only W1, W2 give the paper's "
    "table of expected rewards. The noise has standard deviation 0.01.",
    "Cumulative regret with a budget is measured against the exact optimum G_B of the integer knapsack, not its "
    "upper bound B μ* / γ.",
    "Ties (within 1e-12) are broken at random. In Experiment 1 several arms reach an empirical mean of exactly 1, and "
    "taking the first of them would favour X_1, the true best.",
    "Numbers of pulls are rounded down to whole pulls, and money that cannot be spent is left over. An arm without a "
    "sample is never recommended while another arm has one.",
    "In round t an index uses the estimates after t − 1 rounds and log(t − 1); line 4 of CRM-NB-ALG uses log t. "
    "C-UCB has δ = 1 / T² and is run anew for every horizon.",
    "We add Greedy, the random tables, the estimated threshold, the shares of runs that watched, and the constant 8 "
    "for F-KUBE.",
    "Theorem 3's statement has p / (3 d_0²) and a + 1 where its proof has p / (9 d_0²) and no + 1. We use the proof's. "
    "Theorem 4's L_1 and L_2 are read as the least t from which on their conditions hold, as the proof needs; the "
    "statement's least t at all can be 1. One step in the proof of Theorem 3 does not hold (see there).",
    "The words of the claims become tests as follows. Much better: less than half the mean. Close: within 0.02. "
    "Does not depend: within 0.02 of the average over the axis, at every value. "
    "Constant: a growth below 5 % over the second half of the axis. "
    "Small (E3e): below 1 % of the best possible reward. "
    "E4a is judged horizon by horizon. Its verdict is “depends” if it holds at some horizons and fails at others.",
    "The tests are t-tests. Where a policy fails in very few runs, these tests are too confident. At a failure rate of "
    "0.4 % and 1,000 runs, a test at level 5 % errs in about 12 % of the cases; at 2 %, in about 7 %. "
    "Bands are mean ± 1.96 standard errors.",
]

PAPER = Paper(
    id="nair2021",
    title="Budgeted and Non-budgeted Causal Bandits",
    reference="Vineet Nair, Vishakha Patil, Gaurav Sinha. AISTATS 2021.",
    parts=[*EXPERIMENTS, *THEOREMS],
    deviations=DEVIATIONS,
    module=__name__,
)
