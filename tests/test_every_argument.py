"""Every parameter of every public name: what is not accepted is answered with one sentence.

The names and parameters are read from the library. A new public function without an entry in `valid_arguments` fails.
"""

from __future__ import annotations

import inspect
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.streams import RNG
from causalbandits.simulation import jobs

Entry = Callable[[], tuple[Callable[..., Any], Mapping[str, Any]]]
NOTHING: tuple[Any, ...] = (None, "", [], {})
NUMBERS: tuple[Any, ...] = (3, -1, 2.5, float("nan"), float("inf"), True)
OTHERS: tuple[Any, ...] = ("text", "null\0byte", [None], {"a": 1}, np.zeros(2), object(), cb.UCB)
WRONG = NOTHING + NUMBERS + OTHERS
NOT_CALLED = {
    "Policy.init": "the user's own function",
    "Policy.ask": "the user's own function",
    "Policy.tell": "the user's own function",
    "Policy.recommend": "the user's own function",
    "Policy.check": "the user's own function, which the library calls",
    "Policy.view": "the user's own function, which the library calls",
    "Experiment": "made with create or open",
    "testing.Skipped": "an exception",
}


def public_names() -> Iterator[tuple[str, Any]]:
    """Every public function, constructor and method, by the name that a user writes after `cb.`."""
    for name in dir(cb):
        value = getattr(cb, name)
        if isinstance(value, types.ModuleType):
            inner = {f"{name}.{part}": getattr(value, part) for part in dir(value)}
            yield from (pair for part, found in inner.items() for pair in _callables(part, found))
        else:
            yield from _callables(name, value)


def _callables(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not callable(value) or (isinstance(value, type) and issubclass(value, Exception)):
        return
    if name.startswith("policies.") and name.removeprefix("policies.") in dir(cb):
        return  # the same thing by a shorter name
    yield name, value
    for part in dir(value) if isinstance(value, type) else ():
        held = inspect.getattr_static(value, part)
        function = getattr(held, "__func__", held)
        is_ours = isinstance(function, types.FunctionType) and function.__module__.startswith("causalbandits.")
        is_policys = issubclass(value, cb.Policy) and value is not cb.Policy
        if is_ours and not part.startswith("_") and not is_policys:
            yield f"{name}.{part}", function


NAMES = dict(public_names())


class Plain(cb.UCB):
    """A policy that is not compiled, so that nothing here takes long."""

    kind = "plain"


jobs._PLAIN.add(Plain)
POLICIES = {policy.__name__ for policy in cb.policies.REGISTRY.values()}


class Things:
    """Small valid things. All are made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = cb.worlds.parallel(p=[0.3, 0.4], epsilon=0.2)
        self.chain = cb.worlds.confounded_chain()
        self.problem = self.world.problem(budget=40, cost=1)
        self.policy = Plain()
        played: dict[str, Any] = {"runs": 2, "compiled": False, "progress": False}
        self.result = cb.simulate(self.world, self.problem, cb.UCB(), **played)
        self.digest = cb.simulate(self.world, self.problem, self.policy, keep="summary", **played)
        self.saved = folder / "saved.npz"
        self.result.save(self.saved)
        self.sweep = cb.Sweep([])
        self.file = folder / "shop.toml"
        cb.files.write(self.file, self.problem, world=self.world)
        self.setup = cb.read_problem(self.file)
        self.network = folder / "coin.bif"
        self.network.write_text("variable X { type discrete [ 2 ] { a, b }; } probability ( X ) { table 0.5, 0.5; }")
        self.estimate = cb.regret.Estimate(0.0, 1.0, -2.0, 2.0)
        self.chart = cb.plot.Chart("x", "y", [cb.plot.Band("a", [1.0, 2.0], [self.estimate] * 2)])
        self.figure = cb.plot.draw([self.chart])
        self.rng = np.zeros(RNG, np.uint64)
        self.reference = cb.policies.Reference(("A. Author",), 2020, "Title", "Somewhere")

    def experiment(self) -> tuple[cb.Experiment, str]:
        storage = f"memory:{uuid.uuid4().hex}"
        problem = self.world.problem(budget=4000, cost=1)
        experiment = cb.Experiment.create(storage, "live", problem, cb.Observe())
        experiment.ask()
        return experiment, storage


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Things:
    return Things(tmp_path_factory.mktemp("things"))


def valid_arguments(t: Things) -> dict[str, Entry]:
    """For every public name, what to call and with which arguments. All of them together are valid."""

    def of(call: Callable[..., Any], /, **arguments: Any) -> Entry:
        return lambda: (call, arguments)

    def live(method: str, /, **arguments: Any) -> Entry:
        return lambda: (getattr(t.experiment()[0], method), arguments)

    def stored(method: str, /, **arguments: Any) -> Entry:
        return lambda: (getattr(cb.Experiment, method), {"storage": t.experiment()[1], **arguments})

    node, coin = cb.node("X", {0: 0.5, 1: 0.5}), {"0": 0.5, "1": 0.5}
    shown = {"X1": "0", "X2": "1", "Y": "1"}
    played = {"world": t.world, "problem": t.problem, "seed": 1}
    p, m, means, q = 0.1, 4, [0.5, 0.4, 0.6], [0.3, 0.4]
    table = np.array([[0.5, 0.5], [0.4, 0.6], [0.3, 0.7]])
    variable = cb.Variable("X", ("0", "1"))
    return {
        "simulate": of(
            cb.simulate, **played, policies=t.policy, runs=2, checkpoints=[10, 20], keep="arrays",
            executor=None, threads=1, chunk=1, compiled=False, progress=False,
        ),
        "trace": of(cb.trace, **played, policy=t.policy, run=0, compiled=False),
        "sample": of(cb.sample, world=t.world, rounds=2, intervention="do(X1=1)", seed=1),
        "sweep": of(
            cb.sweep, worlds=t.world, policies=Plain(), budgets=[20], horizons=None, costs=[1], folder=None,
            runs=1, seed=1, executor=None, progress=False, on_error="raise",
        ),
        "Sweep": of(cb.Sweep, cells=[], skipped=()),
        "Sweep.to_pandas": of(t.sweep.to_pandas),
        "recommend_policy": of(cb.recommend_policy, problem=t.problem, objective="find"),
        "RecommendedPolicy": of(cb.RecommendedPolicy, policy=t.policy, why="why"),
        "node": of(
            cb.node, name="Y", values=[0, 1], given="X", table={0: 0.2, 1: 0.3}, parents="X", hidden=False,
            intervenable=True,
        ),
        "linear": of(cb.linear, name="Y", weights={"X": 1}, noise=1, intercept=0, parents="X"),
        "World": of(
            cb.World, nodes=[node, cb.node("Y", coin)], reward="Y", success="1", bounds=None, reference="none"
        ),
        "stress": of(
            cb.stress, policy="ucb", objective="earn", seconds=None, evaluations=1, seed=1, cases=1, anywhere=True,
            advance=lambda share, title: None,
        ),
        "Stress": of(cb.Stress, policy=cb.UCB(), objective="earn", seed=1, evaluations=1, cases=()),
        "World.problem": of(
            t.chain.problem, budget=50, horizon=None, cost=2, arms=["X1"], observe=True, reveal_parents=False,
            strict=False, objective="find", reward_scale=None,
            keep_money=False,
        ),
        "World.mean": of(t.world.mean, intervention="do(X1=1)"),
        "World.means": of(t.world.means, problem=t.problem),
        "World.marginal": of(t.world.marginal, names=["X1"], intervention="do()"),
        "World.parent_distribution": of(t.world.parent_distribution, intervention="do()"),
        "World.needed": of(t.world.needed, names=["Y"], do="do(X1=1)"),
        "Problem": of(
            cb.Problem, graph=t.chain.graph, reward=t.chain.reward, success=None, bounds=None, budget=50, horizon=None,
            cost=2, arms=["X1"], observe=True, parents=None, strict=False, objective="find", reward_scale=None,
            keep_money=False,
        ),
        "Problem.arm": of(t.problem.arm, intervention="do(X1=1)"),
        "Problem.backdoor_path": of(t.problem.backdoor_path, intervention="do(X1=1)"),
        "Problem.configuration": of(t.problem.configuration, number=0),
        "Problem.refuse_backdoors": of(t.problem.refuse_backdoors, who="Somebody"),
        "Problem.teaching": of(t.problem.teaching),
        "Problem.view": of(t.problem.view),
        "Graph": of(cb.Graph, variables=(variable,)),
        "Graph.d_separated": of(t.world.graph.d_separated, first=["X1"], second=["X2"], given=["Y"]),
        "Graph.backdoor_path": of(t.world.graph.backdoor_path, causes=["X1"], effect="Y"),
        "Graph.check": of(t.world.graph.check, intervention="do(X1=1)"),
        "Variable": of(cb.Variable, name="X", values=("0", "1"), parents=("Z",), hidden=False, intervenable=True),
        "Variable.index": of(variable.index, value="1"),
        "Intervention": of(cb.Intervention, assigned={"X": 1}),
        "Intervention.of": of(cb.Intervention.of, given="do(X=1)"),
        "Reward": of(cb.Reward, variable="Y", kind="bounded", success=None, low=0, high=1),
        "Reward.of": of(cb.Reward.of, graph=t.world.graph, name="Y", success="1", bounds=None),
        "Policy": of(Plain, name="mine"),
        "Policy.refuse_negative": of(cb.FKube().refuse_negative, name="exploration"),
        "Policy.refuse_zero": of(cb.ThompsonSampling().refuse_zero, name="exploration"),
        "register": of(cb.register, policy=cb.UCB),
        "record": of(cb.record, cls=type("State", (), {"__annotations__": {"n": int}})),
        "below": of(by_position(cb.below), rng=t.rng, bound=3),
        "uniform": of(by_position(cb.uniform), rng=t.rng),
        "best": of(by_position(cb.best), values=np.zeros(3), rng=t.rng),
        "best_mean": of(by_position(cb.best_mean), sums=np.zeros(3), counts=np.ones(3, np.int64), rng=t.rng),
        "load": of(cb.load, path=t.saved),
        "Result.load": of(cb.Result.load, path=t.saved),
        "Result.save": of(t.result.save, path=t.folder / "again.npz"),
        "Result.summary": of(t.result.summary),
        "Result.to_pandas": of(t.result.to_pandas),
        "Result": of(cb.Result, **fields_of(t.result)),
        "Digest": of(cb.Digest, **fields_of(t.digest)),
        "Digest.summary": of(t.digest.summary),
        "Trace": of(
            cb.Trace, arms=np.zeros(1, int), rewards=np.zeros(1), shown={}, blocks=np.ones((1, 2), int),
            recommended=0, left_over=0.0, interventions=(cb.Intervention({}),),
        ),
        "read_problem": of(cb.read_problem, path=t.file),
        "read_world": of(cb.read_world, path=t.file),
        "files.read": of(cb.files.read, path=t.file),
        "files.read_bif": of(cb.files.read_bif, path=t.network),
        "files.write": of(cb.files.write, path=t.folder / "again.toml", problem=t.problem),
        "files.dumps": of(
            cb.files.dumps, problem=t.problem, policy=cb.UCB(), world=t.world, name="shop", seed=1, lease=60
        ),
        "files.Setup": of(cb.files.Setup, **fields_of(t.setup)),
        "files.Setup.policies": of(t.setup.policies, kinds=["ucb"]),
        "Experiment.create": lambda: (
            lambda **given: cb.Experiment.create(**{"storage": f"memory:{uuid.uuid4().hex}", **given}),
            {"name": "live", "problem": t.problem, "policy": cb.UCB(), "seed": 1, "lease": 60},
        ),
        "Experiment.open": stored("open", name="live", accept_policy=False),
        "Experiment.found": stored("found", name="live"),
        "Experiment.names": stored("names"),
        "Experiment.ask": live("ask", worker="w", request_id=None, count=1, wait=0.0),
        "Experiment.tell": live("tell", number=1, reward=1, values=shown, rows=None),
        "Experiment.abandon": live("abandon", number=1, spent=False),
        "Experiment.trial": live("trial", number=1),
        "Experiment.history": live("history", after=0, limit=3),
        "Experiment.page": live("page", after=0, limit=3, characters=1000),
        "Experiment.import_observations": live("import_observations", rows=[shown]),
        "Experiment.status": live("status"),
        "Experiment.recommend": live("recommend"),
        "m": of(cb.m, q=q),
        "bounds.m": of(cb.bounds.m, q=q),
        "bounds.threshold": of(cb.bounds.threshold, q=q),
        "bounds.theorem_1": of(cb.bounds.theorem_1, p=p, variables=3, budget=100),
        "bounds.theorem_1_budget": of(cb.bounds.theorem_1_budget, p=p, variables=3),
        "bounds.theorem_2": of(cb.bounds.theorem_2, p=p, m=m, variables=3, cost=100, budget=1000),
        "bounds.theorem_2_budget": of(cb.bounds.theorem_2_budget, p=p, m=m, variables=3, cost=100),
        "bounds.theorem_3": of(cb.bounds.theorem_3, means=means, shown=q, cost=2, budget=100),
        "bounds.theorem_3_log_budget": of(cb.bounds.theorem_3_log_budget, means=means, shown=q, cost=2),
        "bounds.theorem_4": of(cb.bounds.theorem_4, means=means, parents=table),
        "bounds.lower_bound": of(cb.bounds.lower_bound, means=means, costs=[1, 2, 2], shown=[1, 0.3, 0.4]),
        "papers.paper_named": of(cb.papers.paper_named, name="nair2021"),
        "plot.cumulative_regret": of(cb.plot.cumulative_regret, result=t.result, axes=None),
        "plot.draw": of(cb.plot.draw, charts=[t.chart]),
        "plot.saved": of(cb.plot.saved, figure=t.figure, form="svg", name="name"),
        "plot.Band": of(cb.plot.Band, label="a", x=[1.0], estimates=[t.estimate], number=None),
        "plot.Chart": of(
            cb.plot.Chart, x_label="x", y_label="y", bands=[], references=(), places=(), log="", share=False, ticks=(),
            points=(),
        ),
        "plot.Points": of(cb.plot.Points, label="a", points=[(1.0, 1.0, 0.1)]),
        "plot.Place": of(cb.plot.Place, label="a", x=1.0, low=None, high=None),
        "plot.Reference": of(cb.plot.Reference, label="a", x=[1.0], y=[1.0]),
        "policies.policy_named": of(cb.policies.policy_named, kind="ucb"),
        "policies.Reference": of(
            cb.policies.Reference, authors=("A",), year=2020, title="T", where="W", algorithm="", entry="article",
            volume="", pages="", url="", short="", also={},
        ),
        "policies.Reference.at": of(t.reference.at, algorithm="Algorithm 1", also={}),
        "policies.Reference.bibtex": of(t.reference.bibtex, key="key"),
        "regret.Estimate": of(cb.regret.Estimate, mean=0.0, standard_error=1.0, low=0.0, high=1.0),
        "regret.Estimate.of": of(cb.regret.Estimate.of, sample=np.ones(3)),
        "regret.Estimate.from_moments": of(cb.regret.Estimate.from_moments, mean=0.0, error=1.0),
        "regret.difference": of(cb.regret.difference, one=np.ones(3), other=np.zeros(3)),
        "regret.simple_regret": of(cb.regret.simple_regret, means=np.ones(3), recommended=np.zeros(2, int)),
        "regret.best_reward": of(
            cb.regret.best_reward, problem=t.problem, means=t.world.means(t.problem), budget=10
        ),
        "regret.best_purchase": of(cb.regret.best_purchase, costs=(2, 3), means=np.array([0.5, 0.6]), budget=10),
        "testing.check_policy": of(
            cb.testing.check_policy, policy=Plain(), world=t.world, problem=t.problem, cases=1, seed=1, compiled=False
        ),
        "testing.random_case": of(
            cb.testing.random_case, policy=t.policy, seed=1, rng=np.random.default_rng(1), compiled=False
        ),
        "testing.Case": of(cb.testing.Case, **played, policy=t.policy, compiled=False),
        "testing.Report": of(cb.testing.Report, policy="ucb", cases=1, checked=("a",), skipped={}),
        "worlds.parallel": of(cb.worlds.parallel, p=[0.3, 0.4], epsilon=0.1),
        "worlds.confounded_chain": of(cb.worlds.confounded_chain),
        "worlds.marketing": of(cb.worlds.marketing),
        "worlds.random_world": of(
            cb.worlds.random_world, rng=np.random.default_rng(1), variables=2, values=(2, 3), parents=1, hidden=0,
            backdoors=True, reward=("0", "1"),
        ),
    }  # fmt: skip


def by_position(part: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled function that takes no names."""
    return lambda **arguments: part(*arguments.values())


def fields_of(record: Any) -> dict[str, Any]:
    return {field: getattr(record, field) for field in inspect.signature(type(record)).parameters}


def parameters_of(name: str) -> list[inspect.Parameter]:
    value = getattr(NAMES[name], "py_func", NAMES[name])
    hidden = () if name == "record" else ("self", "cls")
    return [parameter for parameter in inspect.signature(value).parameters.values() if parameter.name not in hidden]


def test_every_public_name_has_an_entry(things: Things) -> None:
    expected = NAMES.keys() - NOT_CALLED.keys() - POLICIES
    assert valid_arguments(things).keys() == expected


@pytest.mark.parametrize("name", sorted(NAMES.keys() - NOT_CALLED.keys() - POLICIES))
def test_what_is_not_accepted_is_answered_with_one_sentence(
    name: str, things: Things, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # "text" is a valid path
    monkeypatch.setattr("causalbandits.adversary.stress.search", lambda *arguments: [])  # it takes seconds
    monkeypatch.setattr(cb.testing, "CLAUSES", {})  # the arguments are checked before the clauses, which take long
    call, arguments = valid_arguments(things)[name]()
    parameters = parameters_of(name)
    named = {p.name for p in parameters if p.kind is not p.VAR_KEYWORD}
    if name not in ("Experiment.create", "Experiment.open", "Experiment.found", "Experiment.names"):
        assert arguments.keys() == named, "an entry for every parameter"
    call(**arguments)
    raw = []
    for parameter in parameters:
        changed = "misspelt" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
        for wrong in WRONG:
            raw += _unworded(f"{name}({changed}={wrong!r})", call, {**arguments, changed: wrong})
    assert raw == []


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_parameters_of_policies(name: str) -> None:
    raw = []
    for parameter in parameters_of(name):
        for wrong in WRONG:
            raw += _unworded(f"{name}({parameter.name}={wrong!r})", NAMES[name], {parameter.name: wrong})
    assert raw == []


def _unworded(text: str, call: Callable[..., Any], arguments: Mapping[str, Any]) -> list[str]:
    """What a user would see instead of one sentence."""
    try:
        call(**arguments)
    except cb.InputError as error:
        sentence = str(error)
        is_sentence = "\n" not in sentence and sentence.endswith((".", "?")) and sentence[:1].strip()
        return [] if is_sentence and " at 0x" not in sentence else [f"{text}: {sentence!r}"]
    except Exception as error:
        return [f"{text}: {type(error).__name__}: {error}"]
    return []
