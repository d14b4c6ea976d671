"""The package as a user gets it: a wheel, alone in a new environment, runs the README.

`python -m tests.reliability.wheel` builds the wheel and installs it. It prints how large that is,
runs the commands of the first page and serves the page, then, with pandas (which the README's
tables are made with), every block of the README. It asks the package index, so it is run for a
release and not by `make test`.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+\S*")
TABLE = re.compile(r'^```csv title="patients.csv"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


MOST_MB, MOST_PACKAGES = 500, 30


def main() -> None:
    """Build, install, run, and say what was done."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, str(ROOT))
        (wheel,) = folder.glob("*.whl")
        _run(sys.executable, "-m", "venv", "--without-pip", str(folder / "new"))
        python = folder / "new" / "bin" / "python"
        _install(python, str(wheel))
        _weigh(python)
        _commands(folder)
        print(f"first page: a rule from a CSV file, by {wheel.name}")
        _install(python, f"{wheel}[web]")
        _serve(folder)
        _install(python, "pandas")
        blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        (folder / "readme.py").write_text("\n".join(blocks), encoding="utf-8")
        shutil.copytree(ROOT / "examples", folder / "examples")
        since = time.perf_counter()
        _run(str(python), "-W", "error", "readme.py", folder=folder)
        print(f"README: {len(blocks)} blocks in {time.perf_counter() - since:.1f} s")


def _install(python: Path, what: str) -> None:
    _run(sys.executable, "-m", "pip", "--python", str(python), "install", "-q", what)


def _weigh(python: Path) -> None:
    """Print the size of all that was installed; refuse torch, and more than is promised."""
    (site,) = (python.parents[1] / "lib").glob("python*/site-packages")
    packages = sorted(path.name.split("-")[0].lower() for path in site.glob("*.dist-info"))
    size = sum(path.lstat().st_size for path in site.rglob("*") if path.is_file()) / 2**20
    print(f"installed: {size:.0f} MB in {len(packages)} packages: {', '.join(packages)}")
    if "torch" in packages or size > MOST_MB or len(packages) > MOST_PACKAGES:
        sys.exit(f"more than {MOST_MB} MB, more than {MOST_PACKAGES} packages, or torch")


def _commands(folder: Path) -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    (table,) = TABLE.findall(page)
    (folder / "patients.csv").write_text(table, encoding="utf-8")
    gnri, target = str(folder / "new" / "bin" / "gnri"), ("patients.csv", "--target", "ill")
    _run(gnri, "induce", *target, "--out", "rule.json", "--report", "rule.html", folder=folder)
    _run(gnri, "predict", "rule.json", "patients.csv", folder=folder)
    _run(gnri, "export", "rule.json", "--format", "sql", folder=folder)
    _run(gnri, "audit", *target, folder=folder)


def _serve(folder: Path) -> None:
    """Ask the served page for itself; the server ends with this function."""
    gnri = str(folder / "new" / "bin" / "gnri")
    words = [gnri, "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        try:
            assert server.stdout is not None
            address = next(found for line in server.stdout if (found := ADDRESS.search(line)))
            with urlopen(address.group(), timeout=60) as answer:
                print(f"gnri serve: {answer.status}, {len(answer.read())} bytes")
        finally:
            server.terminate()


def _run(*words: str, folder: Path | None = None) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main()
