"""Classifiers on disk: one JSON file, written whole or not at all."""

from pathlib import Path

from gnri.errors import RuleError
from gnri.files import write_atomically
from gnri.logic.strict import MAX_LENGTH
from gnri.render.classifier import RuleSet
from gnri.render.document import KIND, load_ruleset, to_json


def save_ruleset(ruleset: RuleSet, path: Path | str) -> Path:
    """Write the classifier to `path`; what is there stays as it is if anything fails."""
    path = Path(path)
    data = f"{to_json(ruleset)}\n".encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise RuleError(f"the rules cannot be written to {path}: {error.strerror}") from None
    return path


def read_ruleset(path: Path | str) -> RuleSet:
    """The classifier in the file at `path`."""
    path = Path(path)
    try:
        if path.stat().st_size > 4 * MAX_LENGTH:
            raise RuleError(f"{path} is too large to be a ruleset document")
        data = path.read_bytes()
    except OSError as error:
        raise RuleError(f"the rules cannot be read from {path}: {error.strerror}") from None
    try:
        KIND.check_form(data)  # a text can be four times its bytes
        return load_ruleset(data.decode())
    except UnicodeDecodeError as error:
        raise RuleError(f"{path} is not a ruleset document: it is not UTF-8 ({error})") from None
    except RuleError as error:
        raise RuleError(f"{path}: {error}") from None
