"""Tables to learn from: a folder of yours, our own generators, scikit-learn, or OpenML."""

from gnri.datasets.dataset import Dataset
from gnri.datasets.encoding import Encoded, encode
from gnri.datasets.loading import BENCHMARK, load, names

__all__ = ["BENCHMARK", "Dataset", "Encoded", "encode", "load", "names"]
