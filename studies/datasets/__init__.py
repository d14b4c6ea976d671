"""Tables to learn from: a folder of yours, our own generators, scikit-learn, or OpenML."""

from studies.datasets.paper_encoding import Encoded, encode
from studies.datasets.registry import BENCHMARK, load, names
from studies.datasets.samples import Dataset

__all__ = ["BENCHMARK", "Dataset", "Encoded", "encode", "load", "names"]
