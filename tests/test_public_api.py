"""The public names are a promise: `gnri.__all__` is exactly what can be imported."""

import ast
import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

import gnri

NAMES = sorted(set(gnri.__all__) - {"__version__"})


def test_these_are_the_public_names() -> None:
    assert " ".join(NAMES) == (
        "AuditReport Binarizer ClauseStatistics Episode Explanation ExportResult Induction Literal "
        "RuleClassifier RuleList RuleStatistics Schema Scorecard Scores SignedDNF Step Symmetry "
        "audit "
        "canonical_export equivalent induce load_model load_rules parse save_rules"
    )
    assert len(gnri.__all__) == len(set(gnri.__all__))


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(gnri.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert sorted(one.asname for node in imports for one in node.names) == NAMES
    for node in imports:
        assert {gnri._MODULE_OF[one.name] for one in node.names} == {node.module}


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert gnri.__version__ == project["project"]["version"]


@pytest.mark.parametrize("name", NAMES)
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
    assert sorted(set(space) - {"__builtins__", "__version__"}) == NAMES


def test_nothing_else_of_ours_is_public() -> None:
    public = {name: getattr(gnri, name) for name in dir(gnri) if not name.startswith("_")}
    ours = {n for n, thing in public.items() if _home(thing).split(".")[0] == "gnri"}
    assert sorted(ours) == NAMES


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        gnri.nonsense  # noqa: B018


def _home(thing: object) -> str:
    """Where a class or a function was written; nothing for a module."""
    return str(getattr(thing, "__module__", ""))
