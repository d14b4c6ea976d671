"""Rules that try a reader: each is a function of its number alone."""

import json
from copy import deepcopy
from random import Random
from typing import Any

from tests.corpus.hostile import mutated

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**30, -(2**63), 0.5, -0.0, 1e308, 5e-324),
    *("", "x0", "a" * 300, "\ud800", "\x00", "=1+1", "<script>", "gnri-rule", "gnri-ruleset"),
    *([], {}, [[]], [[0, True]], [0, 0, 0], {"kind": "above", "column": "a", "cut": 1}),
)


def _rule(clauses: list[list[Any]], positive: bool = True) -> dict[str, Any]:
    return {"format": "gnri-rule", "version": 1, "positive": positive, "clauses": clauses}


RULESETS: tuple[dict[str, Any], ...] = (
    {
        "format": "gnri-ruleset",
        "version": 1,
        "classes": ["no", "yes"],
        "majority": 0,
        "turns": [],
        "atoms": [
            {"kind": "above", "column": "age", "cut": 30.5},
            {"kind": "equals", "column": "odor", "value": "foul"},
            {"kind": "one of", "column": "dose", "values": ["a", "b"]},
            {"kind": "true", "column": "ill"},
        ],
        "blocks": [[1]],
        "rules": [_rule([[[0, True], [1, False]], [[2, True]], [[3, True]]])],
    },
    {
        "format": "gnri-ruleset",
        "version": 1,
        "classes": [1, 2, 3],
        "majority": 1,
        "turns": [[2], [0]],
        "atoms": [
            {"kind": "above", "column": "a", "cut": -1},
            {"kind": "above", "column": "a", "cut": 2.5},
            {"kind": "equals", "column": "b", "value": 7},
            {"kind": "equals", "column": "b", "value": 8},
        ],
        "blocks": [[2, 3]],
        "rules": [_rule([[[0, True]]], False), None, _rule([[[1, True], [3, False]]])],
    },
)


def rule_list(number: int) -> tuple[bytes, str]:
    """Return a saved classifier with parts of it changed, or with bytes of it changed."""
    random = Random(f"ruleset {number}")
    tree = deepcopy(random.choice(RULESETS))
    changes = random.choices((0, 1, 2, 3), (2, 75, 16, 7))[0]
    for _ in range(changes):
        _change(tree, random)
    data = json.dumps(tree, indent=random.choice((None, None, 1))).encode()
    if random.random() < 0.1:
        data = mutated(data, random)
    return data, ".json"


def _change(tree: Any, random: Random) -> None:
    """Replace, drop, double or rename one part, somewhere in the tree."""
    while tree:
        key = random.choice(list(tree) if isinstance(tree, dict) else range(len(tree)))
        below = tree[key]
        if isinstance(below, dict | list) and below and random.random() < 0.8:
            tree = below
            continue
        match random.randrange(8):
            case 0:
                del tree[key]
            case 1 if isinstance(tree, list):
                tree.insert(key, below)
            case 2 if isinstance(tree, dict):
                tree[random.choice(("x", "format", "names", ""))] = tree.pop(key)
            case 3 | 4 if isinstance(below, str):
                tree[key] = below + random.choice(("'", '"', "\\", "\n", " ", "\u202e", "é"))
            case 3 | 4 | 5 if isinstance(below, int | float):
                tree[key] = random.choice(
                    (not below, below + 1, below - 1, below + 0.5, -below, 0, 1)
                )
            case _:
                tree[key] = deepcopy(random.choice(VALUES))
        return


RULE_NAMES = ("odor=foul", "age > 60", "has bruises", "x0")
WORDS = (
    *("x0", "x1", "x12", "~", "~x3", "&", "|", "(", ")", "~(", "true", "false", " ", '"age > 60"'),
    *(
        '"has bruises"',
        "odor=foul",
        "x01",
        "x-1",
        "x99999999999",
        "X0",
        "and",
        "!",
        "\n",
        '"',
        "é",
        "",
    ),
)
RULE_TEXTS = ("x0 & ~x1 | x2", "~(x1 | x12 & x3)", "false", "~(true)", '"age > 60" & ~odor=foul')


def rule(number: int) -> str:
    """Return the text of a rule, or of what looks like one."""
    random = Random(f"rule {number}")
    if random.random() < 0.5:
        atoms = [f"{random.choice(('', '~'))}x{random.randrange(9)}" for _ in range(9)]
        words = [word for atom in atoms for word in (atom, random.choice((" & ", " | ")))]
        text = "".join(words[: 2 * random.randint(1, 9) - 1])
        text = f"~({text})" if random.random() < 0.3 else text
    else:
        text = random.choice(RULE_TEXTS)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        start = random.randint(0, len(text))
        text = text[:start] + random.choice(WORDS) + text[start + random.choice((0, 0, 1, 2)) :]
    return text
