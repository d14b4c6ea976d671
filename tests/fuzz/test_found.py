"""Inputs that once got past us, each with the answer it gets now."""

import io
import json
from contextlib import suppress
from itertools import product
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from fuzz.targets import target
from gnri.data.sources import open_source
from gnri.errors import CheckpointError, GnriError
from gnri.model.load import expected_shapes


@pytest.mark.parametrize("settings", [{"layers": 10**9}, {"layers": 1e300}, {"width": 2**62}])
@pytest.mark.parametrize("condition", ["gnri", "guided"])
def test_sizes_that_no_weights_have_are_refused_before_they_are_built(
    settings: dict[str, int], condition: str
) -> None:
    with pytest.raises(CheckpointError, match="describe no network"):
        expected_shapes(settings, condition)  # a billion layers would take a day to build


def test_a_checkpoint_that_asks_for_them_is_refused() -> None:
    config = json.loads(target("settings").seeds[1])
    config["model"]["layers"] = 10**9
    with pytest.raises(CheckpointError, match="'layers' must be at most 64"):
        target("settings").read(json.dumps(config).encode())


def test_text_in_a_parquet_file_that_is_not_utf8_is_refused() -> None:
    broken = pyarrow.array([b"ok", b"\xff\xfe"]).view(pyarrow.string())
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"a": broken, "class": ["x", "y"]}), out)
    with pytest.raises(GnriError, match=r"not a whole Parquet file: 'utf-8' codec"):
        target("parquet").read(out.getvalue())


def test_a_name_in_a_parquet_file_that_is_not_utf8_is_refused() -> None:
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"mark": [1, 2]}), out)
    with pytest.raises(GnriError, match=r"not a whole Parquet file"):
        target("parquet").read(out.getvalue().replace(b"mark", b"ma\xffk"))


def test_broken_metadata_of_a_column_does_not_end_the_process(tmp_path: Path) -> None:
    """As it does in pyarrow's `metadata.row_group(0).column(0)`, at some of these bytes."""
    out, path = io.BytesIO(), tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"mark": ["a", "b"], "code": [1, 2]}), out)
    data = out.getvalue()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for place, value in product(range(footer, footer + 100), b"\x00\x10"):
        path.write_bytes(data[:place] + bytes([value]) + data[place + 1 :])
        with suppress(GnriError):
            open_source(path)


def test_an_address_that_is_not_ascii_is_refused() -> None:
    assert str(target("http").read(b"GET /?\xff\n")).startswith("400")
    assert str(target("http").read(b"GET /?a=%ff\n")).startswith("200")
