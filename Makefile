# Every command of a developer, as a target. Each target installs what it needs into .venv by itself, once. A fresh
# machine needs only make and python3 (3.11 or newer) with venv.
#
# Packages come in groups, and locks/ has a locked list for each group. The group `run` is what belated itself needs; a
# target adds the other groups that it needs. The lists are parts of one resolution, requirements.lock, so they agree.
# For each installed group there is an empty file in .venv, its stamp. The stamp is written last: an interrupted set-up
# leaves none, and the next call installs the group again. When the resolution changes, all of .venv is made again, so
# that it holds nothing that the lists do not name.

PYTHON ?= python3

BIN := .venv/bin
EMPTY := .venv/.empty
READY := .venv/.ready
GROUPS := test check docs lock peers
TEST := $(READY) .venv/.test
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := $(BIN)/uv pip compile --no-config --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --custom-compile-command 'make lock'

# Packages are installed without compiled modules, so Python must be allowed to write them when it imports. Otherwise every
# process that a test starts compiles all packages again, which takes longer than most of these tests. The modules are
# kept in .venv, so that nothing is written beside the sources.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/pycache

# Slow tests follow each other in the list of tests. With worksteal, an idle worker takes tests from a busy one.
PYTEST := $(BIN)/pytest -n auto --dist worksteal

# Prints what has changed since the documentation was built. Folders count, because the date of a folder changes when a
# file in it is deleted. A list of prerequisites would not do: for make a name ends at a space, and a path may have one.
NEWER = find $(READY) docs src \( -name __pycache__ -o -path docs/_build \) -prune -o -newer $(BUILT) -print
BUILT := docs/_build/.built

.DEFAULT_GOAL := help
.NOTPARALLEL: # two installations at once into one .venv would break it, and the tools use all cores by themselves
.PHONY: help setup paper test soak fixtures check coverage bench bench-quick bench-labels bench-journal bench-sweep bench-service docs catalogue leaderboard lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

# Without the peers, which are large and compared with rarely: bench-labels installs them.
setup: $(READY) $(patsubst %,.venv/.%,$(filter-out peers,$(GROUPS))) ## everything that targets need, into .venv

paper: $(READY) ## reproduce the paper's experiments into out/paper
	$(BIN)/belated paper --out out/paper

# Compiled without optimisation, since most of the time goes to the compiler and no bit depends on it; the soak is optimised.
test: export NUMBA_OPT := 0
test: $(TEST) ## the whole suite and the examples in the docstrings, on all cores
	$(PYTEST)

# SAMPLE=24 SEED=text runs 24 of these tests. The text chooses them: the same text always chooses the same tests.
soak: $(TEST) ## every combination of learner, domain and loss, plain and compiled; takes hours
	$(PYTEST) -m soak $(SAMPLE:%=--soak-sample=%) $(SEED:%=--soak-seed=%)

# KIND=decisions makes one kind anew, or several. Without it all are made but those that an earlier version has written.
fixtures: $(TEST) ## golden fixtures of tests/fixtures anew, after a change on purpose; git diff shows what changed
	PYTHONPATH=tests $(BIN)/python -m support.fixtures $(KIND)

check: $(TEST) .venv/.check .venv/.docs ## format, lint, types, imports between packages, documentation, no private address in a file
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory docs
	@! git grep -nIE 'https?://[^ ]*(pypi|pythonhosted)|(^|[^[:alnum:]_./-])/(home|root|tmp|Users|work)/' \
		|| { echo 'The lines above hold the address of a package registry or a path of one machine.'; exit 1; }

coverage: $(TEST) ## the suite again, with the lines that it never reaches; fails below the bar in pyproject.toml
	$(PYTEST) --cov --cov-report=term --cov-report=html:out/coverage

bench: $(READY) ## speed compared with C and NumPy, scaling, memory, start-up, into out/bench; ten minutes, idle machine
	$(BIN)/python -m benchmarks --out out/bench

bench-labels: $(TEST) .venv/.peers ## models with late labels beside river and Vowpal Wabbit, into out/bench-labels; half an hour
	$(BIN)/python -m benchmarks.labels --out out/bench-labels

bench-journal: $(TEST) ## events a second of each store of the journal, into out/bench-journal; two minutes
	$(BIN)/python -m benchmarks.journal --out out/bench-journal

bench-sweep: $(TEST) ## the local engine of a sweep beside a pool of processes, into out/bench-sweep; two minutes, idle machine
	$(BIN)/python -m benchmarks.sweeps --out out/bench-sweep

# AGAINST=revision compares with another one than that before the library was rebuilt.
bench-quick: $(TEST) ## speed beside an earlier revision that is installed beside, into out/bench-quick; two minutes
	$(BIN)/python -m benchmarks.quick --out out/bench-quick $(AGAINST:%=--against %)

bench-service: $(TEST) .venv/.peers ## requests a second of the service beside a bare application and Optuna; five minutes, idle machine
	$(BIN)/python -m benchmarks.service --out out/bench-service

# All pages are built again, so that no page stays whose source was deleted.
docs: $(READY) .venv/.docs ## the documentation, into docs/_build (open index.html there); a warning is an error
	@{ test -e $(BUILT) && test -z "$$($(NEWER))"; } || $(MAKE) --no-print-directory --always-make $(BUILT)

catalogue: $(READY) ## renew the table of learners and the generated pages in docs/algorithms from the cards
	$(BIN)/python docs/catalogue.py

leaderboard: $(READY) ## run every shipped comparison, renew docs/leaderboard.md; ten minutes and more, idle machine
	$(BIN)/python docs/leaderboard.py

lock: .venv/.lock ## renew requirements.lock and locks/ with the newest versions that pyproject.toml allows, for every platform
	$(COMPILE) --upgrade --all-extras --group install $(GROUPS:%=--group %) --output-file requirements.lock pyproject.toml
	@mkdir -p locks
	@for group in run $(GROUPS); do cp requirements.lock locks/$$group.txt; done # uv keeps the versions and hashes it finds
	$(COMPILE) --constraint requirements.lock --extra figures --group install --output-file locks/run.txt pyproject.toml
	@for group in $(GROUPS); do \
		$(COMPILE) --constraint requirements.lock --group $$group --output-file locks/$$group.txt || exit 1; done

clean: ## remove everything that make has made
	rm -rf .venv out build dist docs/_build .coverage .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find $(wildcard src tests docs benchmarks examples) -name __pycache__ -prune -exec rm -rf {} +

$(EMPTY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("belated needs Python 3.11 or newer, but " \
		+ sys.executable + " is " + sys.version.split()[0] + "; name another one with make PYTHON=...")'
	@echo 'Setting up .venv, once; this takes half a minute or more.'
	$(PYTHON) -m venv --clear .venv
	@touch $@

# --no-compile: Python compiles a module when it is first imported. Compiling all of them here would take longer than
# installing them. --no-deps: a list names all that its packages need, so pip has nothing to resolve. If it did, it would
# stop at an extra such as coverage[toml] as soon as a newer release than the locked one is out; pip check looks instead
# whether something is missing.
.venv/.run $(GROUPS:%=.venv/.%): .venv/.%: locks/%.txt $(EMPTY)
	$(PIP) install --no-compile --no-deps --require-hashes -r $<
	@$(PIP) check
	@touch $@

$(READY): .venv/.run pyproject.toml
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(BUILT):
	rm -rf docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build
	@touch $@
