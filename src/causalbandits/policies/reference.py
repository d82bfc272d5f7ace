"""Where a policy comes from: a paper, as a value that can be printed as text and as BibTeX.

A policy from a paper that is not in this file defines its Reference in its own file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from types import MappingProxyType
from typing import Literal

from ..errors import check_kind

PACKAGE = "causalbandits"
_PLACE = {"inproceedings": "booktitle", "article": "journal", "book": "publisher", "software": "howpublished"}


@dataclass(frozen=True)
class Reference:
    """A publication, the place in it, and further publications that the policy uses."""

    authors: tuple[str, ...]  # as they write their names: given names first
    year: int
    title: str
    where: str  # proceedings, journal or publisher
    algorithm: str = ""  # the place in the publication, such as "Algorithm 1"
    entry: Literal["inproceedings", "article", "book", "software"] = "inproceedings"  # the kind of BibTeX entry
    volume: str = ""
    pages: str = ""
    url: str = ""
    short: str = ""  # the text to use instead of names and year
    also: Mapping[str, Reference] = field(default_factory=lambda: MappingProxyType({}))  # by what is taken from it

    def at(self, algorithm: str = "", also: Mapping[str, Reference] | None = None) -> Reference:
        """The same publication, for a policy that stands at this place in it."""
        if also is not None:
            check_kind("also", also, Mapping, "references by what they are for")
        return replace(self, algorithm=algorithm, also=MappingProxyType(dict(also or {})))

    @property
    def key(self) -> str:
        """The name of the BibTeX entry: first author and year, such as nair2021."""
        if self.entry == "software":
            return self.title
        letters = "".join(letter for letter in _family(self.authors[0]).lower() if letter.isalnum())
        return f"{letters}{self.year}"

    @property
    def text(self) -> str:
        """One line, such as "Nair, Patil & Sinha 2021, Algorithm 1"."""
        *first, last = [_family(author) for author in self.authors]
        names = f"{', '.join(first)} & {last}" if first else last
        own = ", ".join(part for part in (self.short or f"{names} {self.year}", self.algorithm) if part)
        return "; ".join([own, *(f"{what}: {other.text}" for what, other in self.also.items())])

    def bibtex(self, key: str | None = None) -> str:
        """The BibTeX entry of this publication."""
        if key is not None:
            check_kind("The key", key, str, "a text such as nair2021")
        software = self.entry == "software"
        fields = {
            "author": " and ".join(f"{{{author}}}" if software else author for author in self.authors),
            "title": f"{{{self.title}}}",  # the second pair of braces keeps capital letters
            _PLACE[self.entry]: self.where,
            "volume": self.volume,
            "pages": self.pages,
            "year": str(self.year),
            "url": self.url,
            **(_installed() if self.key == PACKAGE else {}),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.entry}{{{key or self.key},", *lines, "}"])


def bibtex_of(references: Iterable[Reference]) -> str:
    """The BibTeX entries of references and of what they also use, each publication once."""
    entries: dict[str, str] = {}
    waiting = list(references)
    while waiting:
        reference = waiting.pop(0)
        entries.setdefault(reference.key, reference.bibtex())
        waiting[:0] = reference.also.values()
    return "\n\n".join(entries.values())


def _installed() -> dict[str, str]:
    """The title and the version of this library, from the installed package."""
    try:
        about = metadata.metadata(PACKAGE)
    except metadata.PackageNotFoundError:  # run from a copy of the sources
        return {}
    return {"title": f"{{{PACKAGE}: {about['Summary'].rstrip('.')}}}", "version": about["Version"]}


def _family(author: str) -> str:
    return author.split()[-1]


LIBRARY = Reference(
    authors=("The causalbandits contributors",),
    year=2026,
    title=PACKAGE,
    where="",
    entry="software",
    short="this library",
)
AUER_2002 = Reference(
    authors=("Peter Auer", "Nicolò Cesa-Bianchi", "Paul Fischer"),
    year=2002,
    title="Finite-time Analysis of the Multiarmed Bandit Problem",
    where="Machine Learning",
    entry="article",
    volume="47",
    pages="235--256",
)
AUDIBERT_2010 = Reference(
    authors=("Jean-Yves Audibert", "Sébastien Bubeck", "Rémi Munos"),
    year=2010,
    title="Best Arm Identification in Multi-Armed Bandits",
    where="Proceedings of the 23rd Conference on Learning Theory (COLT)",
    pages="41--53",
)
GARIVIER_2011 = Reference(
    authors=("Aurélien Garivier", "Olivier Cappé"),
    year=2011,
    title="The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond",
    where="Proceedings of the 24th Conference on Learning Theory (COLT)",
    pages="359--376",
)
THOMPSON_1933 = Reference(
    authors=("William R. Thompson",),
    year=1933,
    title="On the Likelihood that One Unknown Probability Exceeds Another in View of the Evidence of Two Samples",
    where="Biometrika",
    entry="article",
    volume="25",
    pages="285--294",
)
XIA_2015 = Reference(
    authors=("Yingce Xia", "Haifang Li", "Tao Qin", "Nenghai Yu", "Tie-Yan Liu"),
    year=2015,
    title="Thompson Sampling for Budgeted Multi-Armed Bandits",
    where="Proceedings of the 24th International Joint Conference on Artificial Intelligence (IJCAI)",
    pages="3960--3966",
)
TRAN_THANH_2012 = Reference(
    authors=("Long Tran-Thanh", "Archie Chapman", "Alex Rogers", "Nicholas R. Jennings"),
    year=2012,
    title="Knapsack Based Optimal Policies for Budget-Limited Multi-Armed Bandits",
    where="Proceedings of the 26th AAAI Conference on Artificial Intelligence",
    pages="1134--1140",
)
LATTIMORE_2016 = Reference(
    authors=("Finnian Lattimore", "Tor Lattimore", "Mark D. Reid"),
    year=2016,
    title="Causal Bandits: Learning Good Interventions via Causal Inference",
    where="Advances in Neural Information Processing Systems (NIPS)",
    volume="29",
)
KAUFMANN_2018 = Reference(
    authors=("Emilie Kaufmann",),
    year=2018,
    title="On Bayesian Index Policies for Sequential Resource Allocation",
    where="The Annals of Statistics",
    entry="article",
    volume="46",
    pages="842--865",
)
LU_2020 = Reference(
    authors=("Yangyi Lu", "Amirhossein Meisami", "Ambuj Tewari", "William Yan"),
    year=2020,
    title="Regret Analysis of Bandit Problems with Causal Background Knowledge",
    where="Proceedings of the 36th Conference on Uncertainty in Artificial Intelligence (UAI)",
    volume="124",
)
NAIR_2021 = Reference(
    authors=("Vineet Nair", "Vishakha Patil", "Gaurav Sinha"),
    year=2021,
    title="Budgeted and Non-Budgeted Causal Bandits",
    where="Proceedings of the 24th International Conference on Artificial Intelligence and Statistics (AISTATS)",
    volume="130",
    pages="2017--2025",
)
JAMSHIDI_2024 = Reference(
    authors=("Fateme Jamshidi", "Jalal Etesami", "Negar Kiyavash"),
    year=2024,
    title="Confounded Budgeted Causal Bandits",
    where="Proceedings of the Third Conference on Causal Learning and Reasoning (CLeaR)",
    volume="236",
    url="https://arxiv.org/abs/2401.07578",
)
