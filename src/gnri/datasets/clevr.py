"""Symbolic scenes of blocks after CLEVR-Hans3: no images, only what stands in them.

Each class asks for two objects. As in the confounded part of the published data, the large cube
of class 1 is always gray, and the small sphere of class 2 always metal.

    1  a large cube and a large cylinder
    2  a small metal cube and a small sphere
    3  a large blue sphere and a small yellow sphere
"""

from itertools import combinations
from random import Random

from gnri.datasets.dataset import Dataset

ATTRIBUTES = {
    "size": ("large", "small"),
    "material": ("rubber", "metal"),
    "color": ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow"),
    "shape": ("cube", "sphere", "cylinder"),
}
ATTRIBUTE_OF = {value: name for name, values in ATTRIBUTES.items() for value in values}

ASKED = {
    "1": ({"large", "cube"}, {"large", "cylinder"}),
    "2": ({"small", "metal", "cube"}, {"small", "sphere"}),
    "3": ({"large", "blue", "sphere"}, {"small", "yellow", "sphere"}),
}
DRAWN = ASKED | {
    "1": ({"large", "gray", "cube"}, {"large", "cylinder"}),
    "2": ({"small", "metal", "cube"}, {"small", "metal", "sphere"}),
}
FEWEST, MOST = 3, 10  # objects in a scene

Object = frozenset[str]
"""One value of each attribute."""


def scenes(per_class: int, *, rng: Random) -> Dataset:
    """Scenes of each class, described by the 105 pairs of attribute values.

    Two values of different attributes: one object has both. Two values of one attribute: one
    object has the one and another the other. The draws are those of Python's own generator, which
    stays the same from version to version: `Random(0)` gives the table of the benchmark.
    """
    rows, labels = [], []
    for label in ASKED:
        for _ in range(per_class):
            rows.append(_atoms(_scene(label, rng)))
            labels.append(label)
    columns = tuple(_pair_name(*pair) for pair in combinations(ATTRIBUTE_OF, 2))
    kinds = ("binary",) * len(columns)
    return Dataset("clevr-hans3", columns, tuple(rows), tuple(labels), kinds, "generated")


def _scene(label: str, rng: Random) -> list[Object]:
    """The objects the class asks for, then others that make it no scene of another class."""
    count = FEWEST + int(rng.random() * (MOST - FEWEST + 1))
    objects = [_object(rng, wanted) for wanted in DRAWN[label]]
    others = [asked for other, asked in ASKED.items() if other != label]
    while len(objects) < count:
        more = [*objects, _object(rng, set())]
        if not any(_holds(asked, more) for asked in others):
            objects = more
    return objects


def _object(rng: Random, wanted: set[str]) -> Object:
    """Each attribute drawn evenly, then those that are wanted put in their place."""
    drawn = {name: values[int(rng.random() * len(values))] for name, values in ATTRIBUTES.items()}
    return frozenset((drawn | {ATTRIBUTE_OF[value]: value for value in wanted}).values())


def _holds(asked: tuple[set[str], set[str]], objects: list[Object]) -> bool:
    """Whether each of the two is there; no object can be both at once."""
    return all(any(wanted <= one for one in objects) for wanted in asked)


def _atoms(objects: list[Object]) -> tuple[str, ...]:
    return tuple("01"[_pair_holds(*pair, objects)] for pair in combinations(ATTRIBUTE_OF, 2))


def _pair_holds(first: str, second: str, objects: list[Object]) -> bool:
    if ATTRIBUTE_OF[first] == ATTRIBUTE_OF[second]:
        return all(any(value in one for one in objects) for value in (first, second))
    return any({first, second} <= one for one in objects)


def _pair_name(first: str, second: str) -> str:
    same = ATTRIBUTE_OF[first] == ATTRIBUTE_OF[second]
    return f"has_{first}_and_has_{second}" if same else f"has_{first}_{second}"
