"""Is the rule the same, however it is asked for? `python -m tests.reliability.determinism`.

Each task is asked alone, on one thread, and then in other ways; what is counted is how many rules
are the same, as text. The rows go to results/determinism.csv; the page beside it is drawn from it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

from gnri.atomic_write import write_atomically
from gnri.episode import Episode
from gnri.induction import induce
from gnri.model import checkpoint
from gnri.model.guided.architecture import GuidedConfig
from gnri.model.load import Model, expected_shapes, load_model
from studies.markdown import markdown
from studies.paper.baseline_networks import load_condition
from studies.results import Row, append, provenance, read, replace_rows
from studies.training.modules import GuidedModule, Parameters
from tests.model.cases import collate
from tests.reliability.tasks import tasks

RESULTS, SOURCE = (Path(__file__).parents[2] / name for name in ("results", "src"))
MODELS = {"guided + refine": ("guided", True), "gnri, one pass": ("gnri", False)}
REPEATS, BATCHES = 10, (1, 7, 64)

INFO = Path("/proc/cpuinfo")
SAID = INFO.read_text(encoding="utf-8").split() if INFO.is_file() else []
NEEDS = {"Nehalem": "sse4_2", "Haswell": "avx2", "SkylakeX": "avx512f"}
KERNELS = [kernel for kernel, flag in NEEDS.items() if flag in SAID]
"""Kernels of OpenBLAS that this processor can run."""

Answers = list[str]
Ask = Callable[[list[Episode]], Answers]


class Elsewhere:
    """A network run by torch on a device, asked with NumPy arrays and answering with such."""

    def __init__(self, network: Any, module: Any, device: str) -> None:
        self._network, self._module, self._device = network, module, device

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._network, name)
        return partial(self._ask, name) if callable(found) else found

    @torch.inference_mode()
    def _ask(self, name: str, *given: Any) -> Any:
        return moved(getattr(self._module, name)(*(moved(one, self._device) for one in given)))


def moved(thing: Any, device: str | None = None) -> Any:
    """An array as a tensor on the device, or back without one; or a tuple of such."""
    if isinstance(thing, np.ndarray):
        return torch.tensor(thing, device=device)
    if isinstance(thing, Tensor):
        return thing.cpu().numpy()
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(moved(part, device) for part in thing))
    return thing


def module_of(name: str) -> Parameters:
    """A shipped network as a torch module, in the precision in which it answers."""
    with as_file(files("gnri") / "weights" / name) as folder:
        if name != "guided":
            return load_condition(folder)[0].eval().requires_grad_(False)
        found = checkpoint.load(folder, expected=expected_shapes)
    module = GuidedModule(GuidedConfig(**found.model_config)).double().requires_grad_(False)
    module.fill(found.arrays())
    return module


def on_device(name: str, device: str) -> Model:
    """A model that nobody else holds, with its network on the device; all else stays here."""
    with as_file(files("gnri") / "weights" / name) as folder:
        model = load_model(folder)
    module = module_of(name).to(device)
    return replace(model, network=Elsewhere(model.network, module, device))  # type: ignore[arg-type]


def ways(
    name: str,
    refine: bool,
    device: str,
    repeats: int = REPEATS,
    kernels: Sequence[str] = KERNELS,
    pythons: Sequence[str] = (),
) -> dict[str, Ask]:
    """Ways to ask for the rules of the tasks; the first is the one to compare with."""
    model = load_model(name)
    found: dict[str, Ask] = {"alone, 1 thread": partial(_alone, model, refine)}
    if device != "cpu":
        found[f"torch, {device}"] = partial(_alone, on_device(name, device), refine)
        return found
    for repeat in range(2, repeats + 1):
        found[f"again, time {repeat}"] = found["alone, 1 thread"]
    found["2 threads"] = partial(_alone, model, refine, threads=2)
    for size in BATCHES:
        found[f"batches of {size}, padded"] = partial(_batches, model, refine, size)
    found["float64"] = partial(_alone, load_model(name, dtype=np.float64), refine)
    found["torch, cpu"] = partial(_alone, on_device(name, "cpu"), refine)
    for kernel in kernels:
        found[f"BLAS kernel {kernel}"] = partial(_process, name, refine, kernel=kernel)
    for python in pythons:
        said = subprocess.check_output([python, "-c", VERSIONS], text=True).strip()
        found[said] = partial(_process, name, refine, python=python)
    return found


def compared(episodes: list[Episode], asked: dict[str, Ask]) -> Iterator[tuple[str, int]]:
    """Each way, and how many of the rules are those of the first."""
    (_, first), *others = asked.items()
    expected = first(episodes)
    for way, ask in others:
        yield way, sum(one == other for one, other in zip(ask(episodes), expected, strict=True))


def _alone(model: Model, refine: bool, episodes: list[Episode], threads: int = 1) -> Answers:
    torch.set_num_threads(threads)
    with threadpool_limits(threads):
        return [str(induce(episode, model, refine).rule) for episode in episodes]


def _process(
    name: str,
    refine: bool,
    episodes: list[Episode],
    *,
    python: str = sys.executable,
    kernel: str = "",
) -> Answers:
    """The tasks in a process of their own, as the kernel is chosen when NumPy is loaded."""
    given = [[e.values.tolist(), e.labels.tolist()] for e in episodes]
    chosen = {"OPENBLAS_CORETYPE": kernel} if kernel else {}
    done = subprocess.run(
        [python, "-c", ELSEWHERE, name, str(int(refine))],
        input=json.dumps(given).encode(),
        env={**os.environ, **chosen, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        check=True,
    )
    core, *found = json.loads(done.stdout)
    if kernel and core.lower() != kernel.lower():
        raise RuntimeError(f"the kernel is {core}, not {kernel}, which this machine may not have")
    return found


VERSIONS = """
import numpy, platform
print(f"Python {platform.python_version()}, NumPy {numpy.__version__}")
"""

ELSEWHERE = """
import json, sys
from threadpoolctl import threadpool_info
from gnri import Episode, induce
model, refine = sys.argv[1], bool(int(sys.argv[2]))
rules = [str(induce(Episode(*e), model, refine).rule) for e in json.load(sys.stdin)]
cores = [lib["architecture"] for lib in threadpool_info() if lib["user_api"] == "blas"]
print(json.dumps([cores[0], *rules]))
"""


def _batches(model: Model, refine: bool, size: int, episodes: list[Episode]) -> Answers:
    """The tasks out of batches, each filled up with missing cells to the largest of its batch."""
    found: Answers = []
    for start in range(0, len(episodes), size):
        batch = collate(episodes[start : start + size])
        found += _alone(model, refine, [batch.episode(i) for i in range(len(batch))])
    return found


def page(rows: list[dict[str, str]]) -> str:
    """The committed figures as a page."""
    shown = ("model", "weights", "way", "tasks", "same", "machine")
    body = [
        [row[name][:40] if name != "weights" else row[name][:8] for name in shown] for row in rows
    ]
    return "\n".join(
        [
            "# Is the rule always the same?\n",
            "The rules of synthetic tables, asked for alone on one thread, and then in other ways: "
            "how many are the same text. `python -m tests.reliability.determinism` measures it.\n",
            markdown(["model", "weights", "way", "tasks", "same rule", "machine"], body),
        ]
    )


def measure(
    model: str, episodes: list[Episode], device: str, pythons: Sequence[str], path: Path
) -> None:
    """Put the rows of a model on a device in place of those that are there."""
    replace_rows(path, lambda row: (row["model"], row["device"]) == (model, device))
    weights = load_model(MODELS[model][0]).sha256
    for way, same in compared(episodes, ways(*MODELS[model], device, pythons=pythons)):
        found: Row = {"model": model, "way": way, "tasks": len(episodes), "same": same}
        append(path, [{**found, "device": device, "weights": weights, **provenance(device)}])
        print(found, flush=True)


def main() -> None:
    """Measure, and write the rows and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--pythons", nargs="*", default=[], help="with what gnri depends on")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    path = asked.results / "determinism.csv"
    for model in asked.models:
        measure(model, tasks(asked.tasks, seed=0), asked.device, asked.pythons, path)
    write_atomically(path.with_suffix(".md"), page(read(path)).encode())


if __name__ == "__main__":
    main()
