# The workbook: one parameterised notebook a paper, executed by papermill. `make help` lists the targets.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
SEED ?= 2026
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
PEER_BASE ?= $(PYTHON)
PEER := build/peers

NOTEBOOKS := $(sort $(wildcard notebooks/[0-9]*.ipynb))
PAPERS := $(patsubst notebooks/%.ipynb,%,$(NOTEBOOKS))
paper = $(shell echo $(1) | cut -c4-)
# What every notebook depends on; register, runner and sweep plumbing do not change a number.
GROUND := $(filter-out replicate/run.py replicate/readme.py replicate/book.py replicate/soak.py,$(wildcard replicate/*.py replicate/audit/*.py))

export REPLICATE_CACHE := build/cache
export SOURCE_DATE_EPOCH := 0
export PYTHONHASHSEED := 0

.PHONY: help all quick test claims slips mutants soak book readme bench peers lint format lab lock clean distclean env

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

all: build/full/README.stamp  ## every notebook, every figure, the tables in the README (full sizes)

quick: $(foreach p,$(PAPERS),build/quick/$(call paper,$(p)).json)  ## every notebook at small sizes, into build/quick

# One rule for each notebook and profile: its marker is written last, by the notebook's last cell.
# The synopsis runs every paper's learners.
sources = $(wildcard $(if $(filter synopsis,$(1)),replicate/synopsis/*.py replicate/papers/*/*.py,replicate/papers/$(1)/*.py))
define notebook_rule
build/$(1)/$(call paper,$(2)).json: notebooks/$(2).ipynb $(GROUND) $(call sources,$(call paper,$(2))) $$(READY)
	@$(PY) -m replicate.run $$< -p PROFILE $(1) -p SEED $(SEED) -p OUTPUT $(3)
endef
$(foreach p,$(PAPERS),$(eval $(call notebook_rule,full,$(p),.)))
$(foreach p,$(PAPERS),$(eval $(call notebook_rule,quick,$(p),build/quick)))

build/full/README.stamp: $(foreach p,$(PAPERS),build/full/$(call paper,$(p)).json) replicate/readme.py
	@$(PY) -m replicate.readme
	@touch $@

test: $(READY)  ## all tests
	$(PY) -m pytest

claims: $(READY)  ## check the register's claims at quick sizes and print the table
	$(PY) -m replicate.claims --json build/claims.json --markdown build/claims.md

slips: $(READY)  ## show by every route what is wrong in print
	$(PY) -m replicate.slips --json build/slips.json

book: build/book/index.html  ## the executed notebooks and the claims as offline pages, in build/book

build/book/index.html: build/full/README.stamp replicate/book.py replicate/book.css $(wildcard BENCHMARKS.md)
	@$(PY) -m replicate.book --profile full

readme: $(READY)  ## rewrite the README's generated parts from figures/
	$(PY) -m replicate.readme

mutants: $(READY)  ## plant deliberate mistakes; the tests must catch each of them
	$(PY) -m tests.mutants

soak: $(READY)  ## the register's checks under 50 root seeds: no false alarm
	OPENBLAS_NUM_THREADS=1 $(PY) -m replicate.soak --seeds 50

bench: $(READY)  ## measure kernels, peers, floors and executors: build/benchmarks.md (PUBLISH=1: BENCHMARKS.md too)
	OPENBLAS_NUM_THREADS=1 PEER_PYTHON=$(wildcard $(PEER)/bin/python) $(PY) -m tests.benchmarks.page $(if $(PUBLISH),--publish)

peers: $(PEER)/.ready  ## an environment for the benchmarks' peer, which needs an older SciPy (Python 3.10 to 3.12)

$(PEER)/.ready: tests/benchmarks/peers.txt
	$(PEER_BASE) -m venv --clear $(PEER)
	$(PEER)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

lint: $(READY)  ## style, format and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(READY)  ## rewrite the sources in the house format
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

lab: $(READY)  ## open the notebooks in JupyterLab
	$(VENV)/bin/jupyter lab notebooks

env: $(READY)  ## the environment, from the lock

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	@test -x $(PY) || $(PYTHON) -m venv --clear $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

lock:  ## resolve requirements.lock anew (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --output-file requirements.lock

clean:  ## remove everything that was built, keep the environment and the committed figures
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

distclean: clean  ## also remove the environment
	rm -rf $(VENV) *.egg-info
