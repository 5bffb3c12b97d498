# The workbook: one parameterised notebook a paper, executed by papermill. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
SEED ?= 2026
ifndef CORES
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
endif
MAKEFLAGS += --no-builtin-rules -j$(CORES)  # a -j of the command line goes before this one

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
PEER_BASE ?= $(PYTHON)
PEER := build/peers

export REPLICATE_CACHE := $(CURDIR)/build/cache
export SOURCE_DATE_EPOCH := 0
export PYTHONHASHSEED := 0
# Several threads of linear algebra add in an order that depends on how many there are.
export OPENBLAS_NUM_THREADS := 1
# Some sixty processes load the same modules: the first one leaves their bytecode to the others.
export PYTHONDONTWRITEBYTECODE :=

# What a shell's settings would change of the environment's Python.
unexport PYTHONHOME PYTHONPATH PYTHONSTARTUP PYTHONOPTIMIZE PYTHONUSERBASE

# pip with what the machine's settings say of where packages are found, and nothing else of them: neither PIP_USER
# nor a target of the user's pip.conf may send them elsewhere.
define PIP
import ast, os, subprocess, sys
kept = ("index-url extra-index-url find-links no-index cert client-cert proxy trusted-host timeout default-timeout "
        "retries cache-dir no-cache-dir keyring-provider use-feature").split()
pip = [sys.executable, "-m", "pip"]
listed = subprocess.run([*pip, "config", "list"], stdout=subprocess.PIPE, text=True).stdout
env = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
for name, _, value in (line.partition("=") for line in listed.splitlines()):
    option = name.rpartition(".")[2]
    if option in kept:
        env["PIP_" + option.upper().replace("-", "_")] = " ".join(ast.literal_eval(value).split())
env |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
sys.exit(subprocess.run([*pip, "install", "--quiet", *sys.argv[1:]], env=env).returncode)
endef
export PIP

# An old Python says so in one line, whatever is asked for but the list of targets.
ifneq ($(filter-out help clean distclean,$(or $(MAKECMDGOALS),help)),)
ifneq ($(shell $(PYTHON) -c 'import sys; print(sys.version_info >= (3, 11))' 2>/dev/null),True)
$(error Python 3.11 or newer is needed and $(PYTHON) is not: make PYTHON=python3.12 $(MAKECMDGOALS))
endif
endif

# The table of contents: floor:name:prefix:notebook of every paper and study.
CONTENTS := $(shell $(PYTHON) replicate/contents.py 2>/dev/null)
field = $(word $(1),$(subst :, ,$(2)))
PAPERS := $(foreach r,$(CONTENTS),$(call field,2,$(r)))
home = $(strip $(foreach r,$(CONTENTS),$(if $(filter $(1),$(call field,2,$(r))),replicate/$(call field,1,$(r))/$(1))))

# The notebooks' own seed fills build/quick, build/full and figures; any other seed gets folders of its own.
OTHER := $(if $(filter 2026,$(SEED)),,-SEED-$(SEED))
QUICK := build/quick$(OTHER)
FULL := build/full$(OTHER)
MARKERS := $(foreach p,$(PAPERS),$(QUICK)/$(p).json $(FULL)/$(p).json)

# What a notebook depends on: the ground floor and its paper's rooms. Commands change no number.
SOURCES := $(shell find replicate -name '*.py' -o -name '*.xz')
GROUND := $(filter-out replicate/__main__.py replicate/commands/% replicate/advice/% replicate/papers/% replicate/studies/%,$(SOURCES))
apartment = $(filter replicate/papers/__init__.py replicate/studies/__init__.py $(call home,$(1))/%,$(SOURCES))
# Learners of other papers and their instances, which these notebooks reach, through the registry or directly.
COMPARING := noisy_leader synopsis price_of_privacy audit_bench
REACHED := $(filter $(foreach p,$(PAPERS),$(foreach r,__init__ learners algorithms bounds instances,$(call home,$(p))/$(r)%)),$(SOURCES))
# What the synopsis draws of the whole register, and measures with experiments of the papers and with the advisor.
REGISTERED := $(filter replicate/advice/%,$(SOURCES))
REGISTERED += $(filter $(foreach p,$(PAPERS),$(foreach r,claims errata experiments privacy,$(call home,$(p))/$(r)%)),$(SOURCES))
sources = $(GROUND) $(call apartment,$(1)) $(if $(filter $(COMPARING),$(1)),$(REACHED)) $(if $(filter synopsis,$(1)),$(REGISTERED))

.PHONY: help all quick formal test test-long processors claims review huge seeds limits power challenge mutants book pdf readme bench peers audit-bench libraries live lint format lab lock clean distclean env anew

help:  ## show this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*##/ { printf "%-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

all: $(if $(OTHER),$(filter $(FULL)/%,$(MARKERS)),build/full/reports.stamp)  ## every notebook, figure and report (full sizes)

quick: $(QUICK)/synopsis.json $(filter $(QUICK)/%,$(MARKERS))  ## every notebook at small sizes, into build/quick

# The longest notebook starts first. One rule for each notebook and profile: its marker is written last, by the notebook's last cell.
define notebook_rule
$(2)/$(call field,2,$(4)).json: notebooks/$(call field,4,$(4)).ipynb $(call sources,$(call field,2,$(4))) $(READY)
	@$(PY) -m replicate run $$< -p PROFILE $(1) -p SEED $(SEED) -p OUTPUT $(3)
endef
$(foreach r,$(CONTENTS),$(eval $(call notebook_rule,quick,$(QUICK),$(QUICK),$(r))))
$(foreach r,$(CONTENTS),$(eval $(call notebook_rule,full,$(FULL),$(if $(OTHER),$(FULL),.),$(r))))
# A marker that another seed left is none.
$(filter $(MARKERS),$(shell grep -Ls '"seed": $(SEED),' $(MARKERS) /dev/null)): anew

build/full/reports.stamp: build/full/synopsis.json $(foreach p,$(PAPERS),build/full/$(p).json) replicate/commands/readme.py
	@$(PY) -m replicate readme
	@touch $@

SPREAD = -n $(CORES) --dist loadscope --no-loadscope-reorder

test: $(READY)  ## all tests, on all cores
	$(PY) -m pytest $(SPREAD)

test-long: $(READY)  ## comparisons of literal with fast learners: more runs, longer games
	$(PY) -m pytest $(SPREAD) -m long

processors: $(READY)  ## every quick notebook as on other processors: the same files (half an hour; PAPERS="tracking bandits")
	$(PY) -m tests.processors $(if $(filter command line,$(origin PAPERS)),$(PAPERS))

claims: $(READY)  ## check claims and errata at quick sizes and print them
	$(PY) -m replicate claims --json build/claims.json

review: $(READY)  ## ten headline claims at full sizes against the records, into reports/review.csv (at most three minutes)
	$(PY) -m replicate review $(if $(PUBLISH),--publish)

book: build/book/index.html  ## the executed notebooks and the reports as offline pages, in build/book

build/book/index.html: build/full/reports.stamp $(wildcard replicate/commands/book/*) $(wildcard reports/*.md reports/*/*.md examples/*.md *.md)
	@$(PY) -m replicate book --profile full

pdf: build/book/index.html  ## the whole book as one PDF, build/book/book.pdf (needs Chromium or Chrome)
	@$(PY) -m replicate book --pdf

readme: $(READY)  ## renew what is generated from figures/: tables of the README, reports, gallery
	$(PY) -m replicate readme

challenge: $(READY)  ## race rivals of the literature against the advised learners, or yours (RIVAL=my_learner.py)
	$(PY) -m tests.challenge $(RIVAL) || test $$? = 1

mutants: $(READY)  ## plant deliberate mistakes: tests must reject each (BEHAVIOUR=1: without pinned numbers and records)
	$(PY) -m tests.mutants $(if $(BEHAVIOUR),--behaviour)

huge: $(READY)  ## ten times the replicates and seeds of full, for a cluster: make huge EXECUTOR=dask://host:port (resumes)
	$(PY) -m replicate claims --profile huge --resume --json build/huge/claims.json
	$(PY) -m replicate seeds --seeds 500

seeds: $(READY)  ## the register's checks under 50 root seeds: no false alarm
	$(PY) -m replicate seeds --seeds 50

limits: $(READY)  ## confidence limits against what they state, on the papers' skewed laws (some minutes)
	$(PY) -m tests.limits

power: $(READY)  ## the least mistake that each theorem's check rejects (full sizes and some ten minutes with PUBLISH=1)
	$(PY) -m tests.power $(if $(PUBLISH),--publish)

bench: $(READY)  ## measure kernels, peers, floors and executors (PUBLISH=1: renew reports/benchmarks.md too)
	PEER_PYTHON=$(wildcard $(PEER)/bin/python) $(PY) -m tests.benchmarks.page $(if $(PUBLISH),--publish)

audit-bench: $(READY)  ## the audit on DP-Sniper's twenty mechanisms (an hour; resumes; PUBLISH=1: renew reports/audit_bench.*)
	$(PY) -m tests.benchmarks.audit_bench $(if $(PUBLISH),--publish)

peers: $(PEER)/.ready  ## an environment for the benchmarks' peer, which needs an older SciPy (Python 3.10 to 3.12)

$(PEER)/.ready: tests/benchmarks/peers.txt
	$(PEER_BASE) -m venv --clear $(PEER)
	$(PEER)/bin/python -c "$$PIP" --requirement $<
	@touch $@

libraries: $(READY) build/libraries/.ready  ## audit released libraries, in an environment of their own (PUBLISH=1: renew reports/libraries.md)
	$(PY) -m tests.libraries.page $(if $(PUBLISH),--publish)

build/libraries/.ready: tests/libraries/requirements.txt
	$(PEER_BASE) -m venv --clear build/libraries/.venv
	build/libraries/.venv/bin/python -c "$$PIP" --no-deps --requirement $<
	@touch $@

live: build/live/index.html  ## theorem pages that run in a browser, in build/live, tested there (needs npm; 60 MB)
	$(PY) -m pytest -n 0 -m long tests/theorems/test_live.py

build/live/index.html: $(wildcard examples/live/*.* examples/theorems/*.*) $(SOURCES) build/live-packages/.ready
	$(PY) examples/live/build.py

build/live-packages/.ready: examples/live/requirements.txt $(READY)
	rm -rf $(@D)
	$(PY) -c "$$PIP" --no-deps --require-hashes --target $(@D) --requirement $<
	npm pack --silent --pack-destination $(@D) $$(sed -n 's/^# npm: \([^ ]*\) .*/\1/p' $<)
	@touch $@

formal:  ## check the formal proofs (needs Coq; a minute)
	@$(PYTHON) formal/check.py

lint: $(READY)  ## style, format and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(READY)  ## rewrite the sources in the house format
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

lab: $(READY)  ## open the notebooks in JupyterLab (ARGS="--no-browser --port 8889")
	JUPYTER_PATH= JUPYTER_PREFER_ENV_PATH=1 $(VENV)/bin/jupyter lab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks $(ARGS)

env: $(READY)  ## the environment, from the lock

$(READY): requirements.lock pyproject.toml
	@test -x $(PY) || $(PYTHON) -m venv --clear $(VENV)
	$(PY) -c "$$PIP" --no-compile --require-hashes --requirement requirements.lock
	$(PY) -m compileall -q -j $(CORES) -x /tests/ $(VENV)/lib
	$(PY) -c "$$PIP" --no-deps --no-build-isolation --editable .
	@touch $@

lock:  ## resolve requirements.lock anew (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --fork-strategy fewest --upgrade --generate-hashes \
	  --no-header --no-annotate --output-file requirements.lock

clean:  ## remove everything that was built, keep the environment and the committed figures
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find replicate tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## also remove the environment
	rm -rf $(VENV) *.egg-info
