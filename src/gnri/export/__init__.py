"""How scores become a rule."""

from gnri.export.decode import DecodeConfig, Decoded, canonical_decode, native_decode
from gnri.export.rails import (
    Exported,
    average_prediction,
    canonical_export,
    dual_rail_export,
    export_of,
    native_export,
)

__all__ = [
    "DecodeConfig",
    "Decoded",
    "Exported",
    "average_prediction",
    "canonical_decode",
    "canonical_export",
    "dual_rail_export",
    "export_of",
    "native_decode",
    "native_export",
]
