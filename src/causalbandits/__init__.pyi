"""The public names of causalbandits and where they are defined. `__init__.py` loads each when it is first used."""

from typing import Any

from . import bounds as bounds
from . import files as files
from . import papers as papers
from . import plot as plot
from . import policies as policies
from . import regret as regret
from . import testing as testing
from . import worlds as worlds
from .adversary.stress import Stress as Stress
from .adversary.stress import stress as stress
from .advice.recommend import RecommendedPolicy as RecommendedPolicy
from .advice.recommend import recommend_policy as recommend_policy
from .bounds import m as m
from .engine.bridge.record import record as record
from .engine.streams import below as below
from .engine.streams import uniform as uniform
from .errors import InputError as InputError
from .files.problem_files import read_problem as read_problem
from .files.world_files import read_world as read_world
from .graph import Graph as Graph
from .graph import Variable as Variable
from .intervention import Intervention as Intervention
from .live import BudgetExhausted as BudgetExhausted
from .live import Conflict as Conflict
from .live import Experiment as Experiment
from .live import NotFound as NotFound
from .live import NothingYet as NothingYet
from .live import PolicyChanged as PolicyChanged
from .live import StorageError as StorageError
from .mechanisms import linear as linear
from .mechanisms import node as node
from .policies.contract import Policy as Policy
from .policies.maths.ties import best as best
from .policies.maths.ties import best_mean as best_mean
from .policies.registry import register as register
from .problem import Problem as Problem
from .reward import Reward as Reward
from .simulation.results import Result as Result
from .simulation.results import load as load
from .simulation.simulate import simulate as simulate
from .simulation.sketches import Digest as Digest
from .simulation.sweep import Sweep as Sweep
from .simulation.sweep import sweep as sweep
from .simulation.trace import Trace as Trace
from .simulation.trace import sample as sample
from .simulation.trace import trace as trace
from .world import World as World

__version__: str

def __getattr__(name: str) -> Any: ...  # the classes of policies, from the registry
