# Everything a newcomer needs: `make run` and `make test` set up .venv by themselves.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
DEV := .venv/.dev

.DEFAULT_GOAL := help
.PHONY: help run test thorough check bench docs lock sbom clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## */\t/' | expand -t 10

run: $(READY) ## Run the study of the paper on handwritten digits, about a minute; ends with its page
	@$(BIN)/fedfact run digits -o build/digits --resume

test: $(DEV) ## Run the tests, and the examples in the docs
	@$(BIN)/pytest -q -n auto -m 'not thorough'

thorough: $(DEV) ## Run those that take minutes: real processes killed, every byte changed, fuzzing
	@$(BIN)/pytest -q -m thorough tests # one at a time: each has many processes of its own

check: $(DEV) ## Lint, format and types: ruff, mypy --strict
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(DEV) ## Measure speed, printed as ratios and sizes
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(DEV) ## Run the commands shown in README and docs again, and write what they print
	@$(BIN)/python docs/refresh.py
	@$(BIN)/python docs/import_graph.py

lock: $(DEV) ## Write requirements.lock anew, after a version in constraints.txt was changed
	@$(BIN)/python .ci/lock.py

sbom: $(DEV) ## Write build/sbom.json, the software bill of materials (CycloneDX)
	@$(BIN)/python .ci/sbom.py

clean: ## Remove everything that was made here
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis src/*.egg-info

PIP = $(BIN)/pip install -q --disable-pip-version-check
ifdef LOCKED
# As CI does it: every package by its hash, then the project without asking an index for anything.
INSTALL = $(PIP) --require-hashes -r requirements.lock && $(PIP) --no-deps --no-build-isolation
else
INSTALL = $(PIP) -c constraints.txt
endif

$(READY): pyproject.toml constraints.txt $(if $(LOCKED),requirements.lock)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "fedfact needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv (once) ..."
	@$(INSTALL) -e '.$(if $(LOCKED),,[train,plot])'
	@touch $@

$(DEV): $(READY)
	@echo "Installing what tests and checks need (once) ..."
	@$(INSTALL) -e '.$(if $(LOCKED),,[dev])'
	@touch $@
