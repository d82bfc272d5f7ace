"""Makes the picture of the README: `python docs/picture.py`."""

from pathlib import Path

import matplotlib

import causalbandits as cb
from causalbandits import plot

matplotlib.use("Agg")

world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.5)
problem = world.problem(budget=10_000, cost=1.1)
policies = [cb.FKube(name="F-KUBE: every intervention learns alone"), cb.CRMNB(name="CRM-NB-ALG: watching teaches about many")]
result = cb.simulate(world, problem, policies, runs=200, seed=1, checkpoints=range(250, 10_001, 250))
figure = plot.cumulative_regret(result)
figure.axes[0].set_title("100 interventions at 1.1 a round, watching at 1: mean of 200 runs, 95 % band", fontsize=10)
figure.savefig(Path(__file__).parent / "regret.png", dpi=150)
