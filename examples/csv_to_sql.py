"""From a CSV file to a query: learn a rule, save it, and predict inside a database.

Run it anywhere: it writes credit.csv and rule.json into the current folder. `examples/credit.csv`
is the same table.
"""

import csv
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from gnri import RuleClassifier, load_rules, save_rules
from gnri.data.sources import read_table
from gnri.formats.sql import to_sql

COLUMNS = ("income", "debts", "owner", "years")


def main() -> int:
    """Learn a rule from credit.csv and compare the database with the classifier."""
    write_table(Path("credit.csv"))
    table = read_table("credit.csv")
    features = table.select(COLUMNS).decide()
    classifier = RuleClassifier().fit(features, table["granted"].texts())
    save_rules(classifier.rule_list_, "rule.json")

    query = to_sql(load_rules("rule.json").minimized(), "credit")
    print(query)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE credit (income REAL, debts TEXT, owner TEXT, years REAL)")
        cells = ([text or None for text in column.texts()] for column in features.values())
        database.executemany("INSERT INTO credit VALUES (?, ?, ?, ?)", zip(*cells, strict=True))
        answers = [row[-1] for row in database.execute(query)]
    same = answers == classifier.predict(features).tolist()
    print(f"\nThe database and the classifier {'agree' if same else 'do NOT agree'}.")
    return 0 if same else 1


def write_table(path: Path) -> None:
    """Write 400 made-up credit decisions.

    The policy: income above 40 and not many debts, or a home owner without debts. Three decisions
    in a hundred are wrong, and one cell in thirty is empty. `years` plays no part.
    """
    random = Random(7)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, "granted"])
        for _ in range(400):
            income, debts = random.randint(15, 65), random.choice(("none", "some", "many"))
            owner, years = random.choice(("yes", "no")), random.randint(0, 20)
            granted = (income > 40 and debts != "many") or (owner == "yes" and debts == "none")
            granted ^= random.random() < 0.03
            cells = (income, debts, owner, years)
            written = ["" if random.random() < 1 / 30 else cell for cell in cells]
            writer.writerow([*written, "yes" if granted else "no"])


if __name__ == "__main__":
    sys.exit(main())
