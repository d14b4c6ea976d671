# Each target works from a fresh clone, on a machine with Python 3.11 or newer, make and git.

VENV := .venv
STAMP := $(VENV)/.installed
USERS := $(VENV)/.installed-for-users
GATES := tests/test_layers.py tests/reliability/test_gates.py
PYTHON ?= $(shell for python in python3.11 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

# Where a machine forbids it to keep compiled modules, each of some hundred processes that the tests
# start would compile ours anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup demo test test-browser test-studies reproduce check types gates docs goldens sbom audit clean

setup: $(STAMP)

# A demonstration needs what users install, which takes a third of the time.
$(USERS): EXTRAS :=
$(STAMP): EXTRAS := [dev]
$(STAMP) $(USERS): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "gnri needs Python 3.11 or newer, none was found; install it, or name it: make PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.$(EXTRAS)'
	touch $@

demo: $(or $(wildcard $(STAMP)),$(USERS))
	$(VENV)/bin/python examples/demo.py

PYTEST := $(VENV)/bin/pytest --quiet -n 3 --dist loadgroup --no-loadscope-reorder -p no:benchmark

# Three workers on two cores: some wait for a process that they have started.
test: check
	$(PYTEST) $(GATES:%=--ignore %) --ignore tests/studies --ignore tests/web/page
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		echo "no chromium: make test-browser, which tries the page, cannot run on this machine"

test-browser: $(STAMP)
	$(subst -n 3,-n 2,$(PYTEST)) tests/web/page

test-studies: $(STAMP)
	$(PYTEST) tests/studies

# The tables and figures of the paper, measured where they are missing and drawn again.
reproduce: $(STAMP)
	$(VENV)/bin/python -m studies reproduce all

check: $(STAMP)
	$(MAKE) --no-print-directory --jobs 2 --output-sync types gates

types: $(STAMP)
	$(VENV)/bin/mypy

gates: $(STAMP)
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/bandit --quiet -ll --recursive src
	$(VENV)/bin/pytest --quiet -p no:benchmark $(GATES)

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet
	$(VENV)/bin/pytest --quiet -p no:benchmark tests/docs/check_site.py

# After a model was trained anew: the rules that are kept of it, and what the documents print.
goldens: $(STAMP)
	$(VENV)/bin/python -m tests.reliability.goldens
	$(VENV)/bin/python -m tests.docs.pages

# What a release is made of, and what is known against it; both ask the package index.
sbom: $(STAMP)
	mkdir -p build
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[release]'
	$(VENV)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json

audit: $(STAMP)
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[release]'
	$(VENV)/bin/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip

clean:
	rm -rf $(VENV) build dist .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
