"""Tables as people have them: other marks, encodings and files, and targets of numbers."""

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gnri.classifier import RuleClassifier
from gnri.data.sources import open_source, read_table
from gnri.data.structure import TextFormat
from gnri.errors import GnriError
from tests.cli.commands import one_line, run

ROWS = [
    (i * 1.5 - 20, "groß" if i % 3 else "klein", "ja" if i % 3 and i > 20 else "nein")
    for i in range(60)
]


def european() -> str:
    """Semicolons, decimal commas, and letters that are not ASCII."""
    lines = [f"{number:.2f};{size};{label}".replace(".", ",") for number, size, label in ROWS]
    return "\n".join(["gewicht;größe;krank", *lines, "1,5;groß;"]) + "\n"


def plain() -> str:
    return "gewicht,größe,krank\n" + "".join(f"{n:.2f},{s},{y}\n" for n, s, y in ROWS)


def told(*words: str | Path) -> dict[str, Any]:
    result = run("induce", *words, "--json", "--no-estimate")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("way", [(), ("--memory", "1GB")], ids=["memory", "parts"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8", "cp1252"])
def test_decimal_commas_in_any_encoding(
    encoding: str, way: tuple[str, ...], tmp_path: Path
) -> None:
    path, rule, usual = (tmp_path / name for name in ("eu.csv", "rule.json", "plain.csv"))
    path.write_bytes(european().encode(encoding))
    usual.write_text(plain(), encoding="utf-8")
    written = ("--decimal", ",", "--encoding", encoding)
    found = told(path, "--target", "krank", *written, *way, "--out", rule)
    expected = told(usual, "--target", "krank", *way)
    assert found["rule_list"] == expected["rule_list"] and found["unlabelled"] == 1
    assert "1 row without a value of krank left out" in found["columns"]
    answer = run("predict", rule, path, *written)
    assert answer.exit_code == 0
    assert [line.split(",")[3] for line in answer.stdout.splitlines()[1:61]] == [
        y for *_, y in ROWS
    ]


def test_a_column_gets_one_note_that_names_the_cause(tmp_path: Path) -> None:
    """Numbers that one cell makes text are said to be that, and not free text."""
    path = tmp_path / "eu.csv"
    amounts = ["n/v" if i == 7 else f"{i},{i:02}" for i in range(60)]
    lines = [f"{one};{row[2]};{row[1]}" for one, row in zip(amounts, ROWS, strict=True)]
    path.write_text("betrag;krank;größe\n" + "\n".join(lines) + "\n")
    printed = run("induce", path, "--target", "krank", "--no-estimate").stdout
    assert not any(line.endswith(" ") for line in printed.splitlines())
    odd = "is ignored: it is read as text, not as numbers: {} in row {} below the header cannot be"
    for mark, cell, row in ((".", "'0,00'", 1), (",", "'n/v'", 8)):
        found = told(path, "--target", "krank", "--decimal", mark)
        (note,) = [one for one in found["columns"] if one.startswith("betrag")]
        assert f"betrag {odd.format(cell, row)}" in note
        assert ("--decimal ," in note) == (mark == ".")


@pytest.mark.parametrize(
    "words",
    [
        ("--target", "krank", "--thresholds", "alter=18,40"),
        ("--target", "krank", "--monotone", "alter=+1"),
        ("--target", "alter", "--bins", "2"),
    ],
)
def test_where_numbers_are_needed_the_cell_that_is_none_is_named(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    lines = [f"{'n/v' if i == 7 else i % 40},{'ja' if i > 30 else 'nein'}" for i in range(60)]
    path.write_text("alter,krank\n" + "\n".join(lines) + "\n")
    said = one_line(run("induce", path, *words))
    assert "'alter' holds categories" in said
    assert "alter is read as text, not as numbers: 'n/v' in row 8 below the header" in said


def test_errors_spell_names_as_people_do(tmp_path: Path) -> None:
    path = tmp_path / "eu.csv"
    path.write_text(european(), encoding="utf-8")
    found = run("induce", path, "--target", "krank", "--ignore", "Maße")
    assert found.exit_code == 2
    assert found.stderr.endswith(
        "no column 'Maße'; its columns are ['gewicht', 'größe', 'krank']\n"
    )


def test_folders_and_packed_files_have_an_encoding_too(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.csv").write_bytes(european().encode("latin-1"))
    (tmp_path / "parts" / "b.csv.gz").write_bytes(gzip.compress(european().encode("latin-1")))
    text = TextFormat(",", "latin-1")
    source = open_source(tmp_path / "parts", text)
    assert source.names == ["gewicht", "größe", "krank"]
    sizes = {
        one
        for part in source.partitions
        for batch in part.batches(["größe"])
        for one in batch["größe"].counts()
    }
    assert sizes == {"groß", "klein"}
    with pytest.warns(UserWarning, match="2 rows without a label"):
        RuleClassifier().fit_files(tmp_path / "parts", "krank", decimal=",", encoding="latin-1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--decimal", ";"), "decimal must be a point or a comma, got ';'"),
        (("--encoding", "latin1000"), "encoding must be the name of an encoding"),
        (("--encoding", "rot13"), "encoding must be the name of an encoding"),
        (("--encoding", "ascii"), "is not text in ascii: ordinal not in range(128)"),
        ((), "must be UTF-8, but line 1 holds the byte 0xf6; save it as UTF-8, or say its encodi"),
    ],
)
def test_what_is_written_otherwise_is_refused(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "eu.csv"
    path.write_bytes(european().encode("latin-1"))
    for way in ((), ("--memory", "1GB")):
        assert said in one_line(run("induce", path, "--target", "krank", *words, *way))


def test_a_point_where_the_mark_is_a_comma_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "eu.csv"
    path.write_text(european().replace("62,50", "1.234"), encoding="utf-8")
    (note,) = told(path, "--target", "krank", "--decimal", ",")["ignored"].items()
    assert note[0] == "gewicht" and note[1].startswith("holds '1.234', with a point where the dec")


def workbook(rows: list[list[Any]]) -> bytes:
    """The rows as the only sheet of an Excel workbook; a date is a number with style 1."""

    def cell(value: Any) -> str:
        if value is None:
            return "<c/>"
        if isinstance(value, bool):
            return f'<c t="b"><v>{int(value)}</v></c>'
        if isinstance(value, str) and value.startswith("day "):
            return f'<c s="1"><v>{value[4:]}</v></c>'
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    sheet = "".join("<row>" + "".join(map(cell, row)) + "</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" '
        f'Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/>'
        '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData>'
        "</worksheet>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return out.getvalue()


def sheet() -> bytes:
    rows = [
        [n, s, i % 2 == 0, i % 5, f"day {43_831 + i % 9}", y] for i, (n, s, y) in enumerate(ROWS)
    ]
    rows.insert(3, [None] * 6)
    rows.append([1.5, "", None, 1, "day 43831", None])
    return workbook([["gewicht", " größe ", "raucht", "kinder", "seit", "krank", None], *rows])


def test_a_workbook_is_read_as_its_sheet_saved_as_text(tmp_path: Path) -> None:
    path, text = tmp_path / "t.xlsx", tmp_path / "t.csv"
    path.write_bytes(sheet())
    lines = [
        f"{n},{s},{str(i % 2 == 0).lower()},{i % 5},2020-01-0{1 + i % 9},{y}"
        for i, (n, s, y) in enumerate(ROWS)
    ]
    lines.append("1.5,,,1,2020-01-01,")
    text.write_text("\n".join(["gewicht,größe,raucht,kinder,seit,krank", *lines]), encoding="utf-8")
    found, expected = read_table(path).decide(), read_table(text).decide()
    assert list(found) == list(expected)
    for name, column in found.items():
        assert (column.kind, column.values.dtype) == (
            expected[name].kind,
            expected[name].values.dtype,
        )
        assert column.texts() == expected[name].texts()
    for way in ((), ("--memory", "1GB")):
        learnt = told(path, "--target", "krank", *way)
        assert learnt["rule_list"] == told(text, "--target", "krank", *way)["rule_list"]
        assert list(learnt["ignored"]) == ["seit"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04" + b"\xff" * 40, "is not a whole Excel workbook"),
        (sheet()[:-40], "is not a whole Excel workbook"),
        (workbook([]), "has no rows or no columns"),
        (workbook([["a", "b"]]), "has no rows or no columns"),
        (workbook([["a", None, "b"], [1, 2, 3]]), "column 2 has none"),
    ],
)
def test_a_workbook_that_holds_no_table_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(data)
    assert said in one_line(run("induce", path, "--target", "b"))


def test_without_the_package_a_workbook_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    path = tmp_path / "t.xlsx"
    path.write_bytes(sheet())
    with pytest.raises(GnriError, match=r"pip install 'gnri\[excel\]', or save the sheet as CSV"):
        read_table(path)


def test_a_target_of_numbers_is_cut_as_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(plain(), encoding="utf-8")
    line = one_line(run("induce", path, "--target", "gewicht"))
    assert "--bins 2, or above a number with --threshold 23.5 (in Python bins=2" in line
    for words, classes in (
        (("--bins", "2"), {"up to 23.5": 30, "above 23.5": 30}),
        (("--threshold", "50"), {"up to 50": 47, "above 50": 13}),
        (("--bins", "3"), {"up to 8.5": 20, "above 8.5 up to 38.5": 20, "above 38.5": 20}),
    ):
        found = told(path, "--target", "gewicht", *words)
        assert found["classes"] == classes
        assert found == {**told(path, "--target", "gewicht", *words), "seconds": found["seconds"]}
        parts = told(path, "--target", "gewicht", *words, "--memory", "1GB")
        assert parts["rule_list"] == found["rule_list"]
    assert run("audit", path, "--target", "gewicht", "--bins", "2").exit_code == 0


def test_an_index_of_pandas_is_written_back(tmp_path: Path) -> None:
    path, rule = tmp_path / "t.csv", tmp_path / "rule.json"
    rows = [f"{i},{i % 7},{'xy'[i % 7 > 3]}" for i in range(49)]
    path.write_text("\n".join([",a,class", *rows]) + "\n")
    found = told(path, "--target", "class", "--out", rule)
    assert list(found["ignored"]) == [""]
    assert run("predict", rule, path).stdout.splitlines()[:2] == [",a,class,prediction", "0,0,x,x"]
