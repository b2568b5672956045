# Three commands on a fresh machine: `make demo`, `make test` and `make bench`.
# They need Python 3.11 or newer, make and a package registry.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

# The peers have an environment of their own: what they need is theirs to choose.
BENCH_VENV := .venv-bench
BENCH_BIN  := $(BENCH_VENV)/bin
BENCH_PIP  := $(BENCH_BIN)/python -m pip --disable-pip-version-check
PEERS      := pykeen torchkge

.PHONY: help demo test docs bench torture audit clean

help:
	@echo "make demo   train TransA on the embedded graph and ask it a few questions"
	@echo "make test   lint, types and all tests, with what of the code they reach"
	@echo "make docs   the site, in site/; every link checked"
	@echo "make bench  speed beside PyKEEN and TorchKGE, half an hour; make bench ARGS=--quick for a few"
	@echo "make torture  kills, full disks, fuzzing: an hour; make torture ARGS=--quick for five minutes"
	@echo "make audit  look the pinned packages up among known vulnerabilities"
	@echo "make clean  remove what these made"

demo: $(VENV)/.installed
	$(BIN)/transa demo

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist loadgroup --cov

docs: $(VENV)/.installed-dev
	$(BIN)/python scripts/site.py $(ARGS)

bench: $(BENCH_VENV)/.installed
	$(BENCH_BIN)/python -m benchmarks $(ARGS)

torture: $(VENV)/.installed-dev
	$(BIN)/python -W ignore -m torture $(ARGS)

audit: | $(BIN)/python
	$(BIN)/python scripts/audit.py $(ARGS)

# The package is installed editable, so only a change of what it needs asks for a new installation.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[figures,serve]"
	touch $@

# The development tools come with all that the demo needs.
$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[dev]"
	touch $(VENV)/.installed $@

# PyTorch comes with the package, pinned, before any peer can ask for a build with CUDA.
$(BENCH_VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_PIP) install --constraint constraints.txt --editable ".[figures,serve]" httpx
	@for peer in $(PEERS); do \
	    $(BENCH_PIP) install --constraint constraints.txt $$peer || \
	    echo "$$peer cannot be installed here; the benchmark goes on without it"; \
	done
	touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "transa needs Python 3.11 or newer; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) $(BENCH_VENV) demo build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	    .coverage .import_linter_cache
	find src tests scripts benchmarks experiments torture -name __pycache__ -type d -prune -exec rm -rf {} +
