"""Tables from rows."""

from studies.markdown import distinct, grid, mean_figures, short, summary

ROWS = [
    {"set": "b", "learner": "x", "size": "1"},
    {"set": "b", "learner": "x", "size": "4"},
    {"set": "a", "learner": "x", "size": "10"},
    {"set": "a", "learner": "y", "size": ""},
    {"set": "b", "learner": "y", "size": "3"},
]


def test_means_leave_out_empty_cells() -> None:
    found = mean_figures(ROWS, "set", "learner", "size")
    assert found == {("b", "x"): 2.5, ("a", "x"): 10.0, ("b", "y"): 3.0}
    assert grid(found, ["a", "b"], ["x", "y"], short) == [["a", "10.0", "-"], ["b", "2.5", "3.0"]]
    assert summary(found, "mean", ["x", "y"], short) == ["**mean**", "6.2", "3.0 (1 of 2)"]
    assert summary(found, "median", ["z"], short) == ["**median**", "-"]


def test_the_order_of_names() -> None:
    assert distinct(ROWS, "set") == ["b", "a"]
    assert distinct(ROWS, "set", ["c", "a"]) == ["a", "b"]
