"""Mistakes in problem files: each is answered with the file, the line, the key and the remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.files import read

from .texts import CHAIN, EXAMPLE, REVEALED, SHOP, changed, refused, shop, without_probabilities

MISTAKES: list[tuple[str, str, str]] = [
    (
        "a syntax error",
        changed("budget = 50.5", "budget 50.5"),
        "line 3: This is not TOML: expected '=' .* in 'budget 50.5'; correct that line",
    ),
    (
        "a key twice",
        changed("budget = 50.5", "budget = 5\nbudget = 6"),
        "line 4: This is not TOML: cannot overwrite a value",
    ),
    ("an open quotation mark", SHOP + 'name = "x', "line 31: This is not TOML: "),
    ("an empty file", "", "The file is empty; begin with reward"),
    ("a file of comments", "# nothing\n", "The file is empty"),
    ("a number out of all bounds", changed("50.5", "1e-99999"), "a number that is too large or too small: 1e-99999"),
    ("deep nesting", "x = " + "[" * 5000 + "]" * 5000, "too deeply"),
    ("an unknown key", changed("budget", "buget"), "line 3, buget: There is no key 'buget'; did you mean 'budget'"),
    (
        "an unknown key of a variable",
        changed("intervenable", "intervenible"),
        "line 16, variables.Cart.intervenible: .* did you mean 'intervenable'",
    ),
    (
        "a key in the wrong section",
        changed("Image = 2\n", "Image = 2\nseed = 4\n"),
        "line 8, cost.seed: seed belongs to the whole file; move it to the top",
    ),
    (
        "a key in a variable's section",
        SHOP.replace("intervenable = false", "horizon = 4"),
        "line 16, variables.Cart.horizon: horizon belongs to the whole",
    ),
    ("no reward", changed('reward = "Buy"\n', ""), "reward: The key reward is missing; add reward = "),
    ("no variables", 'reward = "Buy"\nbudget = 3\n', "variables: The key variables is missing; add a section"),
    (
        "no values",
        changed('values = ["small", "large"]\n', ""),
        r'line 9, variables.Image.values: The key values is missing; add values = \["no", "yes"\]',
    ),
    ("a word for a number", changed("50.5", '"lots"'), 'line 3, budget: This must be a number, not "lots".'),
    ("a number in quotation marks", changed("50.5", '"50"'), 'not "50"; leave out the quotation marks'),
    ("a date for a number", changed("50.5", "2024-01-01"), "budget: This must be a number, not 2024-01-01"),
    ("true for a number", changed("50.5", "true"), "budget: This must be a number, not true"),
    (
        "a word for true",
        changed("intervenable = false", 'hidden = "no"'),
        'line 16, variables.Cart.hidden: This must be true or false, not "no"',
    ),
    ("a number for a name", changed('"Buy"', "3"), "line 1, reward: This must be text in quotation marks, not 3"),
    ("a text for arms", 'arms = "Image"\n' + SHOP, r'line 1, arms: This must be a list, in \[ \], not "Image"'),
    (
        "an arm that is a number",
        'arms = ["Image", 3]\n' + SHOP,
        r'line 1, arms \(entry 2\): An arm is written "do\(X=1\)"',
    ),
    (
        "a list for a section",
        "variables = []\n" + SHOP[: SHOP.index("[")],
        r"line 1, variables: This must be a section, or a table in \{ \}, not an empty list",
    ),
    (
        "a variable that is a number",
        without_probabilities() + "[variables]\nQ = 3\n",
        "line 2[0-9], variables.Q: This must be a section",
    ),
    (
        "values that are no list",
        changed('values = ["small", "large"]', 'values = "small"'),
        'variables.Image.values: The values must be a list such as .* not "small"',
    ),
    (
        "no value at all",
        changed('values = ["small", "large"]', "values = []"),
        "variables.Image.values: .* not an empty list",
    ),
    (
        "a value that is a list",
        changed('values = ["small", "large"]', "values = [[1], 2]"),
        "variables.Image.values: A value must be text or a number, not a list",
    ),
    (
        "one value",
        changed('["small", "large"]', '["small"]'),
        "line 9, variables.Image: Variable Image has the single value 'small'",
    ),
    (
        "a value twice",
        changed('["small", "large"]', '["small", "small"]'),
        "line 9, variables.Image: Variable Image lists a value twice",
    ),
    (
        "parents that are numbers",
        changed('parents = ["Image"]', "parents = [1]"),
        "line 15, variables.Cart.parents: This must be a list of names",
    ),
    (
        "a missing variable",
        changed('parents = ["Image"]', 'parents = ["Imge"]'),
        "line 15, variables.Cart.parents: There is no variable 'Imge'; did you mean 'Image'",
    ),
    ("a cycle", changed("[0.9, 0.1]", '[0.9, 0.1]\nparents = ["Buy"]'), "variables: The graph has the cycle"),
    (
        "a name that cannot be written",
        SHOP + '[variables."a=b"]\nvalues = [0, 1]',
        r'line 31, variables."a=b": A variable cannot be called',
    ),
    (
        "an unknown reward",
        changed('reward = "Buy"', 'reward = "Bye"'),
        "line 1, reward: There is no variable 'Bye'; did you mean 'Buy'",
    ),
    ("a hidden reward", changed('["no", "yes"]', '["no", "yes"]\nhidden = true'), "success: The reward Buy is hidden"),
    ("a long number", changed("50.5", f'"{"9" * 200}"'), r'not "9{39}\.\.\.; leave out the quotation marks\.$'),
    ("no success", changed('success = "yes"\n', ""), "line 1, reward: Say which value of the reward Buy counts as 1"),
    (
        "an unknown success",
        changed('success = "yes"', 'success = "yess"'),
        "line 2, success: There is no value of Buy 'yess'; did you mean 'yes'",
    ),
    ("success and bounds", "bounds = [0, 1]\n" + SHOP, "line 1, bounds: The reward Buy cannot be both binary"),
    (
        "three bounds",
        "bounds = [0, 1, 2]\n" + changed('success = "yes"\n', ""),
        "line 1, bounds: The bounds must be two numbers, .* not 3",
    ),
    (
        "bounds in words",
        'bounds = [0, "high"]\n' + SHOP,
        r'line 1, bounds \(entry 2\): This must be a number, not "high"',
    ),
    (
        "budget and horizon",
        "horizon = 5\n" + changed("[cost]\nImage = 2\n", ""),
        "line 1, horizon: The file has a budget and a horizon; keep one of the two",
    ),
    (
        "neither budget nor horizon",
        changed("budget = 50.5\n", "", changed("[cost]\nImage = 2\n", "")),
        "shop.toml: The file has neither a budget nor a horizon; add budget = 500 .* at the top",
    ),
    (
        "no budget, and costs",
        changed("budget = 50.5\n", ""),
        "shop.toml: The file has neither a budget nor a horizon; add budget = 500 .* at the top",
    ),
    (
        "a budget among the costs",
        changed("budget = 50.5\n", "").replace("Image = 2", "budget = 5"),
        "line 6, cost.budget: budget belongs to the whole file",
    ),
    ("a budget below every cost, and costs", changed("50.5", "0.5"), "line 3, budget: The budget 0.5 is below"),
    (
        "a budget that is not a number",
        changed("50.5", "nan"),
        "line 3, budget: The budget must be a positive number, not NaN",
    ),
    ("an infinite budget", changed("50.5", "inf"), "line 3, budget: The budget must be a positive number"),
    ("a negative budget", changed("50.5", "-1"), "line 3, budget: The budget must be a positive number, not -1"),
    (
        "a budget with seven decimals",
        changed("50.5", "5.0000001"),
        "line 3, budget: The budget may have at most six decimals",
    ),
    (
        "a budget that only a float would round",
        changed("50.5", "50.00000000000000001"),
        "line 3, budget: The budget may have at most six decimals",
    ),
    ("a budget below every cost", changed("50.5", "0.5"), "The budget 0.5 is below the cheapest arm"),
    ("half a round", changed("30", "30.5", CHAIN), "line 2, horizon: This must be a whole number, not 30.5"),
    (
        "no rounds",
        changed("30", "0", CHAIN),
        "line 2, horizon: The horizon must be a whole number of rounds, at least 1, not 0",
    ),
    ("a cost with a horizon", "cost = 2\n" + CHAIN, "line 1, cost: With a horizon every arm costs one round"),
    (
        "a cost in words",
        changed("Image = 2", 'Image = "high"'),
        'line 7, cost.Image: This must be a number, not "high"',
    ),
    (
        "a cost of zero",
        changed("Image = 2", "Image = 0"),
        "line 7, cost.Image: The cost of Image must be a positive number, not 0",
    ),
    (
        "a cost of an unknown arm",
        changed("Image = 2", 'Image = 2\n"do(Image=larg)" = 3'),
        r'line 8, cost."do\(Image=larg\)": There is no arm \'do\(Image=larg\)\'; did you mean',
    ),
    (
        "a cost of an unknown variable",
        changed("Image = 2", "Imagee = 2"),
        "line 7, cost.Imagee: There is no variable that an arm sets 'Imagee'; did you mean 'Image'",
    ),
    (
        "a cost of a variable that is not intervenable",
        changed("Image = 2", "Image = 2\nCart = 3"),
        "line 8, cost.Cart: Cart has a cost, but no arm sets it, because it is not intervenable; leave its cost out",
    ),
    (
        "a cost of a hidden variable",
        changed("Image = 2", "Image = 2\nMood = 3", without_probabilities())
        + "[variables.Mood]\nvalues = [0, 1]\nhidden = true\n",
        "line 8, cost.Mood: Mood has a cost, but no arm sets it, because it is hidden; leave its cost out",
    ),
    (
        "a cost of a variable that the arms leave out",
        'arms = ["do(Image=large)"]\n' + changed("Image = 2", "Image = 2\nBuy = 3"),
        "line 9, cost.Buy: Buy has a cost, but no arm sets it, because it is not among the arms",
    ),
    (
        "typographic quotation marks",
        changed('reward = "Buy"', "reward = “Buy”"),
        'line 1: This line has typographic quotation marks; write straight ones, as in "text"',
    ),
    ("thousands with commas", changed("50.5", "4,000"), "line 3: A number is .* write budget = 4000"),
    ("a currency", changed("50.5", "$4000  # a lot"), "line 3: A number is .* write budget = 4000"),
    (
        "a currency in a text",
        changed("50.5", '"$4,000"'),
        r'line 3, budget: This must be a number, not "\$4,000"; write 4000',
    ),
    ("a decimal comma", changed("50.5", "50,5"), r"line 3: A number is .* write budget = 50\.5"),
    ("a share", changed("small = 0.2", "small = 20 %"), r"line 19: A number is .* write small = 0\.2"),
    ("a number without its 0", changed("small = 0.2", "small = .2"), r"line 19: A number is .* write small = 0\.2"),
    ("text without quotation marks", changed('"Buy"', "Buy"), 'line 1: Text is written in .* write reward = "Buy"'),
    (
        "a list without quotation marks",
        changed('["small", "large"]', "[small, large]"),
        r'line 10: Text is written in quotation marks; write values = \["small", "large"\]',
    ),
    ("a colon", changed("budget = 50.5", "budget: 50.5"), r"line 3: A key and .* the sign = .* write budget = 50\.5"),
    (
        "a list without brackets",
        changed('["small", "large"]', '"small", "large"'),
        r'line 10: A list is written in \[ \]; write values = \["small", "large"\]',
    ),
    (
        "a quotation mark that is not closed",
        changed('"Buy"', "'Buy"),
        'line 1: This is not TOML: .* in "reward = \'Buy"',
    ),
    (
        "a Python truth",
        changed("intervenable = false", "intervenable = False"),
        "line 16: This is true or false, in small letters; write intervenable = false",
    ),
    (
        "an arm without a cost",
        changed("Image = 2", '"do(Image=large)" = 2'),
        r"line 6, cost: The arm do\(Image=small\) has no cost",
    ),
    (
        "too few costs",
        "cost = [1, 2]\n" + changed("[cost]\nImage = 2\n", ""),
        "line 1, cost: There are 2 costs for 3 arms",
    ),
    (
        "an arm twice",
        'arms = ["Image", "do(Image=large)"]\n' + SHOP,
        r"line 1, arms: The arm do\(Image=large\) is listed twice",
    ),
    (
        "a hidden arm",
        'arms = ["Image"]\n' + changed("probabilities = [0.9, 0.1]", "probabilities = [0.9, 0.1]\nhidden = true"),
        "line 1, arms: .* which is hidden",
    ),
    (
        "an arm of an unknown value",
        'arms = ["do(Image=huge)"]\n' + SHOP,
        "line 1, arms: There is no value of Image 'huge'",
    ),
    ("no arms", "arms = []\n" + SHOP, "line 1, arms: A problem needs at least one intervention"),
    (
        "a strict problem with a backdoor path",
        "strict = true\narms = ['Cart']\n" + SHOP.replace("Image = 2", "Cart = 2"),
        "line 1, strict: A strict problem .* Cart <- Image -> Buy",
    ),
    (
        "an unknown objective",
        'objective = "win"\n' + SHOP,
        'line 1, objective: The objective is "find" .* or "earn" .*, not \'win\'',
    ),
    ("an objective that is a number", "objective = 3\n" + SHOP, 'line 1, objective: The objective is "find" .* not 3'),
    (
        "an unknown policy",
        changed("crm-nb", "crm-bn"),
        "line 4, policy: There is no policy 'crm-bn'; did you mean 'crm-nb'",
    ),
    (
        "an unknown parameter",
        changed('"crm-nb"', '{ kind = "crm-nb", explore = 2 }'),
        "line 4, policy: There is no parameter of crm-nb called 'explore'; did you mean",
    ),
    (
        "a parameter in words",
        changed('"crm-nb"', '{ kind = "crm-nb", exploration = "high" }'),
        "line 4, policy: The parameter exploration of crm-nb must be a finite float",
    ),
    (
        "a negative parameter",
        changed('"crm-nb"', '{ kind = "crm-nb", exploration = -0.5 }'),
        "line 4, policy: .* at least 0, not -0.5",
    ),
    (
        "a policy without its kind",
        changed('"crm-nb"', "{ exploration = 2 }"),
        'line 4, policy: A policy is written "crm-nb" or',
    ),
    (
        "a policy whose name is a number",
        changed('"crm-nb"', '{ kind = "crm-nb", name = 3 }'),
        "line 4, policy: The name of a policy must be text",
    ),
    ("a negative seed", "seed = -1\n" + SHOP, "line 1, seed: The seed must be a whole number, at least 0, not -1"),
    (
        "a lease of nothing",
        "lease = 0\n" + SHOP,
        "line 1, lease: The lease must be a number of seconds between 0.001 and 31622400, not 0",
    ),
    (
        "an endless lease",
        "lease = inf\n" + SHOP,
        "line 1, lease: The lease must be a number of seconds between 0.001 and 31622400, not Infinity",
    ),
    (
        "a lease of 30 years",
        "lease = 1e9\n" + SHOP,
        "line 1, lease: The lease must be a number of seconds between 0.001 and 31622400, not 1",
    ),
    (
        "a number too large for a weight",
        changed("0.5", "1" + "0" * 400, CHAIN),
        "line 10, variables.Y.weights.X: This number is too large",
    ),
    (
        "no probabilities for one variable",
        changed("probabilities = [0.9, 0.1]\n", ""),
        "line 9, variables.Image: Image has no probabilities, but other variables have; add probabilities",
    ),
    (
        "no table for one variable",
        changed("[variables.Cart.table]\nsmall = 0.2\nlarge = 0.5\n", ""),
        r"line 13, variables.Cart: Cart has no table, but other variables have; add a section \[variables.Cart.table\]",
    ),
    (
        "no weights",
        changed("weights = { X = 0.5 }", 'parents = ["X"]', CHAIN),
        "line 8, variables.Y: Y has no weights, but other variables have",
    ),
    ("no noise", changed("noise = 0.1\n", "", CHAIN), "line 8, variables.Y: Y has weights and no noise; add noise"),
    (
        "probabilities of a variable with parents",
        changed("intervenable = false", "probabilities = 0.3"),
        r"line 16, variables.Cart.probabilities: Cart depends on Image; give a row .* \[variables.Cart.table\]",
    ),
    (
        "a table of a variable without parents",
        changed("probabilities = [0.9, 0.1]", "table = { a = 1 }"),
        "line 11, variables.Image.table: Image has no causes; give probabilities",
    ),
    (
        "weights of named values",
        changed("probabilities = [0.9, 0.1]", "weights = { Q = 1 }\nparents = []"),
        "line 11, variables.Image.weights: Image has no causes",
    ),
    (
        "a table of a real number",
        changed("noise = 0.1", "table = { 0 = 1 }", CHAIN),
        "line 11, variables.Y.table: Y is a real number",
    ),
    (
        "a cause that is no parent",
        changed("intervenable = false", 'given = ["Buy"]'),
        "line 16, variables.Cart.given: Cart depends on 'Buy', which is not among its parents",
    ),
    (
        "a weight of no parent",
        changed("noise = 0.1", "noise = 0.1\nparents = []", CHAIN),
        "line 10, variables.Y.weights: Y depends on 'X', which is not among",
    ),
    (
        "a row that names too little",
        changed('"small, empty"', "small"),
        "line 27, variables.Buy.table.small: A key here names a value for each of Image, Cart, .* names 1",
    ),
    (
        "a row of an unknown value",
        changed('"small, empty"', '"smal, empty"'),
        """line 27, variables.Buy.table."smal, empty": There is no value of Image 'smal'; did you mean 'small'""",
    ),
    (
        "a row twice",
        changed('"small, filled"', '"small,empty"'),
        'line 28, variables.Buy.table."small,empty": This row is listed twice',
    ),
    (
        "a probability in words",
        changed("small = 0.2", 'small = "rare"'),
        'line 19, variables.Cart.table.small: This must be a number, not "rare"',
    ),
    (
        "a probability in words in a list",
        changed("small = 0.2", 'small = [1, "rare"]'),
        r"line 19, variables.Cart.table.small \(entry 2\): This must be a number",
    ),
    (
        "a probability in words by value",
        changed("small = 0.2", 'small = { empty = "rare" }'),
        "line 19, variables.Cart.table.small.empty: This must be a number",
    ),
    (
        "revealed parents of an unknown arm",
        REVEALED.replace("do(X=1)", "do(X=2)"),
        r'line 16, reward_parents."do\(X=2\)": There is no arm',
    ),
    (
        "revealed parents of an arm twice",
        REVEALED + '"do( X=1)" = [0, 1]\n',
        r'reward_parents."do\( X=1\)": The arm do\(X=1\) is listed twice',
    ),
    (
        "revealed parents that leave out an arm",
        REVEALED.replace('"do()" = [0.7, 0.3]\n', ""),
        r"line 13, reward_parents: There is no row for the arm do\(\)",
    ),
    (
        "revealed parents that leave out a configuration",
        REVEALED.replace(", 1 = 0", ""),
        r'line 15, reward_parents."do\(X=0\)": There is no probability for "1"',
    ),
    (
        "revealed parents of an unknown configuration",
        REVEALED.replace(", 1 = 0", ", 2 = 0"),
        r'line 15, reward_parents."do\(X=0\)".2: There is no value of X',
    ),
    (
        "too few revealed parents",
        REVEALED.replace("[0.7, 0.3]", "[0.7]"),
        r'line 14, reward_parents."do\(\)": There must be 2 probabilities, .* not 1',
    ),
    (
        "revealed parents that do not sum to 1",
        REVEALED.replace("[0.7, 0.3]", "[0.7, 0.2]"),
        r"line 13, reward_parents: The parents' distribution under do\(\) sums to 0.9",
    ),
    (
        "revealed parents of nothing",
        'reward = "Y"\nhorizon = 3\nreward_parents = {}\n'
        "[variables.X]\nvalues = [0, 1]\n[variables.Y]\nvalues = [0, 1]\n",
        "line 3, reward_parents: .* leave this section out",
    ),
]


@pytest.mark.parametrize(
    ("text", "pattern"), [pytest.param(text, pattern, id=name) for name, text, pattern in MISTAKES]
)
def test_a_mistake_in_a_file_is_reported_with_its_place(text: str, pattern: str, tmp_path: Path) -> None:
    refused(shop(tmp_path, text), pattern, cb.read_problem)


def test_the_texts_without_mistakes_are_read(tmp_path: Path) -> None:
    for text in (SHOP, CHAIN, REVEALED):
        cb.read_world(shop(tmp_path, text))
    np.testing.assert_array_equal(read(shop(tmp_path, REVEALED)).problem.parents, [[0.7, 0.3], [1, 0], [0, 1]])


def test_a_file_that_cannot_be_read_is_answered_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError, match=r"^There is no file '.*none.toml'\.$"):
        read(tmp_path / "none.toml")
    with pytest.raises(cb.InputError, match=r" is a folder; name a file in it\.$"):
        read(tmp_path)
    (tmp_path / "latin.toml").write_bytes('name = "Käse"'.encode("latin-1"))
    with pytest.raises(
        cb.InputError, match=r"latin.toml: The file is not UTF-8 text, from byte 10 on; save it as UTF-8\.$"
    ):
        read(tmp_path / "latin.toml")
    (tmp_path / "shop.xlsx").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    with pytest.raises(
        cb.InputError,
        match=r"shop.xlsx is a spreadsheet and not a text file; .* causalbandits init brings an example\.$",
    ):
        read(tmp_path / "shop.xlsx")
    (tmp_path / "file").touch()
    with pytest.raises(cb.InputError, match=r" cannot be read: not a directory\.$"):
        read(tmp_path / "file" / "shop.toml")
    with pytest.raises(cb.InputError, match=r" cannot be read: embedded null byte\.$"):
        read("a\0b")


def test_without_pydantic_the_extra_is_named() -> None:
    code = f"import sys; sys.modules['pydantic'] = None\nimport causalbandits as cb\ncb.read_problem({str(EXAMPLE)!r})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stderr.splitlines()[-1].endswith(
        'InputError: Problem files need pydantic; pip install "causalbandits[live]".'
    )


@pytest.mark.parametrize("part", ["a", '"a"', "a "])
def test_a_key_of_very_many_parts_is_refused_before_it_is_read(tmp_path: Path, part: str) -> None:
    """Reading it takes a time that grows with the square of its parts."""
    path = tmp_path / "deep.toml"
    path.write_text(".".join([part] * 20_000) + " = 1\n")
    with pytest.raises(cb.InputError, match="A key has more than 100 parts; a problem needs three"):
        cb.read_problem(path)


def test_a_very_long_word_is_no_key_of_many_parts(tmp_path: Path) -> None:
    """The search for long keys must not take a time that grows with the square of the word, which would be hours."""
    path = tmp_path / "long.toml"
    path.write_text(f'reward = "{"a" * 1_000_000}"\n')
    with pytest.raises(cb.InputError) as caught:
        cb.read_problem(path)
    assert "parts" not in str(caught.value)[:100]
