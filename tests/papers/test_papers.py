"""Papers are found by name, and worker processes find them by their module."""

from __future__ import annotations

import importlib

import pytest

from causalbandits import comparison
from causalbandits.errors import InputError
from causalbandits.papers import PAPERS, paper_named
from causalbandits.studies.study import Paper


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_has_the_name_of_its_module(name: str) -> None:
    assert paper_named(name).id == name


def test_a_name_that_is_no_paper_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="nair2021"):
        paper_named("nair2022")


@pytest.mark.parametrize("paper", [*map(paper_named, PAPERS), comparison.PAPER], ids=lambda paper: paper.id)
def test_the_module_of_a_paper_leads_back_to_it(paper: Paper) -> None:
    assert importlib.import_module(paper.module).PAPER is paper


@pytest.mark.parametrize("paper", [*map(paper_named, PAPERS), comparison.PAPER], ids=lambda paper: paper.id)
def test_parts_studies_figures_and_claims_have_names_of_their_own(paper: Paper) -> None:
    for ids in (
        [part.id for part in paper.parts],
        [study.id for part in paper.parts for study in part.studies],
        [figure.id for part in paper.parts for figure in part.figures],
        [claim.id for part in paper.parts for claim in part.claims],
    ):
        assert len(ids) == len(set(ids))
