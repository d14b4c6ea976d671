"""Pages of the benchmarks, drawn from their CSV files; never typed."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studies import plotting, read_data
from studies.benchmarks.ablation import LEARNERS
from studies.benchmarks.budgets import BUDGETS, CONDITIONS, LINES
from studies.benchmarks.learners import OTHERS
from studies.datasets import BENCHMARK
from studies.markdown import distinct, grid, markdown, mean_figures, percent, short, summary
from studies.results import Rows

PAGES = read_data("studies.benchmarks", "pages.toml")  # how each page begins
ACCURACY, LITERALS = "## Accuracy, %\n", "## Literals of a rule\n"
THREE_PLACES = "{:.3f}".format
AREA = "## Area under the ROC curve, tables of two classes\n"
LOG_LOSS = "## Log loss\n"
COLUMNS = "## Columns that are read, for all classes\n"
SECONDS = "## Seconds of one processor for a fit of all classes\n"
SIZES = ("median", "mean")  # how sizes of rules are averaged; the other figures by the mean alone


def real(rows: Rows) -> str:
    """Return accuracy, size of a rule and seconds of each learner on each set."""
    return "\n".join([PAGES["real"], *_by_set(rows, distinct(rows, "set", BENCHMARK))])


def own(rows: Rows) -> str:
    """Return the page of the tables of a folder."""
    learners, body = _learners(rows), []
    for classes, few in (("two", True), ("more", False)):
        some = [row for row in rows if (int(row["labels"]) <= 2) == few]
        body.append([classes, *_mean_accuracy(some, learners)])
    table = markdown(["classes", "sets", *learners], body)
    title = "## Mean accuracy, %, by the number of classes\n"
    return "\n".join([PAGES["own"], title, table, *_by_set(rows, sorted(distinct(rows, "set")))])


def _mean_accuracy(rows: Rows, learners: list[str]) -> list[str]:
    """Return the number of sets, and the mean accuracy of each learner over them."""
    found = mean_figures(rows, "set", "learner", "accuracy")
    cells = summary(found, "mean", learners, percent)[1:]
    return [str(len({row["set"] for row in rows})), *cells]


def _by_set(rows: Rows, sets: list[str]) -> list[str]:
    learners = _learners(rows)
    return [
        *(ACCURACY, _section(rows, "accuracy", sets, learners)),
        *(_below_majority(rows, sets, learners), _unfinished(rows, learners)),
        *_if_measured(AREA, rows, "auc", sets, learners),
        *_if_measured(LOG_LOSS, rows, "log_loss", sets, learners),
        *(LITERALS, _section(rows, "literals", sets, learners, SIZES)),
        "Literals that no training row tells apart counted once:\n",
        _section(rows, "distinct_literals", sets, learners, SIZES),
        "## Clauses of a rule, lines of a scorecard, or leaves of a tree\n",
        _section(rows, "clauses", sets, learners, SIZES),
        *_if_measured(COLUMNS, rows, "columns", sets, learners, SIZES),
        *(SECONDS, _section(rows, "seconds", sets, learners)),
    ]


def ablation(rows: Rows) -> str:
    """Return accuracy and size of guided + refine with a part taken away."""
    sets, learners = distinct(rows, "set", BENCHMARK), distinct(rows, "learner", LEARNERS)
    parts = [
        PAGES["ablation"],
        *(ACCURACY, _section(rows, "accuracy", sets, learners)),
        *(LITERALS, _section(rows, "distinct_literals", sets, learners, SIZES)),
        *(SECONDS, _section(rows, "seconds", sets, learners)),
    ]
    return "\n".join(parts)


BUDGET = {  # figures at a budget, by title
    "accuracy, %": ("accuracy", percent),
    "area under the ROC curve": ("auc", THREE_PLACES),
    "log loss": ("log_loss", THREE_PLACES),
    "columns": ("columns", short),
    "lines": ("clauses", short),
    "conditions": ("literals", short),
    "seconds": ("seconds", "{:.2f}".format),
}


def budget(rows: Rows, page: str = "budget") -> str:
    """Return the figures at each budget, over the tables on which all learners were measured."""
    cells = [row["learner"].split(":") for row in rows]
    rows = [
        row | {"learner": cell[0], "size": cell[1]} for row, cell in zip(rows, cells, strict=True)
    ]
    two, parts = {row["set"] for row in rows if row["auc"]}, [PAGES[page]]
    for title, few in (("Two classes", True), ("More classes", False)):
        some = [row for row in rows if (row["set"] in two) == few]
        learners = distinct(some, "learner")
        met = Counter({row["set"]: 0 for row in some})
        met.update(name for name, _, _ in {(r["set"], r["learner"], r["size"]) for r in some})
        whole = sorted(name for name in met if met[name] == len(learners) * len(BUDGETS))
        if some:
            parts.append(f"## {title}\n\nMeans over {len(whole)} tables: {', '.join(whole)}.\n")
            left = sorted(met.keys() - set(whole))
            parts += [f"Left out, as not all learners were measured: {', '.join(left)}.\n"] * bool(
                left
            )
            parts += _budgets([row for row in some if row["set"] in whole], learners)
    return "\n".join(parts)


def _budgets(rows: Rows, learners: list[str]) -> Iterator[str]:
    for kind, sizes in (("lines", LINES), ("conditions", CONDITIONS)):
        places = [place for place in BUDGETS if place.endswith("c") == (kind == "conditions")]
        for title, (figure, show) in BUDGET.items():
            found = mean_figures(rows, "size", "learner", figure)
            able = [name for name in learners if any(column == name for _, column in found)]
            lines = grid(found, places, able, show)
            body = [[str(size), *line[1:]] for size, line in zip(sizes, lines, strict=True)]
            if able:
                yield f"### At most so many {kind}: {title}\n"
                yield markdown([kind, *able], body)


def few_rows(rows: Rows, page: str = "few_rows") -> str:
    """Return accuracy by the number of training rows, over all sets and by set."""
    learners, sets = _learners(rows), distinct(rows, "set", BENCHMARK)
    sizes = sorted(distinct(rows, "rows"), key=int)
    by_size = {size: [row for row in rows if row["rows"] == size] for size in sizes}
    body = [[size, *_mean_accuracy(some, learners)] for size, some in by_size.items()]
    parts = [PAGES[page], markdown(["rows", "sets", *learners], body)]
    for size, some in by_size.items():
        parts += [f"## {size} rows\n", _section(some, "accuracy", sets, learners)]
    return "\n".join(parts)


def numeric(rows: Rows) -> str:
    """Return accuracy and size on tables of numbers."""
    sets, learners = distinct(rows, "set"), distinct(rows, "learner")
    parts = [
        PAGES["numeric"],
        *(ACCURACY, _section(rows, "accuracy", sets, learners)),
        *(LITERALS, _section(rows, "literals", sets, learners)),
        "## Seconds of one processor for a fit\n",
        _section(rows, "seconds", sets, learners),
    ]
    return "\n".join(parts)


def _section(
    rows: Rows,
    figure: str,
    sets: list[str],
    learners: list[str],
    averages: tuple[str, ...] = ("mean",),
) -> str:
    shown = {"accuracy": percent, "seconds": "{:.2f}".format}
    show = shown.get(figure, THREE_PLACES if figure in ("auc", "log_loss") else short)
    found = mean_figures(rows, "set", "learner", figure)
    columns = [name for name in learners if any(column == name for _, column in found)]
    body = grid(found, sets, columns, show)
    body += [summary(found, average, columns, show) for average in averages]
    return markdown(["set", *columns], body)


def _if_measured(title: str, rows: Rows, figure: str, *options: Any) -> list[str]:
    """Return a titled section of a figure; nothing if no row has it."""
    found = any(row.get(figure) for row in rows)
    return [title, _section(rows, figure, *options)] if found else []


def _learners(rows: Rows) -> list[str]:
    return distinct(rows, "learner", list(OTHERS))


def _below_majority(rows: Rows, sets: list[str], learners: list[str]) -> str:
    """List the sets on which always answering the most frequent class is better."""
    found = mean_figures(rows, "set", "learner", "accuracy")
    least = {name: found.get((name, "majority"), 0.0) for name in sets}
    below = {
        learner: [name for name in sets if found.get((name, learner), 1.0) < least[name]]
        for learner in learners
    }
    return _list("Sets on which a learner is below always answering the majority:", below)


def _unfinished(rows: Rows, learners: list[str]) -> str:
    """List figures that rest on some of the folds, and sets that a learner has not met."""
    folds = Counter((row["learner"], row["set"]) for row in rows)
    most, sets = max(folds.values()), distinct(rows, "set", BENCHMARK)
    few = {
        learner: [
            f"{name} ({folds[learner, name]} of {most} folds)"
            for name in sets
            if folds[learner, name] < most
        ]
        for learner in learners
    }
    return _list("Not measured whole:", few)


def _list(title: str, by_learner: dict[str, list[str]]) -> str:
    lines = [f"- {learner}: {', '.join(some)}" for learner, some in by_learner.items() if some]
    return "\n".join([f"{title}\n", *(lines or ["- none"]), ""])


RANDOM = {  # figures of random tasks, by title
    "Fresh fidelity": "fresh_fidelity",
    "Support accuracy": "support_accuracy",
    "Share of rules recovered": "recovered",
    "Literals of a rule": "rule_literals",
    "Seconds of one processor": "seconds",
}


def synthetic(rows: Rows) -> str:
    """Return fresh fidelity, recovery, size and seconds by width."""
    with_posterior = any(row["learner"] == "posterior" for row in rows)
    parts = [PAGES["synthetic"] if with_posterior else "# Random tasks\n"]
    for title, figure in RANDOM.items():
        parts += [f"## {title}\n", _table(rows, "atoms", figure)]
    return "\n".join(parts)


def recovery(rows: Rows) -> str:
    """Return the share of hidden rules that are found exactly, by their shape."""
    shaped = [row | {"shape": f"{row['clauses']} x {row['literals']}"} for row in rows]
    learners = _learners(shaped)
    found = mean_figures(shaped, "shape", "learner", "recovered")
    body = grid(found, distinct(shaped, "shape"), learners, THREE_PLACES)
    return PAGES["recovery"] + "\n" + markdown(["clauses x literals", *learners], body)


def noise(rows: Rows) -> str:
    """Return fresh fidelity by label noise, and by columns that only seem to matter."""
    noisy = [row for row in rows if row["spurious"] == "0"]
    spurious = [row for row in rows if float(row["noise"]) == 0]
    parts = [PAGES["noise"]]
    parts += ["## Share of labels turned round\n", _table(noisy, "noise", "fresh_fidelity")]
    parts += ["## Spurious columns\n", _table(spurious, "spurious", "fresh_fidelity")]
    return "\n".join(parts)


def draw_noise(rows: Rows, path: Path) -> None:
    """Draw fresh fidelity against label noise, a curve for each learner, as SVG."""
    clean = [row for row in rows if row["spurious"] == "0"]
    found = mean_figures(clean, "noise", "learner", "fresh_fidelity")
    figure = plotting.blank(6, 4)
    axes = figure.add_subplot(xlabel="labels turned round, %", ylabel="fresh fidelity")
    for learner in distinct(clean, "learner"):
        curve = sorted((float(noise), y) for (noise, name), y in found.items() if name == learner)
        axes.plot([100 * x for x, _ in curve], [y for _, y in curve], marker="o", label=learner)
    axes.grid(alpha=0.3)
    axes.legend()
    plotting.save(figure, path.parent, path.stem)


def _table(rows: Rows, line: str, figure: str) -> str:
    found = mean_figures(rows, line, "learner", figure)
    learners = [name for name in _learners(rows) if any(name == column for _, column in found)]
    lines = sorted(distinct(rows, line), key=float)
    show = short if figure == "rule_literals" else THREE_PLACES
    return markdown([line, *learners], grid(found, lines, learners, show))
