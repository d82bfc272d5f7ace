"""Every key of a problem file, explained: for the command `keys` and for docs/problem-files.md."""

from __future__ import annotations

from typing import NamedTuple

NEEDED = "needed"
COLUMNS = ("key", "example", "meaning", "if you leave it out")


class Key(NamedTuple):
    """A key, an example of its value, what it means, and what holds without it."""

    name: str
    example: str
    meaning: str
    without: str

    @property
    def line(self) -> str:
        """How the key is written."""
        return f"{self.name} ({self.example})" if "section" in self.example else f"{self.name} = {self.example}"

    @property
    def sentence(self) -> str:
        """What it means, and what holds without it."""
        without = self.without if self.without.startswith(NEEDED) else f"without it: {self.without}"
        return f"{self.meaning[0].upper()}{self.meaning[1:]} ({without})."


FILE = (
    Key("reward", '"Buy"', "the variable that you want more of", NEEDED),
    Key(
        "success",
        '"yes"',
        "the value of the reward that counts as 1; all others count as 0",
        "needed, unless the values are numbers or the reward is real",
    ),
    Key(
        "bounds",
        "[0, 10]",
        "the least and the largest reward, if it is a number",
        "the least and the largest of its values",
    ),
    Key("budget", "500", "the money to spend; at most six decimals", "give horizon"),
    Key("horizon", "500", "a number of rounds instead of a budget; every arm then costs one round", "give budget"),
    Key("cost", "2", "what a round of an intervention costs: one number, a section, or a list", "1"),
    Key(
        "arms",
        '["Image"]',
        "the interventions to choose from, or variables to set to each of their values",
        "every variable that you can set, to each of its values",
    ),
    Key("observe", "false", "whether a round may only watch; watching is then the arm do()", "true"),
    Key(
        "reward_scale",
        "5.0",
        "about the standard deviation of a reward that is any real number",
        "policies assume 0.5, live intervals estimate it",
    ),
    Key("keep_money", "true", "money may be left over: stop when no arm is worth its price", "false"),
    Key("strict", "true", "refuse arms that watching teaches nothing about", "false"),
    Key("objective", '"earn"', 'to "find" the best intervention, or to "earn" while learning', '"find"'),
    Key(
        "policy",
        '"crm-nb"',
        'the policy, or { kind = "crm-nb", exploration = 8 } with parameters',
        "the recommended one",
    ),
    Key("seed", "1", "the seed of all random choices, a whole number", "0 for an experiment, 1 for a simulation"),
    Key("lease", "600", "how many seconds a trial of an experiment may take", "3600"),
    Key("name", '"checkout"', "the name of the experiment", "the name of the file"),
    Key("reference", '"our shop"', "where the numbers come from, for the reader", "nothing"),
    Key(
        "reward_parents",
        "a section",
        "for each arm, the probabilities of the configurations of the reward's causes",
        "they are not known",
    ),
    Key("variables", "sections", "a section [variables.Name] for each variable", NEEDED),
)
VARIABLE = (
    Key("values", '["no", "yes"]', 'its values; "real" for a reward that is a real number', NEEDED),
    Key("parents", '["Image"]', "its direct causes", "those of given or weights, or none"),
    Key("hidden", "true", "it matters, but nobody records it", "false"),
    Key("intervenable", "false", "whether the default arms set it", "true, and false for a real number"),
)
WORLD = (
    Key(
        "probabilities",
        "[0.9, 0.1]",
        "the probability of each value, in order, if it has no causes",
        "give table or weights",
    ),
    Key(
        "table",
        "a section",
        "a row of probabilities for each configuration of its causes",
        "give probabilities or weights",
    ),
    Key("given", '["Image"]', "the parents that the table depends on", "all parents"),
    Key(
        "weights",
        "{ Image = 0.5 }",
        "how much a real reward grows with each cause, whose values are numbers",
        "give probabilities or table",
    ),
    Key(
        "noise",
        "0.1",
        "the standard deviation of the normal noise of a real reward; it may be 0",
        "needed with weights",
    ),
    Key("intercept", "2", "a real reward where all causes are 0", "0"),
)
SECTIONS = {  # by their titles
    "The whole file, at the top, above the first section in [ ]:": FILE,
    "Each variable, in its section [variables.Name]:": VARIABLE,
    "Each variable of a world, which can be simulated; in all such sections, or in none:": WORLD,
}
