"""`gnri induce --objective`, `--min-precision`, `--min-recall` and `--costs`."""

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


def test_floors_and_costs_are_read() -> None:
    assert parse_floor("0.9") == 0.9
    assert parse_floor("yes=0.9, no=0.5") == {"yes": 0.9, "no": 0.5}
    assert parse_costs("yes:no=10") == {("yes", "no"): 10.0}
    for parse, wrong in ((parse_floor, "high"), (parse_costs, "yes=10"), (parse_costs, "a:b=x")):
        with pytest.raises(GnriError, match="must be such as"):
            parse(wrong)
