"""A long run on one target: `python -m fuzz rule --inputs 1000000`.

The input that is being read lies in a file all the while, so that one that takes the whole process
down can be seen afterwards. What is printed is one line of JSON.
"""

import argparse
import faulthandler
import json
import os
import re
import resource
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import gettempdir

from fuzz.mutate import mutated
from fuzz.targets import TARGETS, Target, target
from gnri.errors import GnriError

_GIVEN = re.compile(r"""[0-9]+|'.*'|".*\"""")
KEPT = 2_000
"""Inputs of the corpus, the seeds included."""


def main() -> int:
    """Fuzz, print what came of it; the exit code is 1 if anything but our own errors came up."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    faulthandler.enable()
    last = Path(gettempdir()) / f"fuzz-{asked.target}-{os.getpid()}"
    found = fuzz(target(asked.target), asked.inputs, asked.seed, last)
    print(json.dumps({"target": asked.target, "seed": asked.seed, **found}))
    return 1 if found["faults"] else 0


def fuzz(aimed: Target, inputs: int, seed: int, last: Path) -> dict[str, object]:
    """Try so many inputs; an input that is answered in a new way joins those that are changed."""
    random, corpus = Random(seed), list(aimed.seeds)
    ways: Counter[str] = Counter()
    faults: dict[str, str] = {}
    for one in corpus:
        _answered(aimed, one, faults)
    before, started, slowest = _memory(), time.perf_counter(), 0.0
    with last.open("wb", buffering=0) as file:
        for _ in range(inputs):
            # Half of the time from what is accepted, or hardly anything ever would be.
            data = mutated(list(aimed.seeds) if random.random() < 0.5 else corpus, random)
            file.seek(0)
            file.truncate()
            file.write(data)
            since = time.perf_counter()
            way = _answered(aimed, data, faults)
            slowest = max(slowest, time.perf_counter() - since)
            if way not in ways and len(corpus) < KEPT:
                corpus.append(data)
            ways[way] += 1
    last.unlink()
    return {
        "inputs": inputs,
        "accepted": sum(times for way, times in ways.items() if way.startswith("accepted")),
        "ways": len(ways),
        "faults": faults,
        "slowest_ms": round(1e3 * slowest, 1),
        "grown_mb": round((_memory() - before) / 1024, 1),
        "seconds": round(time.perf_counter() - started),
    }


def _answered(aimed: Target, data: bytes, faults: dict[str, str]) -> str:
    """How an input was answered, in words that do not depend on what stands in it."""
    try:
        said = aimed.read(data)
    except GnriError as error:
        return f"refused: {type(error).__name__}: {_GIVEN.sub('', str(error))[:200]}"
    except Exception as error:
        fault = f"{type(error).__name__}: {_GIVEN.sub('', str(error))[:80]}"
        if fault not in faults and len(faults) < 20:
            traceback.print_exc(file=sys.stderr)
            faults[fault] = data[:600].hex()
        return fault
    return f"accepted {_GIVEN.sub('', said) if isinstance(said, str) else ''}"


def _memory() -> int:
    """The most memory that the process has ever held, in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
