"""One HTML page about a classifier, with nothing in it to load or to run."""

from gnri.report.facts import Column, Confusion, Facts, Verdict
from gnri.report.page import page, write_page
from gnri.report.symmetry import check_symmetry

__all__ = ["Column", "Confusion", "Facts", "Verdict", "check_symmetry", "page", "write_page"]
