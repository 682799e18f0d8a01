# Every target sets up what it needs by itself, once. A fresh machine needs make and python3 (3.11 or newer) with venv.
#
# Two stamps stand for the two halves of the set-up. The locked packages are installed anew only when the lock changes, the
# package itself (a link to src) only when pyproject.toml does. A stamp is written last, so that an interrupted set-up
# leaves none and is done again.

PYTHON ?= python3

BIN := .venv/bin
LOCKED := .venv/.locked
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# What has changed since the documentation was built; folders count, because theirs is the date that changes when a file
# goes. A list of files in make itself would not do: there, a space ends a name.
NEWER = find $(READY) docs src \( -name __pycache__ -o -path docs/_build -o -path docs/api \) -prune -o -newer $(BUILT) -print
BUILT := docs/_build/.built

.DEFAULT_GOAL := help
.PHONY: help setup paper test soak check coverage bench docs catalogue leaderboard lock clean

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

setup: $(READY) ## the virtual environment .venv, from requirements.lock

paper: $(READY) ## reproduce the paper's experiments into out/paper
	$(BIN)/belated paper --out out/paper

test: $(READY) ## the whole suite and the examples in the docstrings, on all cores
	$(BIN)/pytest -n auto

soak: $(READY) ## what takes too long for make test: every combination of learner, domain and loss, plain and compiled; hours
	$(BIN)/pytest -n auto -m soak

check: $(READY) ## format, lint, types, who imports whom, documentation, and nobody's addresses in the tree
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory docs
	@! git grep -nIE 'https?://[^ ]*(pypi|pythonhosted)|(^|[^[:alnum:]_./-])/(home|root|tmp|Users|work)/' \
		|| { echo 'The lines above hold the address of a package registry or a path of one machine.'; exit 1; }

coverage: $(READY) ## the suite again, with the lines that it never reaches; fails below the bar in pyproject.toml
	$(BIN)/pytest -n auto --cov --cov-report=term --cov-report=html:out/coverage

bench: $(READY) ## speed beside C and NumPy, scaling, memory and starts, into out/bench; ten minutes, best on an idle machine
	$(BIN)/python -m benchmarks --out out/bench

# Anew as a whole, so that no page stays whose source is gone.
docs: $(READY) ## the documentation, into docs/_build (open index.html there); a warning is an error
	@{ test -e $(BUILT) && test -z "$$($(NEWER))"; } || $(MAKE) --no-print-directory --always-make $(BUILT)

catalogue: $(READY) ## the table of learners and their missing pages in docs/algorithms, anew from the learners' cards
	$(BIN)/python docs/catalogue.py

leaderboard: $(READY) ## every shipped comparison, into docs/leaderboard.md; ten minutes and more, best on an idle machine
	$(BIN)/python docs/leaderboard.py

lock: $(LOCKED) ## requirements.lock anew: the newest versions that pyproject.toml allows, for every platform
	$(BIN)/uv pip compile --no-config --quiet --upgrade --universal --python-version 3.11 --fork-strategy fewest \
		--all-extras --generate-hashes --no-emit-index-url --custom-compile-command 'make lock' \
		--output-file requirements.lock pyproject.toml

clean: ## remove everything that make has made
	rm -rf .venv out build dist docs/_build docs/api .coverage .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find $(wildcard src tests docs benchmarks) -name __pycache__ -prune -exec rm -rf {} +

$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("belated needs Python 3.11 or newer, but " \
		+ sys.executable + " is " + sys.version.split()[0] + "; name another one with make PYTHON=...")'
	@echo 'Setting up .venv, once; this takes a minute or two.'
	$(PYTHON) -m venv --clear .venv
	$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(BUILT):
	rm -rf docs/_build docs/api
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build
	@touch $@
