# Two commands do everything on a machine with Python 3.11 or newer: `make paper` and `make test`.
# `make paper` installs what a report needs. The tools of development come with the first command that uses them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REPORT_READY := $(VENV)/.ready-report
READY := $(VENV)/.ready
FLOORS := .venv-floors
# Published networks, for `compare` and the tests. Only the data files of this wheel are used. It is never imported, and
# its dependencies, 500 MB, are not installed.
NETWORKS := --quiet --no-deps --constraint constraints.txt pgmpy

.PHONY: help test test-slow test-floors lint types paper compare stress docs bench clean

help:
	@echo "make paper | compare | stress | test | test-slow | test-floors | lint | types | docs | bench | clean"

$(REPORT_READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[report]"
	$(BIN)/python -m pip install $(NETWORKS)
	@touch $@

$(READY): $(REPORT_READY)
	$(BIN)/python -m pip install --quiet --no-warn-conflicts --constraint constraints.txt --editable ".[all,dev,bench]"
	@touch $@

paper: $(REPORT_READY)
	$(BIN)/causalbandits paper

compare: $(REPORT_READY)
	$(BIN)/causalbandits compare

# Look for worlds in which a recommended policy fails: `make stress SECONDS=1200` takes 20 minutes for each.
SECONDS := 60
stress: $(READY)
	$(BIN)/causalbandits stress --seconds $(SECONDS) --out stress

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup --no-loadscope-reorder -m "not slow"

test-slow: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m slow

# The quick tests of what computes, reads and stores, with the lowest versions that pyproject.toml promises.
# These warn about newer versions of each other.
FLOOR_TESTS := tests/contracts/test_unchanged.py tests/engine tests/files tests/simulation tests/test_problem.py \
	tests/test_world.py tests/live/test_experiment.py

$(FLOORS)/.ready: pyproject.toml constraints.txt tests/floors.py
	$(PYTHON) -m venv $(FLOORS)
	$(FLOORS)/bin/python -m pip install --quiet --upgrade pip
	$(FLOORS)/bin/python tests/floors.py > $(FLOORS)/floors.txt
	$(FLOORS)/bin/python -m pip install --quiet --constraint $(FLOORS)/floors.txt --editable ".[all,dev]"
	$(FLOORS)/bin/python -m pip install $(NETWORKS)
	@touch $@

test-floors: $(FLOORS)/.ready
	$(FLOORS)/bin/python -m pytest -q -n 2 --dist loadgroup --no-loadscope-reorder -m "not slow" -W ignore::DeprecationWarning $(FLOOR_TESTS)

docs: paper compare $(READY)
	$(BIN)/python docs/update.py
	$(BIN)/python docs/performance.py

lint: $(READY)
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs

types: $(READY)
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.live

clean:
	rm -rf $(VENV) $(FLOORS) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
