"""Just enough Prolog to run an exported program: tests on one row, with no search."""

import operator
from collections.abc import Mapping
from typing import Any

from tests.formats.tokens import prolog_clauses, unquoted

Tokens = list[tuple[str, str]]
Bindings = dict[str, Any]

COMPARE = {
    ">": operator.gt,
    "=<": operator.le,
    "=:=": operator.eq,
    "=\\=": operator.ne,
    "==": operator.eq,
    "\\==": operator.ne,
}


class Program:
    """The clauses of a program, by the name of the predicate."""

    def __init__(self, source: str) -> None:
        self._bodies: dict[str, list[Tokens]] = {}
        for clause in prolog_clauses(source):
            if clause[0][1] != ":-":
                split = clause.index(("symbol", ":-"))
                self._bodies.setdefault(clause[0][1], []).append(clause[split + 1 :])

    def prediction(self, row: Mapping[str, Any]) -> Any:
        bound: Bindings = {}
        assert self._holds("prediction", row, bound)
        return bound["Class"]

    def _holds(self, name: str, row: Mapping[str, Any], bound: Bindings) -> bool:
        return any(_Goals(self, body, row, bound).run() for body in self._bodies[name])


class _Goals:
    """A body, read and run at once; `run` alone decides what is skipped."""

    def __init__(self, program: Program, body: Tokens, row: Mapping[str, Any], bound: Bindings):
        self._program, self._row, self._bound = program, row, bound
        self._tokens = [*body, ("end", ".")]
        self._place = 0

    def run(self) -> bool:
        answer = self._either(live=True)
        assert self._tokens[self._place][0] == "end"
        return answer

    def _either(self, live: bool) -> bool:
        answer = self._all(live)
        if self._take("->"):
            then = self._all(live and answer)
            assert self._take(";")
            other = self._either(live and not answer)
            return then if answer else other
        while self._take(";"):
            answer = self._all(live and not answer) or answer
        return answer

    def _all(self, live: bool) -> bool:
        answer = self._goal(live)
        while self._take(","):
            answer = self._goal(live and answer) and answer
        return answer

    def _goal(self, live: bool) -> bool:
        if self._take("\\+"):
            return not self._goal(live)
        if self._take("("):
            answer = self._either(live)
            assert self._take(")")
            return answer
        kind, word = self._next()
        if kind == "variable":
            return self._comparison(word, live)
        if word in ("true", "fail"):
            return word == "true"
        return self._call(word, live)

    def _comparison(self, variable: str, live: bool) -> bool:
        sign, value = self._next()[1], self._value()
        if sign == "=":
            self._bound.update({variable: value} if live else {})
            return True
        return live and COMPARE[sign](self._bound[variable], value)

    def _call(self, name: str, live: bool) -> bool:
        assert self._take("(") and self._next() == ("variable", "Row")
        if name != "value":
            assert self._take(")")
            return live and self._program._holds(name, self._row, {})
        assert self._take(",")
        cell = self._row[self._value()]
        assert self._take(",")
        variable = self._next()[1]
        assert self._take(")")
        if cell is None or cell != cell:
            return False
        self._bound[variable] = cell
        return True

    def _value(self) -> Any:
        kind, word = self._next()
        if kind == "quoted":
            return unquoted(word)
        if kind == "atom":
            return {"true": True, "false": False}[word]
        return float(word) if "." in word else int(word)

    def _take(self, word: str) -> bool:
        found = self._tokens[self._place] == ("symbol", word)
        self._place += found
        return found

    def _next(self) -> tuple[str, str]:
        self._place += 1
        return self._tokens[self._place - 1]
