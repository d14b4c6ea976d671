"""A small cluster for the blocks that are kept on its workers."""

from collections.abc import Iterator

import pytest
from distributed import LocalCluster


@pytest.fixture(scope="package")
def workers() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found
