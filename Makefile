# A fresh machine needs python3 (3.11 or newer) and make; each target sets up what it needs.
.PHONY: demo test lint format bench docs docs-serve studies fuzz release-check clean

PYTHON ?= python3
BIN := .venv/bin

demo: .venv/demo-ready
	$(BIN)/leaven demo

test: .venv/dev-ready
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20

lint: .venv/dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m docgen --check

format: .venv/dev-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev-ready
	$(BIN)/python -m benchmarks

studies: .venv/dev-ready
	$(BIN)/python -m studies --all

fuzz: .venv/dev-ready
	$(BIN)/python -m fuzzing $(FUZZ)

# QUICK=1 leaves slow tests out; RELEASE="minimum --again" runs one part again.
release-check: .venv/dev-ready
	$(BIN)/python -m release $(if $(QUICK),--quick) $(RELEASE)

docs: .venv/dev-ready
	$(BIN)/python -m docgen
	$(BIN)/python -m docgen.site

docs-serve: .venv/dev-ready
	$(BIN)/python -m docgen.site --serve

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "leaven needs Python 3.11 or newer; found $$($(PYTHON) --version 2>&1). Try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/demo-ready: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing leaven into .venv (once)…"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[plot]'
	@touch $@

.venv/dev-ready: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing leaven and its development tools into .venv (once)…"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch .venv/demo-ready $@
