"""One classifier, answered by every backend, and by a slow one that is plain to read."""

import math
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from typing import Any

import duckdb

from gnri.data.schema import Above, Equals, IsTrue, OneOf, column_kinds
from gnri.formats.python_source import to_python
from gnri.formats.sql import quote_name, to_sql
from gnri.rules.rule_list import RuleSet

Columns = Mapping[str, list[Any]]


def slow(rules: RuleSet, columns: Columns) -> list[Any]:
    """Row by row, clause by clause; many classes by the largest rank."""
    count = len(next(iter(columns.values())))
    return [
        _slow_row(rules, {name: cells[i] for name, cells in columns.items()}) for i in range(count)
    ]


def in_numpy(rules: RuleSet, columns: Columns) -> list[Any]:
    return rules.predict(columns)


def in_python(rules: RuleSet, columns: Columns) -> list[Any]:
    space: dict[str, Any] = {}
    exec(compile(to_python(rules), "<exported>", "exec"), space)
    assert set(space) == {"__builtins__", "predict"}
    rows = zip(*columns.values(), strict=True)
    return [space["predict"](dict(zip(columns, row, strict=True))) for row in rows]


def in_sqlite(rules: RuleSet, columns: Columns, table: str = "data") -> list[Any]:
    names = ", ".join(map(quote_name, columns))
    rows = list(zip(*(_integers_fit(cells) for cells in columns.values()), strict=True))
    marks = ", ".join("?" * len(columns))
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE {quote_name(table)} ({names})")
        base.executemany(f"INSERT INTO {quote_name(table)} VALUES ({marks})", rows)
        return [row[-1] for row in base.execute(to_sql(rules, table))]


def in_duckdb(rules: RuleSet, columns: Columns, table: str = "data") -> list[Any]:
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


BACKENDS: dict[str, Callable[[RuleSet, Columns], list[Any]]] = {
    "numpy": in_numpy,
    "python": in_python,
    "sqlite": in_sqlite,
    "duckdb": in_duckdb,
}


def _slow_row(rules: RuleSet, row: Mapping[str, Any]) -> Any:
    truths = [0 if rule is None else _slow_rule(rules, rule, row) for rule in rules.rules]
    if len(rules.classes) == 2:
        return rules.classes[{1: 1, -1: 0, 0: rules.majority}[truths[0]]]
    for turn in rules.turns:
        for kind in turn:
            if truths[kind] == 1:
                return rules.classes[kind]
    return rules.classes[rules.majority]


def _slow_rule(rules: RuleSet, rule: Any, row: Mapping[str, Any]) -> int:
    clauses = [
        min([1, *(_slow_atom(rules.schema.atoms[a], row) * (1 if p else -1) for a, p in items)])
        for items in rule.clauses
    ]
    return max([-1, *clauses]) * (1 if rule.positive else -1)


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
