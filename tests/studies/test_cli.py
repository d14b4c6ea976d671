"""The command line, as a user types it."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from studies.__main__ import app
from studies.results import read

RECIPES = Path(__file__).parents[2] / "recipes"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    words = ["train", RECIPES / "tiny.toml", "--out", out, "--device", "cpu", "--seed", "7"]
    result = run(*words, "--set", "train.steps=3")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == f"checkpoint: {out / 'checkpoint'}"
    return out / "checkpoint"


def test_help_lists_the_commands() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in ("train", "reproduce"):
        assert command in result.output


@pytest.mark.parametrize("words", ["train recipes/tiny.toml", "reproduce cost", "bench real"])
def test_without_torch_one_line_says_what_to_install(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run(*words.split())
    said = "gnri: training and studies need torch, which is not installed; in the folder of the "
    expected = f"{said}repository run: pip install '.[train]'\n"
    assert (result.exit_code, result.stderr) == (2, expected)


def test_the_studies_are_listed() -> None:
    result = run("reproduce")
    assert result.exit_code == 0, result.output
    names = [line.split()[0] for line in result.output.splitlines()]
    assert names[:8] == [
        "rule_eq",
        "schema_rule_eq",
        "scorers",
        "drift",
        "native_forward",
        "scaling",
        "more_tables",
        "bottleneck",
    ]


def test_a_trained_checkpoint_can_be_measured(trained: Path, tmp_path: Path) -> None:
    sweep = tmp_path / "sweep"
    (sweep / "gnri-42").mkdir(parents=True)
    (sweep / "gnri-42" / "checkpoint").symlink_to(trained)
    one = ["--only", "condition=gnri", "--only", "seed=42", "--only", "atoms=6"]
    words = ["reproduce", "scaling", "--device", "cpu", "--checkpoints", sweep, *one]
    for count in (1, 0):  # what is there is not measured again
        result = run(*words, "--results", tmp_path)
        assert result.exit_code == 0, result.output
        assert result.output == f"scaling: {count} pieces measured\n"
    (row,) = read(tmp_path / "scaling.csv")
    assert (row["condition"], row["seed"], row["atoms"]) == ("gnri", "42", "6")
    assert run("reproduce", "scaling", "--render", "--results", tmp_path).exit_code == 0
    assert (tmp_path / "scaling.md").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("train", "none.toml"), "cannot read the recipe none.toml"),
        (("train", RECIPES / "tiny.toml", "--set", "train.stepz=3"), "did you mean 'train.steps'"),
        (("train", RECIPES / "tiny.toml", "--device", "tpu"), "the device must be auto, cpu"),
        (("reproduce", "table9"), "the studies are rule_eq, "),
        (("reproduce", "cost", "--only", "atoms"), "--only takes KEY=VALUE"),
        (
            ("reproduce", "cost", "--results", "none", "--checkpoints", "none", "--device", "cpu"),
            "python -m studies train recipes/sweep/nri.toml --seed 47 --out none/nri-47",
        ),
    ],
)
def test_a_mistake_gives_one_line_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_table_of_a_data_folder_stays(tmp_path: Path) -> None:
    words = ("datasets", "tic-tac-toe", "--data-dir", tmp_path, "--out", tmp_path / "t.csv")
    result = run(*words)
    assert result.exit_code == 2
    assert "is read" in result.stderr
