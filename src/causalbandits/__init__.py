"""causalbandits: find the best intervention in a causal graph, and spend as little as possible on finding it."""

from . import policies, regret, worlds
from .bounds import m
from .digest import Digest
from .engine.record import record
from .engine.streams import below, uniform
from .engine.ties import best, best_mean
from .errors import InputError
from .graph import Graph, Variable
from .intervention import Intervention
from .mechanisms import linear, node
from .policies import CRMNB, CUCB, CUCB2, UCB, FKube, GammaNB, Greedy, Observe, ParallelBandit, Policy, register
from .problem import Problem, Reward
from .result import Result
from .simulate import Trace, sample, simulate, trace
from .sweep import Sweep, sweep
from .world import World

load = Result.load

__all__ = [
    "CRMNB",
    "CUCB",
    "CUCB2",
    "UCB",
    "Digest",
    "FKube",
    "GammaNB",
    "Graph",
    "Greedy",
    "InputError",
    "Intervention",
    "Observe",
    "ParallelBandit",
    "Policy",
    "Problem",
    "Result",
    "Reward",
    "Sweep",
    "Trace",
    "Variable",
    "World",
    "below",
    "best",
    "best_mean",
    "linear",
    "load",
    "m",
    "node",
    "policies",
    "record",
    "register",
    "regret",
    "sample",
    "simulate",
    "sweep",
    "trace",
    "uniform",
    "worlds",
]
