"""What the code may not contain, found by reading it: run by `make check`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "gnri"

UNPICKLING = {"pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve"}
RUNNING = {"eval", "exec", "compile", "__import__"}
FORBIDDEN = {"allow_pickle": "allows numpy to unpickle", "shell": "runs a shell"}
FUNCTION_LIMIT, FILE_LIMIT = 60, 350

REASON = re.compile(r"#\s*long:\s*\S+.{10,}")
"""A file or a function past its limit says why: `# long: ...`."""

Fault = tuple[int, str]


def faults(source: str) -> list[Fault]:
    """What is wrong with a module, by line."""
    tree = ast.parse(source)
    return sorted({*_imports(tree), *_calls(tree), *_sizes(tree, source), *_exempt(source)})


def _imports(tree: ast.AST) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, *below = name.split(".")
            if top in UNPICKLING or name in ("joblib.load", "joblib.dump"):
                yield node.lineno, f"imports {top}, which runs what it reads"
            if top == "sklearn" and any(_private(part) for part in below):
                yield node.lineno, f"imports {name}, which is private to scikit-learn"


def _calls(tree: ast.AST) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((node.lineno, said) for said in (*_called(node), *_given(node)))


def _called(node: ast.Call) -> Iterator[str]:
    match node.func:
        case ast.Name(id=name) if name in RUNNING:
            yield f"calls {name}"
        case ast.Attribute(value=ast.Name(id="builtins"), attr=name) if name in RUNNING:
            yield f"calls {name}"
        case ast.Attribute(value=ast.Name(id="torch"), attr="load"):
            yield "calls torch.load, which unpickles"
        case ast.Attribute(value=ast.Name(id="self"), attr="query"):
            pass  # the layer of an attention, not a frame
        case ast.Attribute(attr="query" | "eval" as name) if node.args or node.keywords:
            yield f"calls .{name}(...), which evaluates text in a frame"
        case ast.Attribute(attr="read_pickle" | "to_pickle" as name):
            yield f"calls .{name}"


def _given(node: ast.Call) -> Iterator[str]:
    for one in node.keywords:
        if one.arg in FORBIDDEN and not _is_false(one.value):
            yield FORBIDDEN[one.arg]


def _exempt(source: str) -> Iterator[Fault]:
    for number, line in enumerate(source.splitlines(), start=1):
        if "# nosec" in line:
            yield number, "asks bandit to look away"


def _sizes(tree: ast.Module, source: str) -> Iterator[Fault]:
    lines = source.splitlines()
    if len(lines) > FILE_LIMIT and not REASON.search("\n".join(lines[:20])):
        yield 1, f"has {len(lines)} lines, more than {FILE_LIMIT}, and says no reason"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = lines[node.lineno - 1 : node.end_lineno]
            if len(own) > FUNCTION_LIMIT and not REASON.search("\n".join(own)):
                yield node.lineno, f"{node.name} has {len(own)} lines, more than {FUNCTION_LIMIT}"


def _private(part: str) -> bool:
    return part.startswith("_") and not part.endswith("__")


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False
