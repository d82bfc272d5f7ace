# Two commands do everything on a machine with Python 3.11 or newer: `make paper` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help test test-slow lint types paper compare docs bench clean

help:
	@echo "make paper | compare | test | test-slow | lint | types | docs | bench | clean"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[all,dev,bench]"
	@touch $@

paper: $(READY)
	$(BIN)/causalbandits paper

compare: $(READY)
	$(BIN)/causalbandits compare

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup --no-loadscope-reorder -m "not slow"

test-slow: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m slow

docs: paper compare
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
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
