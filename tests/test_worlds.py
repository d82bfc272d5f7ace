"""The worlds that come with the library: means of published tables, the shop, and random worlds."""

from __future__ import annotations

import numpy as np

import causalbandits as cb


def test_the_confounded_chain_has_the_means_of_the_papers_table() -> None:
    """Nair, Patil & Sinha 2021, Experiment 4: expected rewards of do(X1=0), do(X1=1), do(X2=0), do(X2=1)."""
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=100, observe=False)
    assert list(map(str, problem.arms)) == ["do(X1=0)", "do(X1=1)", "do(X2=0)", "do(X2=1)"]
    np.testing.assert_allclose(world.means(problem), [0.2595, 0.2405, 0.244, 0.254], rtol=0, atol=1e-12)


def test_in_the_shop_large_images_are_best_and_only_promotion_has_a_backdoor_path() -> None:
    world = cb.worlds.marketing()
    problem = world.problem(budget=1000, cost=5)
    means = world.means(problem)
    assert str(problem.arms[int(np.argmax(means))]) == "do(Image=large)"
    assert means.max() > 1.5 * world.mean("do()")
    confounded = {arm: path for arm, path in zip(map(str, problem.arms), problem.backdoor_paths, strict=True) if path}
    assert confounded == dict.fromkeys(["do(Promotion=no)", "do(Promotion=yes)"], "Promotion <- Season -> Purchase")
    both = world.marginal(["Promotion", "Purchase"], "do()")
    assert both[1, 1] / both[1].sum() > world.mean("do(Promotion=yes)") + 0.02  # watching flatters promotions


def test_a_random_world_without_backdoors_has_none_and_hides_as_many_as_asked() -> None:
    for seed in range(20):
        world = cb.worlds.random_world(np.random.default_rng(seed), variables=5, hidden=2, backdoors=False)
        assert sum(variable.hidden for variable in world.graph.variables) == 2
        assert world.problem(horizon=5).teaches.all()
