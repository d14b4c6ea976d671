"""From a CSV file to a query: learn a rule, save it, and let a database answer by it."""

import csv
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from gnri import RuleClassifier
from gnri.data.sources import read_table
from gnri.data.target import read_labels
from gnri.formats.sql import to_sql
from gnri.rules.documents import load_rules, save_rules

COLUMNS = ("income", "debts", "owner")


def main() -> int:
    write_table(Path("credit.csv"))
    table = read_table("credit.csv")
    features = table.select(COLUMNS).decide()
    classifier = RuleClassifier().fit(features, read_labels(table, "decision"))
    save_rules(classifier.rule_list_, "rule.json")

    query = to_sql(load_rules("rule.json").minimized(), "credit")
    print(query)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE credit (income REAL, debts TEXT, owner TEXT)")
        cells = ([text or None for text in column.texts()] for column in features.values())
        rows = zip(*cells, strict=True)
        database.executemany("INSERT INTO credit VALUES (?, ?, ?)", rows)
        answers = [row[-1] for row in database.execute(query)]
    same = answers == classifier.predict(features).tolist()
    print(f"\nThe database {'answers as' if same else 'does NOT answer as'} the classifier does.")
    return 0 if same else 1


def write_table(path: Path) -> None:
    """Decisions by a policy: enough income and not many debts, or an owner without debts."""
    random = Random(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "decision"])
        for _ in range(200):
            income, debts = random.randint(20, 60), random.choice(("none", "some", "many"))
            owner = random.choice(("yes", "no"))
            granted = (income > 40 and debts != "many") or (owner == "yes" and debts == "none")
            cells = ["" if random.random() < 0.04 else cell for cell in (income, debts, owner)]
            writer.writerow([*cells, "granted" if granted else "refused"])


if __name__ == "__main__":
    sys.exit(main())
