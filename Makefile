# What a clone needs is made on the way: `make demo`, `make test`. PYTHON names another interpreter than python3.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.NOTPARALLEL:

.PHONY: help demo test proof lint format docs bench clean debian-packages husky

help:
	@echo 'make demo     the whole loop in a new scratch repository, each command with its output'
	@echo 'make test     every test'
	@echo 'make proof    20,000 damaged transcripts: never a traceback, a hang or a wrong exit code'
	@echo 'make lint     ruff, mypy'
	@echo 'make format   let ruff format the code'
	@echo 'make docs     write the generated pages of docs/ anew'
	@echo 'make bench    measure, and write the figures to docs/performance.md'

demo: $(READY)
	@$(BIN)/python -m session_frames demo

test: debian-packages $(READY) husky
	$(BIN)/pytest -n auto -rfEs

proof: $(READY)
	FUZZ_MUTANTS=20000 $(BIN)/pytest tests/test_fuzz.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)
	$(BIN)/python docs/generate.py

bench: $(READY)
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "frames needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# The Debian packages that the tests need, where they are missing and may be installed; elsewhere those tests skip.
debian-packages:
	@missing=; \
	command -v git >/dev/null || missing="$$missing git"; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || missing="$$missing python3-venv"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing; \
	fi

# The tool for hooks that comes from npm, where that is; its tests skip elsewhere.
husky: $(READY)
	@[ -e $(VENV)/husky/node_modules/husky ] || ! command -v npm >/dev/null || \
		npm install --prefix $(VENV)/husky --no-audit --no-fund --silent husky || true
