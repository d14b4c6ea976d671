"""A small cluster, shared by the tests that need one: also idle it takes a fifth of a core."""

from collections.abc import Iterator

import pytest
from distributed import LocalCluster

from gnri.model.guided.guided import Guided
from gnri.model.load import load_model


@pytest.fixture(scope="package")
def model() -> Guided:
    found = load_model("guided")
    assert isinstance(found, Guided)
    return found


@pytest.fixture(scope="package")
def workers() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found
