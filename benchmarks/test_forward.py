"""Both rails of the shipped `gnri` with its export, on one thread, against the plain tensor form.

    pytest benchmarks/test_forward.py --benchmark-group-by=param:size --benchmark-columns=min,median

Machines are noisy: compare the two rows of a group, not seconds between runs.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.plain import plain_scores
from gnri.episode import Episode
from gnri.model import layers
from gnri.model.load import load_model
from gnri.model.nri.nri import NRI
from gnri.model.paper_export import canonical_export

SIZES = {"12x32": (12, 32), "128x32": (128, 32), "1024x32": (1024, 32), "1024x2000": (1024, 2000)}


def table(size: str) -> Episode:
    """Fair coins; an odd number of rows in each class, so that no column is balanced in both."""
    atoms, rows = SIZES[size]
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.where(np.arange(rows) <= rows // 2, 1, -1))
    return Episode(rng.choice([-1, 1], (rows, atoms)), labels)


@pytest.fixture(autouse=True)
def one_thread():
    with layers.one_thread():
        yield


def fast(inducer: NRI, episode: Episode):
    return canonical_export(inducer(episode), episode)


def plain(inducer: NRI, episode: Episode):
    return canonical_export(plain_scores(inducer.network, episode), episode)


@pytest.mark.parametrize("form", [fast, plain])
@pytest.mark.parametrize("size", SIZES)
def test_both_rails_with_export(benchmark, size, form):
    episode, inducer = table(size), load_model("gnri")
    benchmark.pedantic(form, (inducer, episode), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("size", SIZES)
def test_the_two_forms_agree(size):
    episode, inducer = table(size), load_model("gnri", dtype=np.float64)
    ours, theirs = inducer(episode), plain_scores(inducer.network, episode)
    assert np.abs(ours.literals - theirs.literals).max() < 1e-7
    assert np.abs(ours.gates - theirs.gates).max() < 1e-7


@pytest.mark.parametrize("size", ["1024x32", "1024x2000"])
def test_extra_memory(size, capsys):
    """Peak memory of one pass beyond what the loaded model takes, in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.test_forward", size]
    extra = float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    with capsys.disabled():
        print(f"\n{size}: {extra:.0f} MB extra at the peak")
    assert extra < 100


def _status(field: str) -> float:
    """A line of the kernel's account of this process, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    loaded, episode = load_model("gnri"), table(sys.argv[1])
    with layers.one_thread():
        fast(loaded, table("12x32"))  # libraries warm, before the measurement
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak of loading
        start = _status("VmRSS")
        fast(loaded, episode)
    print(_status("VmHWM") - start)
