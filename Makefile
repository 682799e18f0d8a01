# Every target sets up what it needs by itself, once. A fresh machine needs make and python3 (3.11 or newer) with venv.
#
# Packages come in groups, each with a locked list of its own in locks/: `run` is what belated itself needs, and a target
# adds the groups that it needs besides. The lists are parts of one resolution, requirements.lock, so they agree. A stamp
# in .venv stands for each group that is installed; it is written last, so that an interrupted set-up leaves none and is
# done again. When the resolution changes, .venv is made anew as a whole, and holds nothing that the lists do not name.

PYTHON ?= python3

BIN := .venv/bin
EMPTY := .venv/.empty
READY := .venv/.ready
GROUPS := test check docs lock
TEST := $(READY) .venv/.test
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := $(BIN)/uv pip compile --no-config --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --custom-compile-command 'make lock'

# Packages are installed as sources only, so Python must be allowed to keep what it makes of them; otherwise every process
# that a test starts reads and compiles them all again, which takes longer than the test. They are kept in .venv, so that
# nothing is written beside the sources of somebody who does not want it there.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/pycache

# Slow tests stand together, so a worker that has nothing left takes some from a busy one.
PYTEST := $(BIN)/pytest -n auto --dist worksteal

# What has changed since the documentation was built; folders count, because theirs is the date that changes when a file
# goes. A list of files in make itself would not do: there, a space ends a name.
NEWER = find $(READY) docs src \( -name __pycache__ -o -path docs/_build \) -prune -o -newer $(BUILT) -print
BUILT := docs/_build/.built

.DEFAULT_GOAL := help
.NOTPARALLEL: # two installations at once into one .venv would break it, and the tools use all cores by themselves
.PHONY: help setup paper test soak check coverage bench docs catalogue leaderboard lock clean

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

setup: $(READY) $(GROUPS:%=.venv/.%) ## everything that any target needs, into the virtual environment .venv

paper: $(READY) ## reproduce the paper's experiments into out/paper
	$(BIN)/belated paper --out out/paper

test: $(TEST) ## the whole suite and the examples in the docstrings, on all cores
	$(PYTEST)

# SAMPLE=24 SEED=text runs 24 of its tests, which the text chooses: again the same, with another text others.
soak: $(TEST) ## what takes too long for make test: every combination of learner, domain and loss, plain and compiled; hours
	$(PYTEST) -m soak $(SAMPLE:%=--soak-sample=%) $(SEED:%=--soak-seed=%)

check: $(TEST) .venv/.check .venv/.docs ## format, lint, types, who imports whom, documentation, and nobody's addresses in the tree
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory docs
	@! git grep -nIE 'https?://[^ ]*(pypi|pythonhosted)|(^|[^[:alnum:]_./-])/(home|root|tmp|Users|work)/' \
		|| { echo 'The lines above hold the address of a package registry or a path of one machine.'; exit 1; }

coverage: $(TEST) ## the suite again, with the lines that it never reaches; fails below the bar in pyproject.toml
	$(PYTEST) --cov --cov-report=term --cov-report=html:out/coverage

bench: $(READY) ## speed beside C and NumPy, scaling, memory and starts, into out/bench; ten minutes, best on an idle machine
	$(BIN)/python -m benchmarks --out out/bench

# Anew as a whole, so that no page stays whose source is gone.
docs: $(READY) .venv/.docs ## the documentation, into docs/_build (open index.html there); a warning is an error
	@{ test -e $(BUILT) && test -z "$$($(NEWER))"; } || $(MAKE) --no-print-directory --always-make $(BUILT)

catalogue: $(READY) ## the table of learners and their missing pages in docs/algorithms, anew from the learners' cards
	$(BIN)/python docs/catalogue.py

leaderboard: $(READY) ## every shipped comparison, into docs/leaderboard.md; ten minutes and more, best on an idle machine
	$(BIN)/python docs/leaderboard.py

lock: .venv/.lock ## requirements.lock and locks/ anew: the newest versions that pyproject.toml allows, for every platform
	$(COMPILE) --upgrade --all-extras --group install $(GROUPS:%=--group %) --output-file requirements.lock pyproject.toml
	@mkdir -p locks
	@for group in run $(GROUPS); do cp requirements.lock locks/$$group.txt; done # uv keeps the versions and hashes it finds
	$(COMPILE) --constraint requirements.lock --extra figures --group install --output-file locks/run.txt pyproject.toml
	@for group in $(GROUPS); do \
		$(COMPILE) --constraint requirements.lock --group $$group --output-file locks/$$group.txt || exit 1; done

clean: ## remove everything that make has made
	rm -rf .venv out build dist docs/_build .coverage .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find $(wildcard src tests docs benchmarks) -name __pycache__ -prune -exec rm -rf {} +

$(EMPTY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("belated needs Python 3.11 or newer, but " \
		+ sys.executable + " is " + sys.version.split()[0] + "; name another one with make PYTHON=...")'
	@echo 'Setting up .venv, once; this takes half a minute or more.'
	$(PYTHON) -m venv --clear .venv
	@touch $@

# Python compiles a module when it is first imported; to compile all of them beforehand takes longer than to install them.
.venv/.run $(GROUPS:%=.venv/.%): .venv/.%: locks/%.txt $(EMPTY)
	$(PIP) install --no-compile --require-hashes -r $<
	@touch $@

$(READY): .venv/.run pyproject.toml
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(BUILT):
	rm -rf docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build
	@touch $@
