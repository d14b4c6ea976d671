"""What gnri costs: seconds and memory, measured in processes of their own, never compared.

Nothing large is imported here: a process counts the memory of the one that started it as its own.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REPEATS = 5

_TABLES = """
import sys
from tests.corpus.tasks import large, mixed
mixed(15, 5).to_csv(sys.argv[1] + "/small.csv", index=False)
large(1000, 6).iloc[:, [*range(19), -1]].to_csv(sys.argv[1] + "/middle.csv", index=False)
large(100_000, 7).to_csv(sys.argv[1] + "/large.csv", index=False)
"""
_SEARCH = """
import json, time, warnings
from gnri import RuleClassifier
from tests.corpus.rules import DATA, first_fold, table_names
found = {}
warnings.simplefilter("ignore")
for name in table_names() if (DATA / "schema.json").is_file() else []:
    rows, labels, _ = first_fold(name)
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        RuleClassifier().fit(rows, labels)
        taken.append(time.perf_counter() - started)
    found[name] = round(sorted(taken)[1], 3)
print(json.dumps(found))
"""
_MODULES = """
import json, sys
from gnri.cli import app
try:
    app(sys.argv[1:], standalone_mode=False)
finally:
    ours = [name for name in sys.modules if name.split(".")[0] == "gnri"]
    heavy = [name for name in ("sklearn", "torch", "pandas", "scipy") if name in sys.modules]
    print()
    print(json.dumps({"gnri": len(ours), "all": len(sys.modules), "loaded": heavy}))
"""


def main(path: Path, *, write: bool) -> int:
    """Measure in a fresh process; write the figures, or print them beside those that are kept."""
    words = [sys.executable, "-m", "tests.corpus.costs"]
    made = json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for key, found in made.items():
        print(f"{key}\n  was {kept.get(key)}\n  is  {found}")
    if write:
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 0


def measure() -> dict[str, Any]:
    """Return all figures."""
    with tempfile.TemporaryDirectory() as place:
        _output("-c", _TABLES, place)
        small, middle, big = (f"{place}/{name}.csv" for name in ("small", "middle", "large"))
        gnri, asked = ("-m", "gnri"), ("--target", "y", "--json")
        loaded = _output("-c", _MODULES, "induce", small, *asked, "--no-estimate")
        return {
            "version": _version(),
            "python": _cost("-c", "pass"),
            "import gnri": _cost("-c", "import gnri"),
            "import RuleClassifier": _cost("-c", "from gnri import RuleClassifier"),
            "gnri --help": _cost(*gnri, "--help"),
            "induce 15 rows": _cost(*gnri, "induce", small, *asked),
            "induce 15 rows, no estimate": _cost(*gnri, "induce", small, *asked, "--no-estimate"),
            "induce 1,000 x 20": _cost(*gnri, "induce", middle, *asked),
            "induce 1,000 x 20, no estimate": _cost(
                *gnri, "induce", middle, *asked, "--no-estimate"
            ),
            "loaded by induce": json.loads(loaded.splitlines()[-1]),
            "induce 100,000 x 34, no estimate": _cost(
                *gnri, "induce", big, *asked, "--no-estimate", repeats=3
            ),
            "induce 100,000 x 34, estimate": _cost(
                *gnri, "induce", big, *asked, "--estimate", repeats=1
            ),
            "fit of the first fold, seconds": json.loads(_output("-c", _SEARCH)),
        }


def _version() -> dict[str, Any]:
    said = 'import gnri; from importlib.metadata import version; print(version("gnri"))'
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    return {
        "gnri": _output("-c", said).strip(),
        "commit": commit.strip(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def _cost(*words: str, repeats: int = REPEATS) -> dict[str, float]:
    """Return the median seconds and the median of the most memory, in MB, of a Python process."""
    found = [_once(words) for _ in range(repeats)]
    seconds, memory = (statistics.median(one[i] for one in found) for i in (0, 1))
    return {"seconds": round(seconds, 3), "MB": round(memory)}


def _once(words: tuple[str, ...]) -> tuple[float, float]:
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}")
    return seconds, used.ru_maxrss / 1024


def _output(*words: str) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    print(json.dumps(measure()))
