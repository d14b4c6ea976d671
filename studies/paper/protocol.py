"""The protocol as data: which tables, widths, seeds, transforms and conditions each study takes."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any, TypeVar

from gnri.errors import GnriError

Settings = TypeVar("Settings")


@dataclass(frozen=True)
class Protocol:
    """A section of settings for each study; a tiny one tries the same chain in seconds."""

    sections: Mapping[str, Mapping[str, Any]]
    tiny: bool = False

    def read(self, name: str, kind: type[Settings]) -> Settings:
        """The section of a study as its own dataclass, whose fields are the section's keys."""
        try:
            return kind(**{key: _frozen(value) for key, value in self._section(name).items()})
        except TypeError as error:
            raise GnriError(f"the protocol of {name} does not fit: {error}") from None

    def identity(self, name: str) -> str:
        """Stands in every row of a study: the start of the SHA-256 of its settings."""
        text = json.dumps(self._section(name), sort_keys=True)
        return sha256(text.encode()).hexdigest()[:12]

    def _section(self, name: str) -> Mapping[str, Any]:
        if name not in self.sections:
            raise GnriError(f"the protocol has no section {name}; add [{name}] to protocol.toml")
        return self.sections[name]


def load_protocol(*, tiny: bool = False) -> Protocol:
    """The committed protocol; a tiny one has the settings of [tiny.NAME] in place of [NAME]'s."""
    text = (files("studies.paper") / "protocol.toml").read_text(encoding="utf-8")
    full = tomllib.loads(text)
    small = full.pop("tiny")
    if tiny:
        full = {name: section | small.get(name, {}) for name, section in full.items()}
    return Protocol(full, tiny)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
