"""Tables to learn from: a folder of yours, our own generators, scikit-learn, or OpenML."""

from studies.datasets.generated import Dataset
from studies.datasets.paper_encoding import Encoded, encode
from studies.datasets.registry import BENCHMARK, load, names

__all__ = ["BENCHMARK", "Dataset", "Encoded", "encode", "load", "names"]
