"""causalbandits: find the best intervention in a causal graph, and spend as little as possible on finding it."""

from __future__ import annotations

from pathlib import Path as _Path
from typing import TYPE_CHECKING, Any

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
from .policies import (
    CRMNB,
    CTS,
    CUCB,
    CUCB2,
    UCB,
    CausalKL,
    CausalThompson,
    CausalUCB,
    CausalUCBLearned,
    FKube,
    GammaNB,
    Greedy,
    ImportanceSampling,
    Kube,
    NBCosts,
    Observe,
    ParallelBandit,
    Policy,
    SuccessiveRejects,
    TopTwo,
    register,
)
from .problem import Problem, Reward
from .recommend import RecommendedPolicy, recommend_policy
from .result import Result
from .simulate import Trace, sample, simulate, trace
from .sweep import Sweep, sweep
from .world import World

if TYPE_CHECKING:
    from .files import Setup as _Setup
    from .live import BudgetExhausted, Conflict, Experiment, NotFound, NothingYet, PolicyChanged, StorageError

load = Result.load
_LIVE = {"BudgetExhausted", "Conflict", "Experiment", "NotFound", "NothingYet", "PolicyChanged", "StorageError"}


def __getattr__(name: str) -> Any:
    """Live experiments are loaded when they are first named: they need the extra `live`."""
    if name not in _LIVE:
        raise AttributeError(f"module 'causalbandits' has no attribute {name!r}")
    try:
        from . import live
    except ModuleNotFoundError as missing:
        raise ImportError(f'Live experiments need {missing.name}; pip install "causalbandits[live]".') from None
    return getattr(live, name)


def read_problem(path: str | _Path) -> _Setup:
    """Read a problem file: its `problem`, and its `policy`, `seed` and `lease` where it states them. Needs the extra [live]."""
    from .files import read

    return read(path)


def read_world(path: str | _Path) -> World:
    """Read the world of a problem file that gives the probabilities of its variables. Needs the extra [live]."""
    from .world_files import world_of

    return world_of(path)


__all__ = [
    "CRMNB",
    "CTS",
    "CUCB",
    "CUCB2",
    "UCB",
    "BudgetExhausted",
    "CausalKL",
    "CausalThompson",
    "CausalUCB",
    "CausalUCBLearned",
    "Conflict",
    "Digest",
    "Experiment",
    "FKube",
    "GammaNB",
    "Graph",
    "Greedy",
    "ImportanceSampling",
    "InputError",
    "Intervention",
    "Kube",
    "NBCosts",
    "NotFound",
    "NothingYet",
    "Observe",
    "ParallelBandit",
    "Policy",
    "PolicyChanged",
    "Problem",
    "RecommendedPolicy",
    "Result",
    "Reward",
    "StorageError",
    "SuccessiveRejects",
    "Sweep",
    "TopTwo",
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
    "read_problem",
    "read_world",
    "recommend_policy",
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
