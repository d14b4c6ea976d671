"""How the laws are run: 200 examples each, and 2,000 under `-m slow`, which selects every law."""

import gc
import os
from collections.abc import Iterator
from typing import Any

# Before numpy and scipy are imported: one thread a worker, since workers share the cores, and
# scikit-learn's array-API checks run instead of being skipped.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

# A busy machine must not fail a law: neither the time of one example nor of drawing counts.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
_SHARING = ("tests/web", "cluster")
_IN_CI = os.environ.get("CI") == "true"

settings.register_profile("laws", max_examples=200, derandomize=_IN_CI, **_COMMON)
settings.register_profile("slow", max_examples=2_000, derandomize=_IN_CI, **_COMMON)


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is imported, which stays until the end: see freeze_imports
    if not config.getoption("hypothesis_profile"):
        settings.load_profile("slow" if _runs_slow(config) else "laws")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: _group(item) not in _SHARING)  # what takes longest begins first
    if _runs_slow(config):
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # what stays frozen is never freed, and nanobind reports it as leaked at exit


@pytest.fixture(scope="session")
def workers() -> Iterator[Any]:
    """A small cluster, shared by the tests that need one: also idle it takes a fifth of a core."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found


def _group(item: pytest.Item) -> str:
    """Tests of a file stay in one process, and all that share a browser, a server or a cluster."""
    if "workers" in getattr(item, "fixturenames", ()):
        return "cluster"
    place = item.path.relative_to(item.config.rootpath)
    return next((folder for folder in _SHARING if place.is_relative_to(folder)), str(place))


def _runs_slow(config: pytest.Config) -> bool:
    return config.getoption("markexpr") == "slow"
