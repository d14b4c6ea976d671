"""What became of the columns of a table, in words."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from gnri.data.kinds import ColumnsError
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema
from gnri.errors import GnriError
from gnri.messages import counted

_LISTED = 5


@contextmanager
def columns_to_ignore() -> Iterator[None]:
    """Say of columns that cannot be used which options leave them out."""
    try:
        yield
    except ColumnsError as error:
        options = " ".join(f"--ignore {shlex.quote(name)}" for name in error.columns)
        them = "it" if len(error.columns) == 1 else "them"
        raise GnriError(error.explain(f"leave {them} out with {options}")) from None


def column_notes(missing: Mapping[str, int], schema: Schema) -> list[str]:
    """A line each on numbers, Booleans, text, missing cells, and columns that say nothing.

    From the missing cells of every column, and the atoms.
    """
    uses = {
        "numeric": ((Above,), "compared with cuts"),
        "Boolean": ((IsTrue,), "as they stand"),
        "text": ((Equals, OneOf), "compared with each value, rare ones together"),
    }
    notes = [_note(schema, name, *use) for name, use in uses.items()]
    notes += [_missing_note(missing), _unused_note(missing, schema)]
    return [note for note in notes if note]


def _note(schema: Schema, name: str, kinds: tuple[type[Atom], ...], use: str) -> str:
    atoms = [atom for atom in schema.atoms if isinstance(atom, kinds)]
    if not atoms:
        return ""
    columns = len({atom.column for atom in atoms})
    return f"{counted(columns, f'{name} column')} {use}, {counted(len(atoms), 'atom')}"


def _missing_note(missing: Mapping[str, int]) -> str:
    found = {name: cells for name, cells in missing.items() if cells}
    if not found:
        return "no missing cells"
    cells = counted(sum(found.values()), "missing cell")
    return f"{cells} in {listed(found)}: neither true nor false"


def _unused_note(names: Iterable[str], schema: Schema) -> str:
    used = {atom.column for atom in schema.atoms}
    unused = [name for name in names if name not in used]
    return f"left out, constant or all missing: {listed(unused)}" if unused else ""


def listed(names: Iterable[str]) -> str:
    """The first few names, and how many there are beside them."""
    names = list(names)
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
