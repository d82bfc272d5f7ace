"""Read networks in the Bayesian interchange format (BIF 0.15), strictly: a mistake is answered with its line.

Comments and properties are skipped. Commas and | are blanks, as the format says. A `table` of a variable with parents
lists the first value of the variable for all rows, then the second: the values of the last parent change fastest.
"""

from __future__ import annotations

import gzip
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, unknown
from ..graph import Graph, Variable
from ..mechanisms import EXACT, Node
from .paths import checked_path

ROUNDING = 1e-3 + 1e-12  # a row such as 0.333, 0.333, 0.333 is scaled; one that differs from 1 by more is a mistake
LARGEST_TABLE = 10_000_000  # numbers
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"[^"]*")|(?P<sign>[{}()\[\];])|(?P<word>(?:(?!//|/\*)[^\s{}()\[\];,|"])+)'
    r"|(?P<blank>[\s,|]+)",
    re.DOTALL,
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, eq=False)
class Network:
    """A network of variables with their tables. `cb.World(network.nodes, reward=...)` makes it a world."""

    name: str
    nodes: tuple[Node, ...]
    renamed: tuple[tuple[str, str], ...]  # as in the file, and as here: names, and values as "variable=value"
    scaled: int  # the rows whose sum was not 1 because of rounding

    @cached_property
    def graph(self) -> Graph:
        """The variables and their parents."""
        return Graph(tuple(node.variable for node in self.nodes))


def read_bif(path: str | Path) -> Network:
    """Read a network from a .bif file, which may be compressed with gzip."""
    place = checked_path(path)
    try:
        content = place.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{place} is not a text file in UTF-8; save it as one, or name another file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{str(place)!r} cannot be read: {reason}; name a .bif file.") from None
    return network_of(text, str(place))


def network_of(text: str, file: str = "the text") -> Network:
    """The network that a text in the format describes. `file` is its name in error messages."""
    tokens = _Tokens(file, text)
    name, variables, blocks = "", dict[str, _Variable](), dict[str, _Block]()
    while tokens.is_left:
        keyword = tokens.word("network, variable or probability")
        if keyword.text == "network":
            name = tokens.word("the name of the network").text
            _skip_properties(tokens)
        elif keyword.text == "variable":
            variable = _variable(tokens)
            if variable.name in variables:
                raise tokens.mistake(keyword.line, f"{variable.name} is defined twice; keep one of the two.")
            variables[variable.name] = variable
        elif keyword.text == "probability":
            block = _block(tokens, keyword.line)
            if block.child in blocks:
                raise tokens.mistake(keyword.line, f"{block.child} has two probability blocks; keep one of the two.")
            blocks[block.child] = block
        else:
            raise tokens.mistake(
                keyword.line, f"A block begins with network, variable or probability, not {keyword.text!r}."
            )
    if not variables:
        raise InputError(f"{file}: There is no variable; a network has blocks such as variable X {{ ... }}.")
    return _network(tokens, name, variables, blocks)


@dataclass(frozen=True)
class _Token:
    text: str
    line: int
    kind: str  # "sign", "word" or, if it is in quotation marks, "text"


@dataclass(frozen=True)
class _Variable:
    name: str
    values: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class _Entry:
    """A line of a probability block: numbers for a row, for all rows (`table`), or for all that are left."""

    kind: str  # "row", "table" or "default"
    row: tuple[str, ...]
    numbers: tuple[float, ...]
    line: int


@dataclass(frozen=True)
class _Block:
    child: str
    parents: tuple[str, ...]
    line: int
    entries: tuple[_Entry, ...]


class _Tokens:
    """The tokens of a text, one after the other."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._tokens = list(self._split(text))
        self._next = 0

    def _split(self, text: str) -> Iterator[_Token]:
        at, line = 0, 1
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                opening = "/*" if text[at] == "/" else text[at]
                raise self.mistake(line, f"{opening} is opened here and never closed; close it.")
            if match.lastgroup in ("sign", "word", "text"):
                yield _Token(match[0].strip('"'), line, match.lastgroup)
            line += match[0].count("\n")
            at = match.end()

    def mistake(self, line: int, sentence: object) -> InputError:
        return InputError(f"{self.file}, line {line}: {sentence}")

    @property
    def is_left(self) -> bool:
        return self._next < len(self._tokens)

    def next(self, expected: str) -> _Token:
        if not self.is_left:
            line = self._tokens[-1].line if self._tokens else 1
            raise self.mistake(line, f"The file ends where {expected} should follow.")
        self._next += 1
        return self._tokens[self._next - 1]

    def word(self, expected: str) -> _Token:
        """The next token, which must be a word."""
        token = self.next(expected)
        if token.kind == "sign":
            raise self.mistake(token.line, f"{token.text} stands where {expected} should be.")
        return token

    def sign(self, *signs: str) -> _Token:
        """The next token, which must be one of these signs."""
        expected = " or ".join(signs)
        token = self.next(expected)
        if token.kind != "sign" or token.text not in signs:
            raise self.mistake(token.line, f"{token.text!r} stands where {expected} should be.")
        return token

    def words_until(self, sign: str, expected: str) -> list[_Token]:
        """The words up to a sign."""
        found = []
        while self.is_left and not (self._tokens[self._next].kind == "sign" and self._tokens[self._next].text == sign):
            found.append(self.word(expected))
        self.sign(sign)
        return found


def _skip_properties(tokens: _Tokens) -> None:
    """Skip the properties of a block, up to its end."""
    tokens.sign("{")
    while not _is_end(token := tokens.next("}")):
        if token.text != "property":
            raise tokens.mistake(token.line, f"A network has properties only, not {token.text!r}.")
        _skip_property(tokens)


def _skip_property(tokens: _Tokens) -> None:
    while (token := tokens.next("; after the property")).kind != "sign" or token.text != ";":
        pass


def _is_end(token: _Token) -> bool:
    return token.kind == "sign" and token.text == "}"


def _variable(tokens: _Tokens) -> _Variable:
    """A block such as variable X { type discrete [ 2 ] { yes, no }; }."""
    name = tokens.word("the name of a variable")
    values: list[str] | None = None
    tokens.sign("{")
    while not _is_end(token := tokens.next("}")):
        if token.text == "property":
            _skip_property(tokens)
        elif token.text == "type" and values is None:
            values = _values(tokens, name.text)
        else:
            raise tokens.mistake(
                token.line, f"{token.text!r} does not belong into the variable {name.text}; it has one type."
            )
    if values is None:
        raise tokens.mistake(name.line, f"{name.text} has no type; add one such as type discrete [ 2 ] {{ yes, no }}.")
    return _Variable(name.text, tuple(values), name.line)


def _values(tokens: _Tokens, name: str) -> list[str]:
    """The named values of a variable, as many as are announced."""
    kind = tokens.word("discrete")
    if kind.text != "discrete":
        raise tokens.mistake(kind.line, f"{name} is {kind.text!r}; only discrete variables can be read.")
    tokens.sign("[")
    count = tokens.word("the number of values")
    tokens.sign("]")
    tokens.sign("{")
    values = [token.text for token in tokens.words_until("}", "a value")]
    tokens.sign(";")
    if count.text != str(len(values)):
        raise tokens.mistake(
            count.line, f"{name} announces {count.text} values and names {len(values)}; correct one of the two."
        )
    if len(set(values)) < max(len(values), 2):
        raise tokens.mistake(count.line, f"{name} needs at least two values, each with a name of its own.")
    return values


def _block(tokens: _Tokens, line: int) -> _Block:
    """A block such as probability ( X | A, B ) { (yes, no) 0.1, 0.9; default 0.5, 0.5; }."""
    tokens.sign("(")
    names = [token.text for token in tokens.words_until(")", "a variable")]
    if not names:
        raise tokens.mistake(line, "A probability block names its variable, as in probability ( X | A, B ).")
    if len(set(names)) < len(names):
        raise tokens.mistake(line, f"The probability block of {names[0]} names a variable twice; name each once.")
    entries = []
    tokens.sign("{")
    while not _is_end(token := tokens.next("}")):
        if token.text == "property":
            _skip_property(tokens)
        elif token.kind == "sign" and token.text == "(":
            row = tuple(value.text for value in tokens.words_until(")", "a value"))
            entries.append(_Entry("row", row, _numbers(tokens), token.line))
        elif token.text in ("table", "default"):
            entries.append(_Entry(token.text, (), _numbers(tokens), token.line))
        else:
            raise tokens.mistake(
                token.line, f"{token.text!r} stands where a row in ( ), table, default or property should be."
            )
    return _Block(names[0], tuple(names[1:]), line, tuple(entries))


def _numbers(tokens: _Tokens) -> tuple[float, ...]:
    """The probabilities up to the semicolon."""
    found = []
    for token in tokens.words_until(";", "a number, or the ; after the numbers,"):
        number = float(token.text) if NUMBER.fullmatch(token.text) else math.nan
        if not 0 <= number <= 1 + ROUNDING:
            raise tokens.mistake(token.line, f"{token.text!r} is no probability; it must be a number from 0 to 1.")
        found.append(number)
    return tuple(found)


def _network(tokens: _Tokens, name: str, variables: dict[str, _Variable], blocks: dict[str, _Block]) -> Network:
    """The network of these blocks. Each variable must have one block, and each block a variable."""
    for block in blocks.values():
        for used in (block.child, *block.parents):
            if used not in variables:
                raise tokens.mistake(block.line, unknown("variable", used, variables))
    for variable in variables.values():
        if variable.name not in blocks:
            raise tokens.mistake(variable.line, f"{variable.name} has no probability block; add one.")
    here = _notation(list(variables), ",=()")
    renamed = [(old, new) for old, new in here.items() if old != new]
    nodes, scaled = [], 0
    for old, variable in variables.items():
        values = _notation(variable.values, ",")
        renamed += [(f"{old}={value}", f"{here[old]}={new}") for value, new in values.items() if value != new]
        parents = tuple(here[parent] for parent in blocks[old].parents)
        table, changed = _table(tokens, blocks[old], variables)
        scaled += changed
        nodes.append(Node(Variable(here[old], tuple(values.values()), parents), parents, table))
    network = Network(name, tuple(nodes), tuple(renamed), scaled)
    try:
        network.graph  # noqa: B018  raises an error if there is a cycle
    except InputError as error:
        raise InputError(f"{tokens.file}: {error}") from None
    return network


def _notation(names: Sequence[str], signs: str) -> dict[str, str]:
    """Every name as interventions can write it: blanks and these signs become _, and no two names become the same."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(rf"[\s{re.escape(signs)}]", "_", name) or "_"
        new, number = plain, 2
        while new in found.values() or (new != name and new in names):
            new, number = f"{plain}_{number}", number + 1
        found[name] = new
    return found


def _table(tokens: _Tokens, block: _Block, variables: dict[str, _Variable]) -> tuple[NDArray[np.float64], int]:
    """The table of a block, one axis per parent and a last one for the variable, and how many rows were scaled."""
    child, parents = variables[block.child], [variables[name] for name in block.parents]
    shape = (*(len(parent.values) for parent in parents), len(child.values))
    if math.prod(shape) > LARGEST_TABLE:
        raise tokens.mistake(
            block.line, f"The table of {block.child} has more than {LARGEST_TABLE:,} numbers; leave out parents."
        )
    table = np.full(shape, np.nan)
    if any(entry.kind == "table" for entry in block.entries):
        _fill_all(tokens, block, table)
    else:
        _fill_rows(tokens, block, parents, table)
    totals = table.sum(axis=-1)
    wrong = np.argwhere(~(abs(totals - 1) <= ROUNDING))
    if len(wrong):
        at = tuple(wrong[0])
        row = ", ".join(f"{parent.name}={parent.values[i]}" for parent, i in zip(parents, at, strict=True))
        where = f"The row {row} of {block.child}" if row else f"The distribution of {block.child}"
        problem = "is missing; add it" if np.isnan(totals[at]) else f"sums to {totals[at]:.6g}; it must sum to 1"
        raise tokens.mistake(_line_of(block, parents, at), f"{where} {problem}.")
    is_exact = abs(totals - 1) <= EXACT
    return np.where(is_exact[..., None], table, table / totals[..., None]), int((~is_exact).sum())


def _fill_all(tokens: _Tokens, block: _Block, table: NDArray[np.float64]) -> None:
    """Fill a table from its `table` entry."""
    if len(block.entries) > 1:
        raise tokens.mistake(block.entries[1].line, f"{block.child} has a table and another entry; keep one of them.")
    (entry,) = block.entries
    _check_count(tokens, block, entry, table.size)
    table[...] = np.moveaxis(np.reshape(entry.numbers, (table.shape[-1], *table.shape[:-1])), 0, -1)


def _fill_rows(tokens: _Tokens, block: _Block, parents: Sequence[_Variable], table: NDArray[np.float64]) -> None:
    """Fill a table row by row. The default is for rows that are not named."""
    known: set[tuple[str, ...]] = set()
    for entry in sorted(block.entries, key=lambda entry: entry.kind):  # "default" comes first
        _check_count(tokens, block, entry, table.shape[-1])
        if entry.row in known:
            what = "the default" if entry.kind == "default" else f"the row ({', '.join(entry.row)})"
            raise tokens.mistake(entry.line, f"{block.child} has {what} twice; keep one of the two.")
        known.add(entry.row)
        table[() if entry.kind == "default" else _place(tokens, block, parents, entry)] = entry.numbers


def _place(tokens: _Tokens, block: _Block, parents: Sequence[_Variable], entry: _Entry) -> tuple[int, ...]:
    """The place of a row in its table."""
    if len(entry.row) != len(parents) or not parents:
        names = ", ".join(block.parents) or "no variable, so write table"
        raise tokens.mistake(
            entry.line,
            f"The row ({', '.join(entry.row)}) has {len(entry.row)} values; {block.child} depends on {names}.",
        )
    for parent, value in zip(parents, entry.row, strict=True):
        if value not in parent.values:
            raise tokens.mistake(entry.line, unknown(f"value of {parent.name}", value, parent.values))
    return tuple(parent.values.index(value) for parent, value in zip(parents, entry.row, strict=True))


def _check_count(tokens: _Tokens, block: _Block, entry: _Entry, needed: int) -> None:
    if len(entry.numbers) != needed:
        raise tokens.mistake(
            entry.line, f"{block.child} has {len(entry.numbers)} probabilities here; it needs {needed}."
        )


def _line_of(block: _Block, parents: Sequence[_Variable], at: Sequence[int]) -> int:
    """The line of a row, or that of the default or table, or that of the block."""
    row = tuple(parent.values[i] for parent, i in zip(parents, at, strict=True))
    lines = {entry.row if entry.kind == "row" else (): entry.line for entry in block.entries}
    return lines.get(row, lines.get((), block.line))
