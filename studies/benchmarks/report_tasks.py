"""What the benchmarks on random tasks say, drawn from their CSV files; never typed."""

from studies.benchmarks.others import OTHERS
from studies.benchmarks.tables import Rows, figures, grid, in_order, markdown, short

THREE_PLACES = "{:.3f}".format


def synthetic(rows: Rows) -> str:
    """Fresh fidelity, recovery, size and seconds by width."""
    note = (
        "`posterior` knows the prior that the tasks are drawn from, which no learner does, and "
        "lets the rules vote that the labels leave: better, in the mean, nobody can be.\n\n"
    )
    told = any(row["learner"] == "posterior" for row in rows)
    return "# Random tasks\n\n" + (note if told else "") + _sections(rows, "atoms")


def recovery(rows: Rows) -> str:
    """The share of hidden rules that are found exactly, by their shape."""
    shaped = [row | {"shape": f"{row['clauses']} x {row['literals']}"} for row in rows]
    learners = _learners(shaped)
    found = figures(shaped, "shape", "learner", "recovered")
    body = grid(found, in_order(shaped, "shape"), learners, THREE_PLACES)
    return (
        "# Rules recovered\n\nThe share of rules found that are the hidden one as Boolean "
        "functions, by clauses x literals of each, over 12 atoms.\n\n"
    ) + markdown(["clauses x literals", *learners], body)


def noise(rows: Rows) -> str:
    """Fresh fidelity by label noise, and by columns that only seem to matter."""
    noisy = [row for row in rows if row["spurious"] == "0"]
    spurious = [row for row in rows if float(row["noise"]) == 0]
    return "\n".join(
        [
            "# Wrong labels and spurious columns\n",
            "Fresh fidelity, to labels without noise. ![curves](noise.svg)\n",
            "## Share of labels turned round\n",
            _table(noisy, "noise", "fresh_fidelity"),
            "## Spurious columns\n",
            _table(spurious, "spurious", "fresh_fidelity"),
        ]
    )


def _sections(rows: Rows, line: str) -> str:
    parts = []
    for title, figure in {
        "Fresh fidelity": "fresh_fidelity",
        "Support accuracy": "support_accuracy",
        "Share of rules recovered": "recovered",
        "Literals of a rule": "rule_literals",
        "Seconds of one processor": "seconds",
    }.items():
        parts += [f"## {title}\n", _table(rows, line, figure)]
    return "\n".join(parts)


def _table(rows: Rows, line: str, figure: str) -> str:
    found = figures(rows, line, "learner", figure)
    learners = [name for name in _learners(rows) if any(name == column for _, column in found)]
    lines = sorted(in_order(rows, line), key=float)
    show = short if figure == "rule_literals" else THREE_PLACES
    return markdown([line, *learners], grid(found, lines, learners, show))


def _learners(rows: Rows) -> list[str]:
    return in_order(rows, "learner", list(OTHERS))
