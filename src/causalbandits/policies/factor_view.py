"""The view and the state of policies that learn from every round, and the base that they share.

The formulas are in policies/maths/factor_means.py and policies/maths/factor_teaching.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.bridge.cache import shared
from ..engine.bridge.record import record
from ..problem import Problem
from .columns import FACTORS
from .columns.factors import FactorTables, factor_tables
from .contract import InBlocks
from .maths.circuit import Circuit
from .maths.own_samples import learn
from .model import model_of
from .view import View, view_of

PARENTS_DIGITS = 12  # probabilities of parents that differ by less are the same


@record
class FactorView(View):
    """The numbers of a problem, and of its factors. Lists of lists are kept as `*_start` offsets into flat arrays."""

    circuit: Circuit
    known: NDArray[np.float64]  # the numbers in the cells behind those that are counted: P(parents), if it was revealed
    sums_from: int  # the first cell of a reward that is not binary, as in `FactorTables`
    row_start: NDArray[np.int64]  # (rows + 1,) the first cell of each row
    factor_start: NDArray[np.int64]  # (factors + 1,) the first row of each factor
    reward_row: int  # the first row of the reward's factors, which come last
    factor_of: NDArray[np.int64]  # (rows,) the factor of each row
    rows: NDArray[np.int64]  # the numbers of all rows
    met_start: NDArray[np.int64]  # (arms + 1,)
    met: NDArray[np.int64]  # the rows that the mean of an arm depends on
    alike: NDArray[np.int64]  # (arms,) the first arm with the same mean: it needs the same tables, in the same rows
    firsts: NDArray[np.int64]  # the arms that are the first with their mean
    place: NDArray[np.int64]  # (arms,) where that arm stands in `firsts`
    home: NDArray[np.int64]  # (arms, factors) the arm whose rounds show the rows as often; -1 if they do not teach it
    homes_start: NDArray[np.int64]  # (arms + 1,)
    homes: NDArray[np.int64]  # each of the arms that `home` names for an arm, once
    whole: NDArray[np.bool_]  # (arms,) whether the arm is learned as a whole


@record
class FactorState:
    """What all rounds showed. Estimates are made from it in every `ask`."""

    rounds: int  # t
    reward: float  # the sum of all rewards
    pulls: np.ndarray  # (arms,) rounds of each arm
    counts: np.ndarray  # (cells,) rounds
    sums: np.ndarray  # (cells of a reward that is not binary,) the sum of rewards
    pulled_sums: np.ndarray  # (arms,) the sum of the rewards of each arm, not of the observation
    watched: np.ndarray  # (arms,) observations that showed what the arm sets, where they teach it; all for arm 0
    watched_sums: np.ndarray  # (arms,) the sum of their rewards
    scratch: np.ndarray  # (arms,) working memory
    scratch_cells: np.ndarray  # (cells,) estimates, and the numbers that are known
    scratch_samples: np.ndarray  # (rows,) k_r
    scratch_prior: np.ndarray  # (rows,) the deviation of the prior's error in a row, for a variance of 1
    scratch_chance_gains: np.ndarray  # (rows,) by how much one more sample of the row lowers E_a, for a variance of 1
    scratch_prior_gains: np.ndarray  # (rows,) the same of C_a
    scratch_values: np.ndarray  # of the circuit
    scratch_adjoints: np.ndarray  # of the circuit
    scratch_gradients: np.ndarray  # (arms, cells)
    scratch_reach: np.ndarray  # (arms, cells) how often a round of the arm shows each row
    scratch_watched: np.ndarray  # (rows,) how often an observation shows and teaches each row
    scratch_by_all: np.ndarray  # (rows,) how often each row is shown if every open arm is pulled once
    scratch_average: np.ndarray  # (cells,) an average of gradients
    scratch_spread: np.ndarray  # (arms, rows) sqrt(v_ar)
    scratch_together: np.ndarray  # (arms, factors) sums over rows, whose squares make C_a
    scratch_gains: np.ndarray  # (arms, 4) see `fill_gains` in maths/factor_teaching.py
    scratch_own_counts: np.ndarray  # (arms,) n_a: the own samples of the arms that are alike
    scratch_own_sums: np.ndarray  # (arms,) the sum of their rewards
    scratch_shown: np.ndarray  # (arms,) those of them that were observations
    scratch_pending: np.ndarray  # (arms,) pending rounds of the arms that are alike
    scratch_own_gains: np.ndarray  # (arms,) by how much one more own sample lowers V_a
    scratch_worth: np.ndarray  # (rows,) what a sample of a row is worth
    scratch_means: np.ndarray  # (arms,) m_a, of rewards scaled to [0, 1]
    scratch_table_variance: np.ndarray  # (arms,) b_a
    scratch_of_chance: np.ndarray  # (arms,) E_a
    scratch_of_prior: np.ndarray  # (arms,) C_a
    scratch_own_share: np.ndarray  # (arms,) w_a
    scratch_variances: np.ndarray  # (arms,) V_a
    scratch_evidence: np.ndarray  # (arms,) as many samples of the arm would tell as much; 0 if nothing is known
    scratch_bounds: np.ndarray  # (arms,) U_a of the arms that are the first with their mean
    scratch_shares: np.ndarray  # (arms,) by how many samples an observation raises the evidence
    scratch_open: np.ndarray  # (arms,) whether the arm may still be the best
    scratch_weights: np.ndarray  # (firsts,) f_a
    scratch_hopeful: np.ndarray  # (firsts,) means of posteriors
    scratch_inverse_sd: np.ndarray  # (firsts,) one by their deviations
    scratch_other: np.ndarray  # (arms,) working memory


def factor_view_of(problem: Problem) -> FactorView:
    """The numeric view of a problem and its factors."""
    tables, circuit = factor_tables(problem), model_of(problem)
    factor_start = np.cumsum([0, *tables.rows], dtype=np.int64)
    alike = _alike(tables, circuit, problem)
    home = _homes(tables, problem.observes)
    home[home >= 0] = alike[home[home >= 0]]
    homes = [sorted({int(a) for a in row if a >= 0}) for row in home]
    met = [_rows_of(circuit, a, tables.row_start) for a in range(len(problem.arms))]
    of_reward = [i for i, factor in enumerate(tables.factors) if factor.variable == problem.reward.variable]
    return FactorView(
        **vars(view_of(problem)),
        circuit=circuit,
        known=problem.parents.ravel().copy() if tables.uses_parents and problem.parents is not None else np.zeros(0),
        sums_from=tables.sums_from,
        row_start=tables.row_start.copy(),
        factor_start=factor_start,
        reward_row=int(factor_start[of_reward[0]] if of_reward else factor_start[-1]),
        factor_of=np.repeat(np.arange(len(tables.rows)), np.diff(factor_start)),
        rows=np.arange(factor_start[-1]),
        met_start=np.cumsum([0, *map(len, met)], dtype=np.int64),
        met=np.array([r for listed in met for r in listed], np.int64),
        alike=alike,
        firsts=np.unique(alike),
        place=np.unique(alike, return_inverse=True)[1].astype(np.int64),
        home=home,
        homes_start=np.cumsum([0, *map(len, homes)], dtype=np.int64),
        homes=np.array([a for listed in homes for a in listed], np.int64),
        whole=tables.whole.copy(),
    )


def _alike(tables: FactorTables, circuit: Circuit, problem: Problem) -> NDArray[np.int64]:
    """For every arm the first one with the same mean, whatever is in the tables. An arm that is whole is the only one.

    Where P(parents | do(a)) is known it must be the same, up to rounding. Otherwise the circuit tells.
    """
    kinds = list(circuit.root)
    if tables.uses_parents and problem.parents is not None:
        kinds = [tuple(row) for row in problem.parents.round(PARENTS_DIGITS).tolist()]
    return np.array([a if tables.whole[a] else kinds.index(kind) for a, kind in enumerate(kinds)], np.int64)


def _rows_of(circuit: Circuit, arm: int, row_start: NDArray[np.int64]) -> list[int]:
    """The rows that the mean of an arm depends on."""
    cells = circuit.arm_cell[circuit.arm_cell_start[arm] : circuit.arm_cell_start[arm + 1]]
    return np.unique(np.searchsorted(row_start, cells[cells < row_start[-1]], side="right") - 1).tolist()


def _homes(tables: FactorTables, observes: bool) -> NDArray[np.int64]:
    """For every arm and factor that it teaches, an arm that needs the factor and meets its rows as often.

    An arm meets a factor that it does not need as often as the observation does: the factor's variables are not
    among its effects. If nothing is watched, the first arm that needs the factor stands for it.
    """
    home = np.full((len(tables.needed), len(tables.factors)), -1, np.int64)
    for arm, taught in enumerate(tables.taught):
        for i in taught:
            users = [a for a, needed in enumerate(tables.needed) if i in needed]
            home[arm, i] = arm if arm in users else 0 if observes and 0 in users else users[0]
    return home


@shared
def length_of(view, state, arm, block):
    """For how many rounds the choice of an arm stands: more if the arm had more rounds, or more samples as a whole.

    It needs `update_means`.
    """
    return 1 + np.int64(block * (state.scratch_own_counts[arm] if view.whole[arm] else state.pulls[arm]))


class FactorPolicy(InBlocks):
    """Base of the policies that learn from every round."""

    reads = FACTORS

    def view(self, problem: Problem) -> FactorView:
        return factor_view_of(problem)

    def init(self, view):
        arms, cells, rows = view.arms, view.row_start[-1], view.row_start.size - 1
        all_cells = cells + view.known.size
        return FactorState(
            rounds=0,
            reward=0.0,
            pulls=np.zeros(arms, np.int64),
            counts=np.zeros(cells, np.int64),
            sums=np.zeros(cells - view.sums_from),
            pulled_sums=np.zeros(arms),
            watched=np.zeros(arms, np.int64),
            watched_sums=np.zeros(arms),
            scratch=np.zeros(arms),
            scratch_cells=np.zeros(all_cells),
            scratch_samples=np.zeros(rows),
            scratch_prior=np.zeros(rows),
            scratch_chance_gains=np.zeros(rows),
            scratch_prior_gains=np.zeros(rows),
            scratch_values=np.zeros(view.circuit.size),
            scratch_adjoints=np.zeros(view.circuit.size),
            scratch_gradients=np.zeros((arms, all_cells)),
            scratch_reach=np.zeros((arms, all_cells)),
            scratch_watched=np.zeros(rows),
            scratch_by_all=np.zeros(rows),
            scratch_average=np.zeros(all_cells),
            scratch_spread=np.zeros((arms, rows)),
            scratch_together=np.zeros((arms, view.factor_start.size - 1)),
            scratch_gains=np.zeros((arms, 4)),
            scratch_own_counts=np.zeros(arms, np.int64),
            scratch_own_sums=np.zeros(arms),
            scratch_shown=np.zeros(arms, np.int64),
            scratch_pending=np.zeros(arms, np.int64),
            scratch_own_gains=np.zeros(arms),
            scratch_worth=np.zeros(rows),
            scratch_means=np.zeros(arms),
            scratch_table_variance=np.zeros(arms),
            scratch_of_chance=np.zeros(arms),
            scratch_of_prior=np.zeros(arms),
            scratch_own_share=np.zeros(arms),
            scratch_variances=np.zeros(arms),
            scratch_evidence=np.zeros(arms),
            scratch_bounds=np.zeros(arms),
            scratch_shares=np.zeros(arms),
            scratch_open=np.zeros(arms, np.bool_),
            scratch_weights=np.zeros(view.firsts.size),
            scratch_hopeful=np.zeros(view.firsts.size),
            scratch_inverse_sd=np.zeros(view.firsts.size),
            scratch_other=np.zeros(arms),
        )

    def tell(self, view, state, arm, tally):
        learn(view, state, arm, tally)

    def ask(self, view: Any, state: Any, pending: Any, left: Any, rng: Any) -> Any:
        raise NotImplementedError

    def recommend(self, view: Any, state: Any, rng: Any) -> Any:
        raise NotImplementedError
