# make demo, make test; see CONTRIBUTING.md. Every target sets up what it needs and is quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST := Cargo.toml Cargo.lock $(wildcard rust/*.rs)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

.PHONY: demo test check bench docs clean rust

demo: $(VENV)/built
	$(BIN)/python -m plainbayes.demo

test: $(VENV)/tested
	$(BIN)/pytest --numprocesses=auto --dist=loadfile --cov --cov-report=term-missing:skip-covered tests

check: $(VENV)/tested
	cargo fmt --check
	cargo clippy --release --quiet -- --deny warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest plainbayes._core
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/tested
	$(BIN)/python -m bench

docs: $(VENV)/tested
	$(BIN)/python docs/gallery.py

clean:
	rm -rf $(VENV) target dist build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache

# The package alone, with what a plain install needs.
$(VENV)/built: $(VENV)/bin/python pyproject.toml $(RUST) | rust
	$(BIN)/pip install --quiet 'maturin>=1.9,<2'
	$(BIN)/maturin develop --release --quiet
	$(BIN)/python -m compileall -q src  # as pip does: compiling at every start takes longer than an answer
	touch $@

# And what tests, checks and pictures need; Java is for Spark, and only root may install it.
$(VENV)/tested: $(VENV)/built
	@command -v java >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; } || \
	  echo 'Java 17 was not found: the tests of Spark will fail' >&2
	$(BIN)/maturin develop --release --quiet --extras dev
	touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'plainbayes needs Python 3.11 or newer: make PYTHON=python3.11 ...' >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

rust:
	@command -v cargo >/dev/null || \
	  { echo 'plainbayes has a core in Rust, and cargo was not found: install Rust with rustup or your package manager' >&2; exit 2; }
