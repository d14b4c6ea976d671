"""The library in one run: who won at tic-tac-toe, the evidence, and a random symmetry."""

import sys

import numpy as np

from gnri import Episode, RuleClassifier, Symmetry, induce
from gnri.data.arrow import read_delimited
from gnri.data.samples import read_sample


def main() -> int:
    """Learn the rule, print it, and check it under a random symmetry."""
    table = read_delimited(read_sample("tic-tac-toe"), "tic-tac-toe")
    print(f"{table.rows} boards on which a game of tic-tac-toe can end: did x win?\n")
    squares = table.select([name for name in table if name != "class"]).decide()
    winners = np.array(table["class"].texts())

    classifier = RuleClassifier().fit(squares, winners)
    right = np.mean(classifier.predict(squares) == winners)
    print(f"The rule, right on {right:.1%} of the boards:\n\n{classifier.summary()}\n")

    values = classifier.binarizer_.transform(squares)
    episode = Episode(values, np.where(winners == classifier.classes_[1], 1, -1))
    g = Symmetry.random(episode, rng=np.random.default_rng())
    print(describe(g))
    if induce(g(episode)) != g(induce(episode)):
        print("The rule did NOT follow. This must not happen; please report it.")
        return 1
    print("The rule followed exactly: induce(g(episode)) == g(induce(episode)).\n")
    print("Next, try a table of yours: gnri induce FILE.csv --target COLUMN")
    return 0


def describe(g: Symmetry) -> str:
    """Return what a symmetry does, in words."""
    rows = sum(r != i for i, r in enumerate(g.rows))
    atoms = sum(a != i for i, a in enumerate(g.atoms))
    labels = "swaps" if g.label else "keeps"
    return (
        f"A random symmetry moves {rows} rows and {atoms} Boolean columns, negates {sum(g.flips)} "
        f"of them and {labels} the labels."
    )


if __name__ == "__main__":
    sys.exit(main())
