"""Logic programs of Boolean dynamical systems, learnt from their state transitions."""

from gnri.transitions.learn_program import Program, learn
from gnri.transitions.state_pairs import Transitions, read_transitions
from gnri.transitions.write_program import to_program, to_python

__all__ = ["Program", "Transitions", "learn", "read_transitions", "to_program", "to_python"]
