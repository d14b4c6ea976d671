"""The package as a user gets it: a wheel, alone in a new environment, runs the README.

`python -m tests.reliability.wheel` builds the wheel, installs it beside pandas (which the README's
tables are made with) and runs every block of the README and the commands of the first page. It asks
the package index, so it is run for a release and not by `make test`.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r'^```csv title="patients.csv"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def main() -> None:
    """Build, install, run, and say what was done."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, str(ROOT))
        (wheel,) = folder.glob("*.whl")
        _run(sys.executable, "-m", "venv", str(folder / "new"))
        python = folder / "new" / "bin" / "python"
        _run(str(python), "-m", "pip", "install", "-q", str(wheel), "pandas")
        blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        (folder / "readme.py").write_text("\n".join(blocks), encoding="utf-8")
        shutil.copytree(ROOT / "examples", folder / "examples")
        since = time.perf_counter()
        _run(str(python), "-W", "error", "readme.py", folder=folder)
        print(f"README: {len(blocks)} blocks in {time.perf_counter() - since:.1f} s")
        page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
        (table,) = TABLE.findall(page)
        (folder / "patients.csv").write_text(table, encoding="utf-8")
        gnri = str(folder / "new" / "bin" / "gnri")
        _run(gnri, "induce", "patients.csv", "--target", "ill", "--out", "rule.json", folder=folder)
        _run(gnri, "predict", "rule.json", "patients.csv", folder=folder)
        print(f"first page: a rule from a CSV file, by {wheel.name}")


def _run(*words: str, folder: Path | None = None) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main()
