"""Is the rule the same, however it is asked for? `python -m tests.reliability.determinism`.

Each task is asked alone, on one thread, and then in other ways; what is counted is how many rules
are the same, as text. The rows go to results/determinism.csv; the page beside it is drawn from it.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from gnri.atomic_write import write_atomically
from gnri.episode import Episode
from gnri.induction import induce
from gnri.model.load import Model, load_model
from studies.markdown import markdown
from studies.results import Row, append, provenance, read, replace_rows
from tests.model.cases import collate
from tests.reliability.tasks import tasks

RESULTS = Path(__file__).parents[2] / "results"
MODELS = {"guided + refine": ("guided", True), "gnri, one pass": ("gnri", False)}
REPEATS, BATCHES = 10, (1, 7, 64)

Answers = list[str]
Ask = Callable[[list[Episode]], Answers]


class Elsewhere:
    """A network on another device, asked with tensors of this one and answering with such."""

    def __init__(self, network: Any, device: str) -> None:
        self._network, self._device = network, device

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._network, name)
        return Elsewhere(found, self._device) if callable(found) else found

    def __call__(self, *given: Any) -> Any:
        return moved(self._network(*(moved(one, self._device) for one in given)), "cpu")


def moved(thing: Any, device: str) -> Any:
    """A tensor, or a tuple of them, on the device."""
    if isinstance(thing, Tensor):
        return thing.to(device)
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(moved(part, device) for part in thing))
    return thing


def on_device(model: Model, device: str) -> Model:
    """The model with its network on the device; everything else stays here."""
    network: nn.Module = model.network
    model.network = Elsewhere(network.to(device), device)  # type: ignore[assignment]
    return model


def ways(name: str, refine: bool, device: str, repeats: int = REPEATS) -> dict[str, Ask]:
    """Ways to ask for the rules of the tasks; the first is the one to compare with."""
    model = load_model(name)
    found: dict[str, Ask] = {"alone, 1 thread": partial(_alone, model, refine)}
    if device != "cpu":
        found[device] = partial(_alone, on_device(_fresh(name), device), refine)
        return found
    for repeat in range(2, repeats + 1):
        found[f"again, time {repeat}"] = found["alone, 1 thread"]
    found["2 threads"] = partial(_threads, model, refine)
    for size in BATCHES:
        found[f"batches of {size}, padded"] = partial(_batches, model, refine, size)
    found["float64"] = partial(_alone, load_model(name, dtype=torch.float64), refine)
    return found


def compared(episodes: list[Episode], asked: dict[str, Ask]) -> Iterator[tuple[str, int]]:
    """Each way, and how many of the rules are those of the first."""
    (_, first), *others = asked.items()
    expected = first(episodes)
    for way, ask in others:
        yield way, sum(one == other for one, other in zip(ask(episodes), expected, strict=True))


def _fresh(name: str) -> Model:
    """A model that nobody else holds."""
    from importlib.resources import as_file, files

    with as_file(files("gnri") / "weights" / name) as folder:
        return load_model(folder)


def _alone(model: Model, refine: bool, episodes: list[Episode]) -> Answers:
    torch.set_num_threads(1)
    return [str(induce(episode, model, refine).rule) for episode in episodes]


def _threads(model: Model, refine: bool, episodes: list[Episode]) -> Answers:
    torch.set_num_threads(2)
    try:
        return [str(induce(episode, model, refine).rule) for episode in episodes]
    finally:
        torch.set_num_threads(1)


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


def measure(model: str, episodes: list[Episode], device: str, path: Path) -> None:
    """Put the rows of a model on a device in place of those that are there."""
    replace_rows(path, lambda row: (row["model"], row["device"]) == (model, device))
    weights = load_model(MODELS[model][0]).sha256
    for way, same in compared(episodes, ways(*MODELS[model], device)):
        found: Row = {"model": model, "way": way, "tasks": len(episodes), "same": same}
        append(path, [{**found, "device": device, "weights": weights, **provenance(device)}])
        print(found, flush=True)


def main() -> None:
    """Measure, and write the rows and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    path = asked.results / "determinism.csv"
    for model in asked.models:
        measure(model, tasks(asked.tasks, seed=0), asked.device, path)
    write_atomically(path.with_suffix(".md"), page(read(path)).encode())


if __name__ == "__main__":
    main()
