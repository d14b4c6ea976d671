"""What decides a claim, of the rows of any study: a figure, a gap, a paired test, a ratio.

A statistic is called with the context, the rows of the claim's study, and what the claim says
`of` it. It returns a number, and how it is printed.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from statistics import mean, median
from typing import TypeVar

import numpy as np

from gnri.model.nri.config import ModelConfig
from studies.paper.baseline_networks import CONDITIONS, condition_shapes
from studies.paper.headline import holm, wilcoxon
from studies.results import Rows
from studies.study import Context

LEVEL = 0.05
REDUCED: dict[str, Callable[[list[float]], float]] = {
    **{"mean": mean, "median": median, "least": min, "most": max},
    "farthest": lambda values: max(values, key=abs),
}

WORDS = {"least": "lowest", "most": "highest"}  # how reductions are printed, others as they are
NAMES = {  # and columns
    **{"max_dev": "drift", "near": "pairs that tie", "near_self": "self-pairs that tie"},
    **{"rhat": "Gelman-Rubin", "worst": "rule_eq"},
}

Statistic = tuple[float, str]
Where = Mapping[str, str | Sequence[str]]  # patterns that cells of a row must match
Found = TypeVar("Found")
SEEDS = ("", "[0-9][0-9]")  # anchors and the sweep, not bundled weights nor other batches


class NotMeasuredError(Exception):
    """The rows that decide a claim are not all there."""


def required(found: Found) -> Found:
    """Return what was found, if anything was."""
    if not found:
        raise NotMeasuredError
    return found


def chosen(rows: Rows, where: Where) -> Rows:
    """Return the rows whose cells match; of the networks of the sweep unless others are named."""
    patterns = {"seed": SEEDS, **where} if rows and "seed" in rows[0] else where
    wanted = {key: [some] if isinstance(some, str) else some for key, some in patterns.items()}
    return [
        row
        for row in rows
        if all(any(fnmatchcase(row[key], one) for one in some) for key, some in wanted.items())
    ]


def values(rows: Rows, column: str, where: Where) -> list[float]:
    """Return the filled cells of a column, in the rows that match."""
    return required([float(row[column]) for row in chosen(rows, where) if row[column]])


def by_group(rows: Rows, column: str, where: Where, *keys: str) -> dict[tuple[str, ...], float]:
    """Return the mean of a column for each combination of keys."""
    found = defaultdict(list)
    for row in chosen(rows, where):
        if row[column]:
            found[tuple(row[key] for key in keys)].append(float(row[column]))
    return {key: mean(some) for key, some in required(found).items()}


def by_one(rows: Rows, column: str, where: Where, key: str) -> dict[str, float]:
    """Return the mean of a column for each value of a key."""
    return {name: value for (name,), value in by_group(rows, column, where, key).items()}


def said_p(p: float) -> str:
    """Return a p as it is printed."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


def shown(number: float) -> str:
    """Return three places, or a power of ten for what they would hide."""
    return f"{number:.0e}" if 0 < abs(number) < 5e-4 else f"{number:.3f}".removesuffix(".000")


def figure(
    _: Context,
    rows: Rows,
    column: str,
    where: Where,
    reduce: str = "mean",
    per: str = "",
    also: Mapping[str, str] | None = None,
) -> Statistic:
    """Return one figure of the rows that match, and beside it those of other columns, with names.

    With `per` it is the most of what the groups have.
    """
    rows = required(chosen(rows, where))
    keys = sorted({row[per] for row in rows}) if per else [""]
    groups = [[row for row in rows if not per or row[per] == key] for key in keys]
    number = max(REDUCED[reduce](values(some, column, where)) for some in groups)
    said = f"{NAMES.get(column, column)}: {WORDS.get(reduce, reduce)} {shown(number)}"
    said += f" of {len(rows)} rows" + (f", for the {per} that is followed best" if per else "")
    for other, name in (also or {}).items():
        said += f", {name} {shown(REDUCED[reduce](values(rows, other, where)))}"
    return number, said


def gap(  # noqa: PLR0913 - one for each thing a claim may say
    _: Context,
    rows: Rows,
    column: str,
    ours: Where,
    base: Where,
    per: str = "",
    reduce: str = "farthest",
    scale: float = 1,
) -> Statistic:
    """Return how far the means of two groups are apart, over the groups of `per`."""
    one, other = (by_group(rows, column, where, *[per] * bool(per)) for where in (ours, base))
    gaps = required({key: scale * (one[key] - other[key]) for key in one if key in other})
    unit = " points" if scale == 100 else ""
    said = [f"{g:+.3f}{unit}{f' at {key[0]}' if per else ''}" for key, g in gaps.items()]
    return REDUCED[reduce](list(gaps.values())), ", ".join(said)


def paired(  # noqa: PLR0913 - one for each thing a claim may say
    _: Context,
    rows: Rows,
    column: str,
    ours: Where,
    base: Where,
    unit: Sequence[str] = ("seed",),
    per: str = "",
    lower: bool = False,
    scale: float = 1,
) -> Statistic:
    """Return the largest p, after Holm over `per`, that ours is higher (or lower) in each unit."""
    keys = [*unit, *([per] if per else [])]
    one, other = (by_group(rows, column, where, *keys) for where in (ours, base))
    gaps = defaultdict(list)
    for key in one:
        if key in other:
            gaps[key[len(unit) :]].append(scale * (one[key] - other[key]))
    sign = -1 if lower else 1
    tested = [wilcoxon([sign * gap for gap in some]) for some in required(gaps).values()]
    corrected = holm(tested)
    middles, largest = [mean(some) for some in gaps.values()], max(corrected)
    points = " points" if unit != ("seed",) else ""
    if not per:
        return largest, f"{middles[0]:+.2f}{points}, {said_p(largest)}"
    passed = f"at {sum(p < LEVEL for p in corrected)} of {len(tested)} widths"
    spread = f"{min(middles):+.3f} to {max(middles):+.3f}{points}"
    return largest, f"{spread}; {passed}, largest {said_p(largest)}"


def p_of_slopes(_: Context, rows: Rows, ours: Where, base: Where, column: str) -> Statistic:
    """Return the test of the slopes of each seed's lift against the logarithm of the width."""
    one, other = (by_group(rows, column, where, "seed", "atoms") for where in (ours, base))
    lifts: dict[str, dict[int, float]] = defaultdict(dict)
    for seed, atoms in one.keys() & other.keys():
        lifts[seed][int(atoms)] = one[seed, atoms] - other[seed, atoms]
    slopes = [
        float(np.polyfit(np.log2(list(some)), list(some.values()), 1)[0])
        for some in required(lifts).values()
        if len(some) > 1
    ]
    p = wilcoxon(required(slopes))
    return p, f"{mean(slopes):+.4f} for each doubling, {said_p(p)}"


def largest_ratio(
    _: Context, rows: Rows, column: str, ours: str, base: str, where: Where
) -> Statistic:
    """Return the largest ratio of two arms over widths and devices, each of which is named."""
    one, other = (
        by_group(rows, column, {"arm": arm, **where}, "machine", "atoms") for arm in (ours, base)
    )
    ratios = defaultdict(list)
    for key in one:
        if key in other:
            ratios[key[0]].append(one[key] / other[key])
    said = [f"{min(r):.2f} to {max(r):.2f} times on {name}" for name, r in required(ratios).items()]
    return max(map(max, ratios.values())), "; ".join(sorted(said))


def parameters(condition: str) -> int:
    """Return how many numbers the network of a condition learns."""
    size = ModelConfig()
    shapes = size.shapes() | condition_shapes(size, CONDITIONS[condition])
    return sum(int(np.prod(shape)) for shape in shapes.values())


def added_parameters(_: Context, __: Rows) -> Statistic:
    """Return how many parameters G-NRI has beyond the baseline's."""
    added = parameters("gnri") - parameters("nri")
    return added, f"{added:+,}, the content keys it lacks"


def memory_ratio(_: Context, rows: Rows, atoms: Sequence[str]) -> Statistic:
    """Return the largest ratio of peak memory, weights included."""
    one, other = (
        by_one(rows, "peak_mib", {"arm": arm, "device": "cuda", "atoms": atoms}, "atoms")
        for arm in ("gnri", "nri")
    )
    held = 4 * parameters("gnri") / 2**20
    most = max((one[key] + held) / (other[key] + held) for key in one)
    gaps = ", ".join(f"{one[key] - other[key]:+.1f} MiB at {key}" for key in one)
    return most, f"{gaps}; at most {most:.2f} times, with the weights"
