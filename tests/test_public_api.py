"""The public names are a promise: `gnri.__all__` is exactly what can be imported."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

import gnri


def test_names_are_sorted_and_unique() -> None:
    assert gnri.__all__ == sorted(set(gnri.__all__))


@pytest.mark.parametrize("name", gnri.__all__)
def test_every_name_can_be_imported(name: str) -> None:
    thing = getattr(gnri, name)
    assert thing.__name__ == name
    assert thing.__module__.startswith("gnri.")


def test_no_module_hides_a_name() -> None:
    """Importing a submodule binds its name in the package, over a public name if both agree."""
    for _, module, _ in iter_modules(gnri.__path__):
        import_module(f"gnri.{module}")
    hidden = [name for name in gnri.__all__ if isinstance(getattr(gnri, name), ModuleType)]
    assert hidden == []


def test_a_star_import_gives_the_names_and_no_other() -> None:
    space: dict[str, object] = {}
    exec("from gnri import *", space)
    assert sorted(set(space) - {"__builtins__"}) == gnri.__all__


def test_nothing_else_of_ours_is_public() -> None:
    public = {name: getattr(gnri, name) for name in dir(gnri) if not name.startswith("_")}
    ours = {n for n, thing in public.items() if _home(thing).split(".")[0] == "gnri"}
    assert sorted(ours) == gnri.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        gnri.nonsense  # noqa: B018


def _home(thing: object) -> str:
    """Where a class or a function was written; nothing for a module."""
    return str(getattr(thing, "__module__", ""))
