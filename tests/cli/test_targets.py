"""`gnri induce --objective`, `--min-precision`, `--min-recall` and `--costs`."""

import re
from pathlib import Path

import pytest

from gnri.cli.application import parse_costs, parse_floor
from gnri.errors import GnriError
from tests.cli.commands import one_line, run
from tests.estimator.test_targets import rare


def test_a_floor_is_met_or_refused_in_one_line(tmp_path: Path) -> None:
    frame, labels = rare(60)
    path = tmp_path / "rare.csv"
    frame.assign(kind=labels).to_csv(path, index=False)
    words = ["induce", path, "--target", "kind", "--form", "scorecard", "--max-literals", "1"]
    found = run(*words, "--no-estimate", "--min-recall", "rare=0.5")
    assert "rare from" in found.stdout or "usual from" in found.stdout
    assert "cannot be reached" in one_line(run(*words, "--min-precision", "0.999"))
    assert "names the class 'none'" in one_line(run(*words, "--min-recall", "none=0.5"))
    assert "needs the table in memory" in one_line(
        run(*words, "--costs", "a:b=1", "--memory", "2GB")
    )


def test_costs_are_measured_on_unseen_rows(tmp_path: Path) -> None:
    frame, labels = rare(60)
    path = tmp_path / "rare.csv"
    frame.assign(kind=labels).to_csv(path, index=False)
    words = ["induce", path, "--target", "kind", "--form", "dnf", "--costs", "rare:usual=5"]
    said = run(*words).stdout
    lost = 5 * (labels == "rare").sum() / len(labels)
    found = re.search(r"cost (\S+) a row; one answer for all costs at least (\S+)", said)
    assert found is not None and float(found[2]) == pytest.approx(lost, rel=0.01)
    assert 0 < float(found[1]) < lost


def test_many_numbers_may_be_cut_instead(tmp_path: Path) -> None:
    path = tmp_path / "amounts.csv"
    rows = [(min(i % 24, 5), i % 24) for i in range(96)]
    path.write_text("a,amount\n" + "".join(f"{a},{amount}\n" for a, amount in rows))
    said = " ".join(run("induce", path, "--target", "amount", "--no-estimate").stdout.split())
    assert "each of the 24 numbers in amount is a class; --bins 2 asks" in said
    assert "no rule for 6, 7, 8, 9, 10 and 13 more" in said


def test_floors_and_costs_are_read() -> None:
    assert parse_floor("0.9") == 0.9
    assert parse_floor("yes=0.9, no=0.5") == {"yes": 0.9, "no": 0.5}
    assert parse_costs("yes:no=10") == {("yes", "no"): 10.0}
    for parse, wrong in ((parse_floor, "high"), (parse_costs, "yes=10"), (parse_costs, "a:b=x")):
        with pytest.raises(GnriError, match="must be such as"):
            parse(wrong)
