"""The reader of BIF: small texts by hand, mistakes with their lines, and published networks if they are installed."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import os
import re
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.files.bif import Network, network_of

TEXT = """\
// a sprinkler and the rain
network "garden" { property version 1 (draft); property "author = nobody" ; }
variable Rain { type discrete [ 2 ] { yes, no }; property position = (73, 165); }
variable Sprinkler { type discrete [ 3 ] { off, low, high }; }
variable Wet { /* seen in
the morning */ type discrete [ 2 ] { yes, no }; }
probability ( Rain ) { table 0.2, 0.8; }
probability ( Sprinkler | Rain ) {
  (yes) 0.9, 0.1, 0;
  default 0.333, 0.333, 0.333;
}
probability ( Wet | Sprinkler, Rain ) {
  table 0.8, 0.1, 0.9, 0.2, 0.99, 0.3, 0.2, 0.9, 0.1, 0.8, 0.01, 7e-1;
}
"""


def tables(network: Network) -> dict[str, np.ndarray]:
    return {node.variable.name: node.unchecked for node in network.nodes}


def test_a_network_is_read_with_all_that_the_format_allows() -> None:
    network = network_of(TEXT)
    assert (network.name, network.renamed, network.scaled) == ("garden", (), 1)
    assert [(v.name, v.values, v.parents) for v in network.graph.variables] == [
        ("Rain", ("yes", "no"), ()),
        ("Sprinkler", ("off", "low", "high"), ("Rain",)),
        ("Wet", ("yes", "no"), ("Sprinkler", "Rain")),
    ]
    found = tables(network)
    assert found["Rain"].tolist() == [0.2, 0.8]
    np.testing.assert_allclose(found["Sprinkler"], [[0.9, 0.1, 0], [1 / 3, 1 / 3, 1 / 3]], rtol=1e-15)
    assert found["Wet"][..., 0].tolist() == [[0.8, 0.1], [0.9, 0.2], [0.99, 0.3]]  # the last parent changes fastest
    world = cb.World(network.nodes, reward="Wet", success="yes")
    assert world.mean("do(Sprinkler=high)") == pytest.approx(0.2 * 0.99 + 0.8 * 0.3, abs=1e-15)


def test_commas_and_bars_are_blanks_and_names_may_be_in_quotation_marks() -> None:
    old = TEXT.replace("|", " ").replace(",", " ").replace("Rain", '"Rain"').replace("yes", '"yes"')
    for name, table in tables(network_of(old)).items():
        np.testing.assert_array_equal(table, tables(network_of(TEXT))[name])


def test_rows_that_are_exact_are_kept_to_the_last_bit_and_rounded_ones_are_scaled() -> None:
    text = "variable X { type discrete [ 2 ] { a, b }; } probability ( X ) { table %s; }"
    for numbers, scaled in (("0.1, 0.9", 0), ("0.3334, 0.6667", 1), ("0.333, 0.666", 1)):
        network = network_of(text % numbers)
        (row,) = tables(network).values()
        given = np.array([float(number) for number in numbers.split(",")])
        np.testing.assert_array_equal(row, given / given.sum() if scaled else given)
        assert network.scaled == scaled


def test_names_that_interventions_cannot_write_are_changed_and_the_changes_are_told() -> None:
    text = """
    variable "Blood (a=b)" { type discrete [ 3 ] { "much, more" "much  more" >=7.5 }; }
    variable Blood__a_b_ { type discrete [ 2 ] { a b }; }
    probability ( "Blood (a=b)" ) { table 0.2 0.3 0.5; }
    probability ( Blood__a_b_ | "Blood (a=b)" ) { ("much, more") 0.1 0.9; default 0.5 0.5; }
    """
    network = network_of(text)
    first, second = network.graph.variables
    assert (first.name, first.values) == ("Blood__a_b__2", ("much__more", "much__more_2", ">=7.5"))
    assert second.parents == (first.name,)
    assert network.renamed == (
        ("Blood (a=b)", "Blood__a_b__2"),
        ("Blood (a=b)=much, more", "Blood__a_b__2=much__more"),
        ("Blood (a=b)=much  more", "Blood__a_b__2=much__more_2"),
    )
    for value in first.values:
        assert cb.Intervention.of(f"do({first.name}={value})") == {first.name: value}


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("probability ( Rain )", "chance ( Rain )", 7, "begins with network, variable or probability, not 'chance'"),
        ("variable Wet", "variable Rain", 5, "Rain is defined twice"),
        ("( Sprinkler | Rain )", "( Rain | Sprinkler )", 8, "Rain has two probability blocks"),
        ("probability ( Rain ) { table 0.2, 0.8; }", "", 3, "Rain has no probability block"),
        ("( Sprinkler | Rain )", "( Sprinkler | Rian )", 8, "no variable 'Rian'; did you mean 'Rain'?"),
        ("( Sprinkler | Rain )", "( Sprinkler | Rain, Rain )", 8, "names a variable twice"),
        ("( Rain )", "( )", 7, "names its variable, as in"),
        ("[ 3 ]", "[ 4 ]", 4, "announces 4 values and names 3"),
        ("low, high", "low, low", 4, "each with a name of its own"),
        ("[ 3 ] { off, low, high }", "[ 1 ] { off }", 4, "at least two values"),
        ("discrete [ 3 ]", "continuous [ 3 ]", 4, "only discrete variables can be read"),
        ("{ type discrete [ 3 ] { off, low, high }; }", "{ }", 4, "Sprinkler has no type"),
        ("{ off, low, high };", "{ off, low, high }; kind x;", 4, "'kind' does not belong into the variable Sprinkler"),
        ("(yes) 0.9, 0.1, 0", "(yes) 0.9, 0.1", 9, "has 2 probabilities here; it needs 3"),
        ("(yes) 0.9, 0.1, 0", "(yes) 0.9, 0.15, 0", 9, "The row Rain=yes of Sprinkler sums to 1.05"),
        ("(yes) 0.9, 0.1, 0", "(yes) 0.9, -0.1, 0.2", 9, "'-0.1' is no probability"),
        ("(yes) 0.9, 0.1, 0", "(yes) 0.9, nan, 0.1", 9, "'nan' is no probability"),
        ("(yes) 0.9, 0.1, 0", "(yes) 0.9, 1_0, 0.1", 9, "'1_0' is no probability"),
        ("(yes) 0.9", "(maybe) 0.9", 9, "no value of Rain 'maybe'"),
        ("(yes) 0.9", "(yes, no) 0.9", 9, "has 2 values; Sprinkler depends on Rain"),
        ("default 0.333, 0.333, 0.333", "(yes) 1, 0, 0", 10, "has the row (yes) twice"),
        ("(yes) 0.9, 0.1, 0", "default 0.9, 0.1, 0", 10, "has the default twice"),
        ("default 0.333, 0.333, 0.333;", "", 8, "The row Rain=no of Sprinkler is missing"),
        ("0.333, 0.333, 0.333", "0.33, 0.33, 0.33", 10, "The row Rain=no of Sprinkler sums to 0.99"),
        ("table 0.2, 0.8", "table 0.2, 0.7", 7, "The distribution of Rain sums to 0.9"),
        ("table 0.2, 0.8", "() 0.2, 0.8", 7, "depends on no variable, so write table"),
        ("0.01, 7e-1", "0.7", 13, "has 11 probabilities here; it needs 12"),
        ("7e-1;", "7e-1; default 1, 0;", 13, "Wet has a table and another entry"),
        ("default 0.333", "otherwise 0.333", 10, "'otherwise' stands where a row"),
        ("(yes) 0.9, 0.1, 0;", "(yes) 0.9, 0.1, 0", 10, "'default' is no probability"),
        ("table 0.2, 0.8; }", "table 0.2, 0.8; ", 8, "'probability' stands where a row"),
        ("7e-1;\n}", "7e-1;", 13, "The file ends where } should follow"),
        ("morning */", "morning", 5, "/* is opened here and never closed"),
        ('network "garden"', 'network "garden', 2, "is opened here"),
        ("property version 1", "version 1", 2, "A network has properties only, not 'version'"),
        ("variable Sprinkler {", "variable {", 4, "{ stands where the name of a variable should be"),
        ("{ type discrete [ 3 ]", "type discrete [ 3 ]", 4, "'type' stands where { should be"),
    ],
)
def test_a_mistake_is_named_with_its_line_in_one_sentence(old: str, new: str, line: int, sentence: str) -> None:
    assert TEXT.count(old) >= 1
    with pytest.raises(cb.InputError) as caught:
        network_of(TEXT.replace(old, new, 1), "garden.bif")
    text = str(caught.value)
    assert text.startswith(f"garden.bif, line {line}: ")
    assert sentence in text
    assert re.fullmatch(r".*[.?]", text)


def test_a_cycle_and_a_text_without_variables_are_named() -> None:
    loop = "variable A { type discrete [ 2 ] { a, b }; } variable B { type discrete [ 2 ] { a, b }; }"
    loop += "probability ( A | B ) { default 0.5, 0.5; } probability ( B | A ) { default 0.5, 0.5; }"
    with pytest.raises(cb.InputError, match=r"^the text: The graph has the cycle A -> B -> A"):
        network_of(loop)
    for empty in ("", "// nothing", "network x { }"):
        with pytest.raises(cb.InputError, match="There is no variable"):
            network_of(empty)


def test_whatever_is_missing_there_is_a_sentence() -> None:
    """Every text with one token less, and every beginning of the text, is a network or a mistake with one sentence."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", TEXT)
    texts = ["".join(pieces[:i] + pieces[i + 1 :]) for i in range(len(pieces))]
    texts += [TEXT[:n] for n in range(0, len(TEXT), 3)]
    answers = []
    for text in texts:
        try:
            answers.append(repr(cb.World(network_of(text).nodes, reward="Rain", success="yes")))
        except cb.InputError as error:
            answers.append(str(error))
    assert not [answer for answer in answers if "\n" in answer]
    worlds = sum(answer.startswith("World") for answer in answers)
    assert worlds > 50  # blanks and commas may be left out
    assert len(answers) - worlds > 100


def test_a_file_may_be_compressed_and_one_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "garden.bif", tmp_path / "garden.bif.gz"
    plain.write_text(TEXT)
    compressed.write_bytes(gzip.compress(TEXT.encode()))
    assert cb.files.read_bif(str(plain)).name == cb.files.read_bif(compressed).name == "garden"
    compressed.write_bytes(gzip.compress(TEXT.encode())[:50])
    plain.write_bytes(b"\xff\xfe\x00")
    for path in (plain, compressed):
        with pytest.raises(cb.InputError, match="is not a text file in UTF-8"):
            cb.files.read_bif(path)
    for path in (tmp_path / "none.bif", tmp_path):
        with pytest.raises(cb.InputError, match=r"cannot be read: .*; name a \.bif file\.$"):
            cb.files.read_bif(path)


SIZES = {  # nodes, edges, free parameters: the numbers of the bnlearn repository
    "asia": (8, 8, 18),
    "sachs": (11, 17, 178),
    "child": (20, 25, 230),
    "insurance": (27, 52, 1008),
    "alarm": (37, 46, 509),
}


@pytest.mark.parametrize("name", SIZES)
def test_published_networks_are_read(name: str) -> None:
    package = importlib.util.find_spec("pgmpy")
    folder = Path(package.origin or "").parent / "utils/example_models" if package is not None else Path("none")
    path = folder / f"{name}.bif.gz"
    if not path.exists():
        reason = "pgmpy 1.0.0, whose wheel has the networks, is not installed"
        pytest.fail(reason) if os.environ.get("CAUSALBANDITS_CI") else pytest.skip(reason)
    network = cb.files.read_bif(path)
    sizes = [node.unchecked.shape for node in network.nodes]
    parameters = sum(int(np.prod(shape[:-1])) * (shape[-1] - 1) for shape in sizes)
    assert (len(network.nodes), sum(len(node.given) for node in network.nodes), parameters) == SIZES[name]
    for node in network.nodes:
        np.testing.assert_allclose(node.unchecked.sum(axis=-1), 1, atol=1e-15)
        assert (node.unchecked >= 0).all()
    text = gzip.decompress(path.read_bytes()).decode()
    rows = {
        (block[1], row[1]): [float(number) for number in row[2].split(",")]
        for block in re.finditer(r"probability \( (\w+) \| [^)]*\) \{(.*?)\n\}", text, re.DOTALL)
        for row in re.finditer(r"\(([^)]*)\) ([^;]*);", block[2])
    }  # a second reading, by a plain search
    for node in network.nodes:
        causes = [network.graph[cause].values for cause in node.given]
        for at, values in zip(np.ndindex(node.unchecked.shape[:-1]), itertools.product(*causes), strict=True):
            if causes:
                row = rows[node.variable.name, ", ".join(values)]
                np.testing.assert_allclose(node.unchecked[at], row, atol=1e-3)
    reward = network.nodes[-1].variable
    world = cb.World(network.nodes, reward=reward.name, success=reward.values[0])
    assert 0 < world.mean("do()") < 1
