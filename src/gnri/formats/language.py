"""Print an expression in a language with infix operators."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gnri.formats.expression import And, Expression, Or, Points, Test


class Language(NamedTuple):
    """What differs between languages that write expressions alike.

    `test` writes a test, in brackets where the flag says so and it needs them. `choose` writes the
    points of the first test that holds, and those where none does. `words` has the operators and,
    or and +, each with what stands for no parts. A chain of more than `most` parts is nested.
    """

    test: Callable[[Test, bool], str]
    choose: Callable[[Sequence[tuple[str, float]], float], str]
    words: Mapping[str, tuple[str, str]]
    most: int = sys.maxsize

    def write(self, expression: Expression | Points, bracket: bool = False) -> str:
        """Return the expression, true where it is and false or unknown elsewhere."""
        match expression:
            case Test():
                return self.test(expression, bracket)
            case And(parts) | Or(parts):
                inner = bracket or len(parts) > 1
                return self.join(expression.word, [self.write(p, inner) for p in parts], bracket)
            case Points(_, bound, above):
                return f"{self.total(expression)} {'>=' if above else '<='} {bound}"

    def total(self, points: Points) -> str:
        """Return the sum of the points of all cases."""
        cases = [([(self.write(t), p) for t, p in one.tests], one.missing) for one in points.cases]
        return self.join("+", [self.choose(*case) for case in cases])

    def join(self, word: str, parts: Sequence[str], bracket: bool = False) -> str:
        """Return the parts with an operator between them."""
        operator, nothing = self.words[word]
        while len(parts) > self.most:
            chunks = (parts[i : i + self.most] for i in range(0, len(parts), self.most))
            parts = [self.join(word, chunk, bracket=True) for chunk in chunks]
        text = f" {operator} ".join(parts) or nothing
        return f"({text})" if bracket and len(parts) > 1 else text
