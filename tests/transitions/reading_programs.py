"""Programs read back line by line, the slow and obvious way."""

import re

RULE = re.compile(r"([a-z]\w*)\(t\+1\)(?: :- (.*))?\.")


def run_program(text: str, true: set[str]) -> set[str]:
    """What is true next, given what is true now."""
    lines = [line for line in text.splitlines() if not line.startswith(("%", "#"))]
    after = set()
    for line in lines:
        found = RULE.fullmatch(line)
        assert found is not None, line
        head, body = found.groups()
        if all(_holds(goal, true) for goal in (body or "").split(", ") if goal):
            after.add(head)
    return after


def _holds(goal: str, true: set[str]) -> bool:
    name = goal.removeprefix("not ").removesuffix("(t)")
    return (name in true) != goal.startswith("not ")
