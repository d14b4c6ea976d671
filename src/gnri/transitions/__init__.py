"""Logic programs of Boolean dynamical systems, learnt from their state transitions."""

from gnri.transitions.learning import learn
from gnri.transitions.program import Program
from gnri.transitions.reading import Transitions, transitions_of
from gnri.transitions.writing import to_program, to_python

__all__ = ["Program", "Transitions", "learn", "to_program", "to_python", "transitions_of"]
