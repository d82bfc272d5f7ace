"""Where policies come from: as one line, as BibTeX, and on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import causalbandits as cb
from causalbandits.cli.app import app
from causalbandits.policies.reference import JAMSHIDI_2024, LIBRARY, NAIR_2021, Reference, bibtex_of
from causalbandits.policies.registry import citation, home_of

OURS = {kind: policy for kind, policy in cb.policies.REGISTRY.items() if home_of(policy) is not None}
BOOK = Reference(
    authors=("Richard S. Sutton", "Andrew G. Barto"),
    year=2018,
    title="Reinforcement Learning: An Introduction",
    where="MIT Press",
    entry="book",
)


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)


def cite(*words: str) -> str:
    return CliRunner().invoke(app, ["cite", *words], catch_exceptions=False).output


def test_a_reference_is_one_line_of_text() -> None:
    assert NAIR_2021.text == "Nair, Patil & Sinha 2021"
    assert NAIR_2021.at("Algorithm 1").text == "Nair, Patil & Sinha 2021, Algorithm 1"
    both = NAIR_2021.at("Algorithm 2", also={"costs per arm": JAMSHIDI_2024})
    assert both.text == ("Nair, Patil & Sinha 2021, Algorithm 2; costs per arm: Jamshidi, Etesami & Kiyavash 2024")
    assert LIBRARY.text == "this library"


def test_bibtex_has_the_fields_of_its_kind_of_entry() -> None:
    assert BOOK.bibtex() == (
        "@book{sutton2018,\n"
        "  author = {Richard S. Sutton and Andrew G. Barto},\n"
        "  title = {{Reinforcement Learning: An Introduction}},\n"
        "  publisher = {MIT Press},\n"
        "  year = {2018},\n"
        "}"
    )
    assert BOOK.bibtex("mine").startswith("@book{mine,")


def test_every_publication_is_printed_once() -> None:
    text = bibtex_of([NAIR_2021.at("Algorithm 2", also={"costs per arm": JAMSHIDI_2024}), JAMSHIDI_2024, NAIR_2021])
    assert keys(text) == ["nair2021", "jamshidi2024"]


@pytest.mark.parametrize("kind", sorted(OURS))
def test_a_policy_of_the_library_has_a_reference_and_a_goal(kind: str) -> None:
    policy = OURS[kind]
    assert isinstance(policy.reference, Reference)
    assert policy.goal
    assert policy.paper
    entries = citation([kind])
    assert keys(entries)[-1] == "causalbandits" or policy.reference.key == "causalbandits"
    assert policy.reference.key in keys(entries)
    assert entries.count("{") == entries.count("}")


def test_two_publications_have_two_keys() -> None:
    titles = {}
    for policy in OURS.values():
        for reference in (policy.reference, *policy.reference.also.values()):
            assert titles.setdefault(reference.key, reference.title) == reference.title


def test_a_users_own_policy_may_state_its_paper_as_text() -> None:
    class Mine(cb.GammaNB):
        kind = "mine"
        paper = "Somebody 2030"

    class Derived(cb.GammaNB):
        kind = "derived"

    class Book(cb.GammaNB):
        kind = "from-a-book"
        reference = BOOK.at("section 2.4")

    assert (Mine.paper, Mine.reference) == ("Somebody 2030", None)
    assert (Derived.paper, Derived.reference) == (cb.GammaNB.paper, cb.GammaNB.reference)
    assert Book.paper == "Sutton & Barto 2018, section 2.4"


def test_the_command_prints_the_library_a_policy_or_all() -> None:
    assert keys(cite()) == ["causalbandits"]
    assert keys(cite("pb")) == ["lattimore2016", "nair2021", "causalbandits"]
    assert keys(cite("causal-kl")) == ["causalbandits", "kaufmann2018"]
    everything = keys(cite("--all"))
    assert len(everything) == len(set(everything)) == 12


def test_an_unknown_policy_is_answered_in_one_sentence() -> None:
    with pytest.raises(cb.InputError, match="There is no policy 'gamma-nbb'; did you mean 'gamma-nb'"):
        cite("gamma-nbb")
    with pytest.raises(cb.InputError, match="not both"):
        cite("gamma-nb", "--all")


def test_the_list_of_policies_has_its_papers() -> None:
    rows = json.loads(CliRunner().invoke(app, ["policies", "--json"]).output)
    assert {row["name"]: row["paper"] for row in rows} == {
        kind: policy.paper for kind, policy in cb.policies.REGISTRY.items()
    }
    assert all({"name", "class", "about", "goal", "paper"} == set(row) for row in rows)


def test_the_library_is_cited_as_its_citation_file_says() -> None:
    file = Path(__file__).parents[2] / "CITATION.cff"
    text, entry = file.read_text(), LIBRARY.bibtex()
    (version,) = re.findall(r"^version: (\S+)$", text, re.MULTILINE)
    assert f"version = {{{version}}}" in entry
    (title,) = re.findall(r'^title: "(.*)"$', text, re.MULTILINE)
    assert f"title = {{{{{title}}}}}" in entry
    (author,) = LIBRARY.authors
    assert f'- name: "{author}"' in text
