"""What every format keeps: run, it answers as the rules do, also on missing cells.

A format that can be run has at least one engine here; `check` runs them all. The rules themselves
are held against a slow version that is plain to read.
"""

import math
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import duckdb
import pandas

from gnri.data.schema import Above, Equals, IsTrue, OneOf, column_kinds, values_of
from gnri.formats import render
from gnri.formats.prolog import _label, quote_atom, write_number
from gnri.formats.sql import quote_name, to_sql
from gnri.rules.documents import from_json
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard
from tests.contracts.line_process import start_node, writable
from tests.formats.prolog import Program

Columns = Mapping[str, list[Any]]
Engine = Callable[[RuleList, Columns], list[Any]]

SWIPL = shutil.which("swipl")
NODE = shutil.which("node")
FEELIN = (Path(__file__).parents[2] / "build" / "web" / "node_modules" / "feelin").is_dir()
PYPMML = bool(shutil.which("java") and find_spec("pypmml"))
JPMML = bool(shutil.which("java") and find_spec("jpmml_evaluator"))
LARGEST_FLOAT = sys.float_info.max


def check(rules: RuleList, columns: Columns, rows: int | None = None) -> None:
    """Assert that every engine answers as the rules do, and they as the slow version.

    Of a long table the slow version reads `rows`, and so does PMML4S, which takes rows one by one.
    """
    expected = rules.predict(columns)
    few = {name: cells[:rows] for name, cells in columns.items()}
    assert expected[:rows] == slow(rules, few)
    for engine in engines_for(rules):
        if engine is in_pypmml:
            assert engine(rules, few) == expected[:rows], engine
        else:
            assert engine(rules, columns) == expected, engine


def slow(rules: RuleList, columns: Columns) -> list[Any]:
    """Row by row, clause by clause; many classes by the largest rank."""
    return [_slow_row(rules, row) for row in _rows(columns)]


def in_json(rules: RuleList, columns: Columns) -> list[Any]:
    return from_json(render(rules, "json")).predict(columns)


def in_python(rules: RuleList, columns: Columns) -> list[Any]:
    space: dict[str, Any] = {}
    exec(compile(render(rules, "python"), "<exported>", "exec"), space)
    assert set(space) == {"__builtins__", "predict"}
    return [space["predict"](row) for row in _rows(columns)]


def in_pandas(rules: RuleList, columns: Columns) -> list[Any]:
    space: dict[str, Any] = {}
    exec(compile(render(rules, "pandas"), "<exported>", "exec"), space)
    frame = pandas.DataFrame(
        {name: pandas.Series(cells, dtype=object) for name, cells in columns.items()}
    )
    return list(space["predict"](frame).tolist())


def in_javascript(rules: RuleList, columns: Columns) -> list[Any]:
    """Run the module with node, which takes an empty text for missing unless it is a value."""
    assert NODE, "node is not installed"
    known = {
        (atom.column, value)
        for atom in rules.schema.atoms
        if isinstance(atom, Equals | OneOf)
        for value in values_of(atom)
    }
    rows = [
        [
            "unseen" if cell == "" and (name, "") not in known else writable(cell)
            for name, cell in row.items()
        ]
        for row in _rows(columns)
    ]
    request = {"source": render(rules, "javascript"), "columns": [*columns], "rows": rows}
    answers = start_node(NODE, "run_javascript.mjs")(request)
    return [int(one["whole"]) if isinstance(one, dict) else one for one in answers]


def in_feelin(rules: RuleList, columns: Columns) -> list[Any]:
    """Read the document with dmn-moddle and evaluate its tests with feelin."""
    assert NODE and FEELIN, "node or feelin is not installed"
    request = {"source": render(rules, "dmn"), "rows": _json_rows(rules, columns)}
    labels = {_float(label): label for label in rules.classes}
    return [labels[_float(one)] for one in start_node(NODE, "run_dmn.mjs")(request)]


def in_pypmml(rules: RuleList, columns: Columns) -> list[Any]:
    """Run the document with PMML4S, by way of pypmml."""
    from pypmml import Model

    model = Model.fromString(render(rules, "pmml"))
    rows = [dict(zip(rules.columns, row, strict=True)) for row in _json_rows(rules, columns)]
    # One by one: of a whole table at once, PMML4S 1.5.8 answers some rows otherwise.
    name = f"predicted_{model.targetName}"
    labels = {kind(label): label for label in rules.classes for kind in (_float, str)}
    return [labels[_float(model.predict(row)[name])] for row in rows]


def in_jpmml(rules: RuleList, columns: Columns) -> list[Any]:
    """Run the document with JPMML-Evaluator, the reference engine, in a Java process of its own."""
    from jpmml_evaluator import make_evaluator

    kinds = column_kinds(rules.schema.atoms)
    types = {name: object if kinds[name] == "category" else None for name in rules.columns}
    cells = dict(zip(rules.columns, zip(*_json_rows(rules, columns), strict=True), strict=True))
    frame = pandas.DataFrame(
        {name: pandas.Series(cells[name], dtype=types[name]) for name in rules.columns},
        index=range(len(_rows(columns))),
    )
    model = make_evaluator(render(rules, "pmml"), _jpmml())
    (target,) = model.getTargetFields()
    answers = model.evaluateAll(frame, error_col=None)[0][target.name].tolist()
    labels = {kind(label): label for label in rules.classes for kind in (_float, str)}
    return [labels[_float(one)] for one in answers]


@cache
def _jpmml() -> Any:
    """Start the engine, which ends with this process."""
    from jpmml_evaluator import _classpath
    from jpmml_evaluator.py4j import Py4JBackend
    from py4j.java_gateway import JavaGateway

    path = os.pathsep.join(_classpath(user_classpath=[]))
    return Py4JBackend(JavaGateway.launch_gateway(classpath=path, die_on_exit=True))


def _json_rows(rules: RuleList, columns: Columns) -> list[list[Any]]:
    """The cells as JSON has them: null if missing, and no infinity."""
    kinds = column_kinds(rules.schema.atoms)
    cells = [[_json_cell(cell, kinds[name]) for cell in columns[name]] for name in rules.columns]
    return list(map(list, zip(*cells, strict=True))) or [[]] * len(_rows(columns))


def _json_cell(cell: Any, kind: str) -> Any:
    if cell is None or cell != cell:
        return None
    if kind == "number":
        return max(min(float(cell), LARGEST_FLOAT), -LARGEST_FLOAT)
    return bool(cell) if kind == "flag" else cell


def in_sqlite(rules: RuleList, columns: Columns, table: str = "data") -> list[Any]:
    names = ", ".join(map(quote_name, columns))
    rows = list(zip(*(_integers_fit(cells) for cells in columns.values()), strict=True))
    marks = ", ".join("?" * len(columns))
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE {quote_name(table)} ({names})")
        base.executemany(f"INSERT INTO {quote_name(table)} VALUES ({marks})", rows)
        return [row[-1] for row in base.execute(to_sql(rules, table))]


def in_duckdb(rules: RuleList, columns: Columns, table: str = "data") -> list[Any]:
    kinds = column_kinds(rules.schema.atoms)
    types = {
        name: _duckdb_type(kinds.get(name, "category"), cells) for name, cells in columns.items()
    }
    declared = ", ".join(f"{quote_name(name)} {types[name]}" for name in columns)
    base = _duckdb()
    base.execute(f"CREATE TABLE {quote_name(table)} ({declared})")
    lists = [_one_type(cells, types[name]) for name, cells in columns.items()]
    unnested = ", ".join(f"unnest(CAST(? AS {types[name]}[]))" for name in columns)
    base.execute(f"INSERT INTO {quote_name(table)} SELECT {unnested}", lists)
    found = [row[-1] for row in base.execute(to_sql(rules, table)).fetchall()]
    base.execute(f"DROP TABLE {quote_name(table)}")
    return found


def in_prolog_reader(rules: RuleList, columns: Columns) -> list[Any]:
    """Run the program with just enough Prolog, which is always there."""
    program = Program(render(rules, "prolog"))
    floats = [{name: _float(cell) for name, cell in row.items()} for row in _rows(columns)]
    return [program.prediction(row) for row in floats]


def in_swipl(rules: RuleList, columns: Columns) -> list[Any]:
    """Run the program with SWI-Prolog, which prints the index of each answer."""
    facts = [
        f"value({i}, {quote_atom(name)}, {_prolog_cell(cell)})."
        for i, row in enumerate(_rows(columns))
        for name, cell in row.items()
        if cell is not None and cell == cell
    ]
    labels = ", ".join(map(_label, rules.classes))
    goal = (
        f"forall(between(0, {len(_rows(columns)) - 1}, Row), (prediction(Row, Class), "
        f"once((nth0(I, [{labels}], Label), Label == Class)), write(I), nl))"
    )
    assert SWIPL, "swipl is not installed"
    with NamedTemporaryFile("w", suffix=".pl", encoding="utf-8") as program:
        program.write("\n".join([render(rules, "prolog"), *facts, ""]))
        program.flush()
        run = subprocess.run(
            [SWIPL, "-q", "-g", goal, "-t", "halt", program.name],
            capture_output=True,
            text=True,
            check=True,
            env={"LANG": "C.UTF-8"},
        )
    return [rules.classes[int(line)] for line in run.stdout.split()]


ENGINES: dict[str, Engine] = {
    "json": in_json,
    "python": in_python,
    "pandas": in_pandas,
    "javascript in node": in_javascript,
    "dmn in feelin": in_feelin,
    "pmml in pypmml": in_pypmml,
    "sql in sqlite": in_sqlite,
    "sql in duckdb": in_duckdb,
    "prolog in our reader": in_prolog_reader,
}
"""By the name of the format, and what runs it."""


def engines_for(rules: RuleList) -> list[Engine]:
    """Return the engines that are there and can run the rules.

    Our reader of Prolog cannot add points, SWI-Prolog can. XML cannot hold control characters.
    """
    adds = any(isinstance(rule, Scorecard) for rule in rules.rules)
    left_out = {
        in_prolog_reader: adds,
        in_javascript: NODE is None,
        in_feelin: not (NODE and FEELIN),
        in_pypmml: not PYPMML
        or any(
            ord(sign) < 32 and sign not in "\t\n\r"
            for text in (*rules.columns, *map(str, rules.classes))
            for sign in text
        ),
    }
    return [engine for engine in ENGINES.values() if not left_out.get(engine)]


READ = frozenset({"text", "latex"})
"""Formats that people read and nothing runs."""


def _rows(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _float(cell: Any) -> Any:
    return float(cell) if isinstance(cell, int | float) else cell


def _prolog_cell(cell: Any) -> str:
    if isinstance(cell, str):
        return quote_atom(cell)
    if math.isinf(cell):
        return "1.0Inf" if cell > 0 else "-1.0Inf"
    return write_number(float(cell))


def _slow_row(rules: RuleList, row: Mapping[str, Any]) -> Any:
    if rules.most_points_win:
        totals = [_slow_points(rules, step.rule, row) - step.rule.threshold for step in rules.steps]
        return rules.classes[rules.steps[totals.index(max(totals))].answer]
    for step in rules.steps:
        if _slow_rule(rules, step.rule, row) == step.truth:
            return rules.classes[step.answer]
    return rules.classes[rules.default]


def _slow_rule(rules: RuleList, rule: Any, row: Mapping[str, Any]) -> int:
    if isinstance(rule, Scorecard):
        total = _slow_points(rules, rule, row)
        return 1 if total >= rule.threshold else -1 if total <= rule.threshold - 1 else 0
    clauses = [
        min([1, *(_slow_atom(rules.schema.atoms[a], row) * (1 if p else -1) for a, p in items)])
        for items in rule.clauses
    ]
    return max([-1, *clauses]) * (1 if rule.positive else -1)


def _slow_points(rules: RuleList, card: Scorecard, row: Mapping[str, Any]) -> float:
    """By the points of each line; those of an unknown line count half."""
    total = 0.0
    for line, points in card.points:
        truths = [_slow_atom(rules.schema.atoms[a], row) * (1 if p else -1) for a, p in line]
        total += points * (min(truths) + 1) / 2
    return total


def _slow_atom(atom: Any, row: Mapping[str, Any]) -> int:
    cell = row[atom.column]
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return 0
    match atom:
        case Above(_, cut):
            true = float(cell) > cut
        case Equals(_, value):
            true = cell == value
        case OneOf(_, values):
            true = any(cell == value for value in values)
        case IsTrue():
            true = cell == 1
    return 1 if true else -1


def _integers_fit(cells: list[Any]) -> list[Any]:
    # SQLite holds whole numbers in 64 bits.
    return [float(c) if isinstance(c, int) and abs(c) >= 2**63 else c for c in cells]


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    # One for all tests: opening a database takes longer than most of them.
    return duckdb.connect(":memory:", config={"threads": "1"})


def _duckdb_type(kind: str, cells: list[Any]) -> str:
    """The narrowest type for the cells, so that each way to hold a column has its turn."""
    if kind == "category":
        return "VARCHAR"
    found = {type(cell) for cell in cells if cell is not None}
    return "BOOLEAN" if found <= {bool} else "BIGINT" if found <= {int} else "DOUBLE"


def _one_type(cells: list[Any], kind: str) -> list[Any]:
    if kind == "DOUBLE":
        return [None if cell is None else float(cell) for cell in cells]
    return [cell if cell == cell else None for cell in cells]
