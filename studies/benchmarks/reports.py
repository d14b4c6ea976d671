"""Pages of the benchmarks, drawn from their CSV files; never typed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from studies import plotting, read_data
from studies.benchmarks.ablation import LEARNERS
from studies.benchmarks.budgets import BUDGETS, CONDITIONS, LINES
from studies.benchmarks.learners import OTHERS
from studies.datasets import BENCHMARK
from studies.markdown import (
    Show,
    below_majority,
    distinct,
    grid,
    markdown,
    mean_figures,
    percent,
    short,
    summary,
    table,
)
from studies.results import Rows

PAGES = read_data("studies.benchmarks", "pages.toml")  # how each page begins
TWO_PLACES, THREE_PLACES = "{:.2f}".format, "{:.3f}".format
SHOWN = {  # sizes are shown as `short`
    **{"accuracy": percent, "seconds": TWO_PLACES},
    **{"auc": THREE_PLACES, "log_loss": THREE_PLACES},
}
SIZES = ("literals", "distinct_literals", "clauses", "columns")  # those with a median, too

ACCURACY, LITERALS = {"accuracy": "## Accuracy, %\n"}, "## Literals of a rule\n"
SECONDS = {"seconds": "## Seconds of one processor for a fit of all classes\n"}
BY_SET = {  # what follows accuracy on a page of tables, by figure
    "auc": "## Area under the ROC curve, tables of two classes\n",
    "log_loss": "## Log loss\n",
    "literals": LITERALS,
    "distinct_literals": "Literals that no training row tells apart counted once:\n",
    "clauses": "## Clauses of a rule, lines of a scorecard, or leaves of a tree\n",
    "columns": "## Columns that are read, for all classes\n",
    **SECONDS,
}


def real(rows: Rows) -> str:
    """Return accuracy, size of a rule and seconds of each learner on each set."""
    return "\n".join([PAGES["real"], *_by_set(rows, distinct(rows, "set", BENCHMARK))])


def own(rows: Rows) -> str:
    """Return the page of the tables of a folder."""
    learners, body = _learners(rows), []
    for classes, few in (("two", True), ("more", False)):
        some = [row for row in rows if (int(row["labels"]) <= 2) == few]
        body.append([classes, *_mean_accuracy(some, learners)])
    means = markdown(["classes", "sets", *learners], body)
    title = "## Mean accuracy, %, by the number of classes\n"
    return "\n".join([PAGES["own"], title, means, *_by_set(rows, sorted(distinct(rows, "set")))])


def _mean_accuracy(rows: Rows, learners: list[str]) -> list[str]:
    """Return the number of sets, and the mean accuracy of each learner over them."""
    found = mean_figures(rows, "set", "learner", "accuracy")
    cells = summary(found, "mean", learners, percent)[1:]
    return [str(len({row["set"] for row in rows})), *cells]


def _by_set(rows: Rows, sets: list[str]) -> list[str]:
    """Return all figures; below accuracy, where a learner is poor or was not measured."""
    learners = _learners(rows)
    below = below_majority(mean_figures(rows, "set", "learner", "accuracy"), sets, learners)
    folds = Counter((row["learner"], row["set"]) for row in rows)
    most = max(folds.values())
    few = {
        learner: [
            f"{name} ({folds[learner, name]} of {most} folds)"
            for name in distinct(rows, "set", BENCHMARK)
            if folds[learner, name] < most
        ]
        for learner in learners
    }
    return [
        *_sections(rows, ACCURACY, sets, learners),
        _list("Sets on which a learner is below always answering the majority:", below),
        _list("Not measured whole:", few),
        *_sections(rows, BY_SET, sets, learners),
    ]


def _list(title: str, by_learner: dict[str, list[str]]) -> str:
    lines = [f"- {learner}: {', '.join(some)}" for learner, some in by_learner.items() if some]
    return "\n".join([f"{title}\n", *(lines or ["- none"]), ""])


def ablation(rows: Rows) -> str:
    """Return accuracy and size of guided + refine with a part taken away."""
    sets, learners = distinct(rows, "set", BENCHMARK), distinct(rows, "learner", LEARNERS)
    titles = ACCURACY | {"distinct_literals": LITERALS} | SECONDS
    return "\n".join([PAGES["ablation"], *_sections(rows, titles, sets, learners)])


def numeric(rows: Rows) -> str:
    """Return accuracy and size on tables of numbers."""
    sets, learners = distinct(rows, "set"), distinct(rows, "learner")
    titles = ACCURACY | {"literals": LITERALS}
    titles |= {"seconds": "## Seconds of one processor for a fit\n"}
    return "\n".join([PAGES["numeric"], *_sections(rows, titles, sets, learners, ("mean",))])


def few_rows(rows: Rows, page: str = "few_rows") -> str:
    """Return accuracy by the number of training rows, over all sets and by set."""
    learners, sets = _learners(rows), distinct(rows, "set", BENCHMARK)
    sizes = sorted(distinct(rows, "rows"), key=int)
    by_size = {size: [row for row in rows if row["rows"] == size] for size in sizes}
    body = [[size, *_mean_accuracy(some, learners)] for size, some in by_size.items()]
    parts = [PAGES[page], markdown(["rows", "sets", *learners], body)]
    for size, some in by_size.items():
        parts += _sections(some, {"accuracy": f"## {size} rows\n"}, sets, learners)
    return "\n".join(parts)


def _sections(
    rows: Rows,
    titles: Mapping[str, str],
    sets: Sequence[str],
    learners: Sequence[str],
    averages: Sequence[str] = ("median", "mean"),
) -> list[str]:
    """Return title and table of each figure that some row has; `averages` are those of sizes."""
    parts = []
    for figure, title in titles.items():
        if any(row.get(figure) for row in rows):
            show, by = SHOWN.get(figure, short), averages if figure in SIZES else ("mean",)
            parts += [title, table(rows, ("set", "learner"), figure, show, (sets, learners), by)]
    return parts


def _learners(rows: Rows) -> list[str]:
    return distinct(rows, "learner", list(OTHERS))


BUDGET: dict[str, tuple[str, Show]] = {  # figures at a budget, by title
    "accuracy, %": ("accuracy", percent),
    "area under the ROC curve": ("auc", THREE_PLACES),
    "log loss": ("log_loss", THREE_PLACES),
    "columns": ("columns", short),
    "lines": ("clauses", short),
    "conditions": ("literals", short),
    "seconds": ("seconds", TWO_PLACES),
}


def budget(rows: Rows, page: str = "budget") -> str:
    """Return the figures at each budget, over the tables on which all learners were measured."""
    sized = []
    for row in rows:
        learner, _, size = row["learner"].partition(":")
        kind = "conditions" if size.endswith("c") else "lines"
        sized.append(row | {"learner": learner, kind: size.removesuffix("c")})
    two, parts = {row["set"] for row in rows if row["auc"]}, [PAGES[page]]
    for title, few in (("Two classes", True), ("More classes", False)):
        some = [row for row in sized if (row["set"] in two) == few]
        if not some:
            continue
        learners, sets = distinct(some, "learner"), sorted(distinct(some, "set"))
        met = {(r["set"], r["learner"], r.get("lines"), r.get("conditions")) for r in some}
        counts = Counter(name for name, *_ in met)
        whole = [name for name in sets if counts[name] == len(learners) * len(BUDGETS)]
        parts.append(f"## {title}\n\nMeans over {len(whole)} tables: {', '.join(whole)}.\n")
        if left := [name for name in sets if name not in whole]:
            parts.append(f"Left out, as not all learners were measured: {', '.join(left)}.\n")
        parts += _budgets([row for row in some if row["set"] in whole], learners)
    return "\n".join(parts)


def _budgets(rows: Rows, learners: list[str]) -> list[str]:
    parts = []
    for kind, sizes in (("lines", LINES), ("conditions", CONDITIONS)):
        here = [row for row in rows if kind in row]
        for title, (figure, show) in BUDGET.items():
            if any(row[figure] for row in here):
                parts.append(f"### At most so many {kind}: {title}\n")
                places = list(map(str, sizes))
                parts.append(table(here, (kind, "learner"), figure, show, (places, learners)))
    return parts


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
        parts += [f"## {title}\n", _by_level(rows, "atoms", figure)]
    return "\n".join(parts)


def recovery(rows: Rows) -> str:
    """Return the share of hidden rules that are found exactly, by their shape."""
    head = "clauses x literals"
    shaped = [row | {head: f"{row['clauses']} x {row['literals']}"} for row in rows]
    found, learners = mean_figures(shaped, head, "learner", "recovered"), _learners(shaped)
    body = grid(found, distinct(shaped, head), learners, THREE_PLACES)
    return PAGES["recovery"] + "\n" + markdown([head, *learners], body)


def noise(rows: Rows) -> str:
    """Return fresh fidelity by label noise, and by columns that only seem to matter."""
    noisy = [row for row in rows if row["spurious"] == "0"]
    spurious = [row for row in rows if float(row["noise"]) == 0]
    parts = [PAGES["noise"]]
    parts += ["## Share of labels turned round\n", _by_level(noisy, "noise", "fresh_fidelity")]
    parts += ["## Spurious columns\n", _by_level(spurious, "spurious", "fresh_fidelity")]
    return "\n".join(parts)


def _by_level(rows: Rows, line: str, figure: str) -> str:
    lines = sorted(distinct(rows, line), key=float)
    show = short if figure == "rule_literals" else THREE_PLACES
    return table(rows, (line, "learner"), figure, show, (lines, _learners(rows)))


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
