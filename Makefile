# make play and make test are all that most people need; `make` alone lists the rest.
# Another Python:            make PYTHON=python3.12 test
# Some of the tests:         make test ARGS="tests/rules -k fire"

PYTHON ?= python3
ARGS ?=
SEEDS ?= 2000
FROM ?= 1
VERSIONS ?= 3.11 3.12 3.13 3.14
SOURCE ?= .
SBOM ?= dist/sbom.json
VENV := .venv/bin
UV := .venv/uv
COMPILE := $(UV)/bin/uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate --quiet
LOCK := $(COMPILE) pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help setup play test slow thorough where form walk coverage fuzz matrix readable sentences static check format docs site corpus simulate benchmarks lock sbom audit wheel release image clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile

setup: ## Make .venv with the locked dependencies and the tools (the others do it by themselves)
	@PYTHON="$(PYTHON)" sh deploy/setup.sh dev </dev/null

play: ## The console: fight in this terminal (sets up what that needs, without the developers' tools)
	@PYTHON="$(PYTHON)" sh deploy/setup.sh play </dev/null
	@$(VENV)/python -m bot play $(ARGS)

test: setup ## The tests, side by side (without the slow ones)
	@$(VENV)/python -m pytest -q -n auto --dist worksteal $(ARGS)

slow: setup ## The tests that take their time: kills, load, whole evenings as processes
	@$(VENV)/python -m pytest -q -n auto --dist worksteal -m "slow and not thorough" $(ARGS)

thorough: setup ## Every case that the other two only sample: long searches, whole mutation runs (before a release; half an hour)
	@$(VENV)/python -m pytest -q -n auto --dist worksteal -m thorough $(ARGS)

where: setup ## Files, functions and figures whose name or first sentence has these words (ARGS="odds slack"; without, every file)
	@$(VENV)/python -m tools.where $(ARGS)

form: setup ## The printed form of a new table, to be compared with its card (ARGS="SYSTEM TABLE")
	@$(VENV)/python -m tools.printed_form $(ARGS)

walk: setup ## The pages of deploy/ line by line on a bare Debian with systemd (root, debootstrap, systemd-container; ARGS=FOLDER)
	@$(VENV)/python -m tests.deploy.walk $(ARGS)

fuzz: setup ## Random games of a game or pack, each checked whole (ARGS="nhis --plays 50 --seed 7")
	@$(VENV)/python -m tools.fuzz $(ARGS)

coverage: setup ## How much of bot/ and adapters/ the quick tests run, and the lines that they do not (ARGS=tests/rules)
	@$(VENV)/python -m pytest -q -n auto --dist worksteal --cov=bot --cov=adapters --cov-report=term-missing:skip-covered $(ARGS)

matrix: ## The tests on each Python of VERSIONS (3.11 to 3.14) that this machine or its pyenv has
	@for version in $(VERSIONS); do \
		python=$$(command -v python$$version) && $$python -c '' 2>/dev/null || \
		python=$$(PYENV_VERSION=$$version pyenv which python$$version 2>/dev/null) || \
		{ echo "== $$version: not on this machine"; continue; }; \
		echo "== $$version"; folder=$$(mktemp -d) && git clone -q . "$$folder" && \
		$(MAKE) --no-print-directory -C "$$folder" PYTHON="$$python" ARGS="$(ARGS)" test || exit 1; rm -rf "$$folder"; \
	done

readable: setup ## How hard each package is to read (ARGS=--update lowers its limits to today's figures)
	@$(VENV)/python -m tools.readable $(ARGS)

sentences: setup ## Every sentence that somebody can read, by screen, into build/sentences.md (ARGS="--search REGEX" finds some)
	@$(VENV)/python -m tools.sentences $(ARGS)

static: setup ## Format, lint, layers, strict types, readability and commit subjects
	@$(VENV)/ruff format --check --quiet . || { echo "Not formatted (make format mends it):"; $(VENV)/ruff format --check .; exit 1; }
	@$(VENV)/ruff check --quiet .
	@told=$$(mktemp) && { $(VENV)/lint-imports --no-cache >$$told 2>&1 || { cat $$told; rm $$told; exit 1; }; } && rm $$told
	@$(VENV)/codespell bot adapters tables docs deploy tools tests benchmarks *.md
	@$(VENV)/mypy
	@$(VENV)/python -m tools.readable --check
	@git log --format=%s e8fe7cd8.. 2>/dev/null | awk 'length > 72 { print "Commit subject over 72 characters: " $$0; bad = 1 } END { exit bad }'

check: static test site slow ## All that CI runs

format: setup ## Format, and mend what can be mended
	@$(VENV)/ruff check --fix-only --quiet .
	@$(VENV)/ruff format --quiet .

docs: setup ## Write the games' pages in docs/ from their tables
	@$(VENV)/python -m tools.docs

site: setup ## The documentation as a site that is read from disk, too: build/site/index.html
	@cmp -s requirements-docs.lock .venv/site/lock || { rm -rf .venv/site && $(VENV)/python -m venv .venv/site && \
		.venv/site/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-docs.lock && \
		cp requirements-docs.lock .venv/site/lock; }
	@$(VENV)/python -m tools.site $(ARGS)

corpus: setup ## Freeze what every sequence, table and command gives today (ARGS=--changes lists what differs)
	@$(VENV)/python -m tools.corpus $(ARGS)
	@$(VENV)/python -m tools.commands $(ARGS)

simulate: setup ## Many simulated worlds, one per seed (SEEDS=2000 FROM=1)
	@$(VENV)/python -m tests.simulation --seeds $(SEEDS) --from $(FROM)

benchmarks: setup ## What things cost on this machine, and that beside what we aim at (ARGS=dice for one)
	@$(VENV)/python -m benchmarks.goals $(ARGS)

lock: setup ## Write the lock files anew from pyproject.toml (ARGS=--upgrade takes newer versions)
	@test -x $(UV)/bin/uv || { $(VENV)/python -m venv $(UV) && $(UV)/bin/pip install --quiet uv; }
	@$(LOCK) $(ARGS) --extra pictures --extra postgres --extra metrics --extra sheets --group dev --output-file requirements-dev.lock
	@$(LOCK) --extra pictures --extra postgres --extra metrics --extra sheets --constraint requirements-dev.lock --output-file requirements.lock
	@$(COMPILE) $(ARGS) --group docs --constraint requirements-dev.lock --output-file requirements-docs.lock

sbom: setup ## What the image and requirements.lock are made of, as CycloneDX, into dist/sbom.json
	@test -x .venv/bom/bin/cyclonedx-py || { $(VENV)/python -m venv .venv/bom && .venv/bom/bin/pip install --quiet 'cyclonedx-bom>=7,<8'; }
	@mkdir -p dist && .venv/bom/bin/cyclonedx-py requirements $(SOURCE)/requirements.lock --pyproject $(SOURCE)/pyproject.toml \
		--mc-type application --output-reproducible --output-file $(SBOM) 2>/dev/null && echo $(SBOM)

audit: setup ## Whether a package of any lock has a known hole; fails if one could not be checked
	@test -x .venv/audit/bin/pip-audit || { $(VENV)/python -m venv .venv/audit && .venv/audit/bin/pip install --quiet 'pip-audit>=2.9,<3'; }
	@$(VENV)/python -m tools.audit

wheel: setup ## Build the installable package into dist/
	@$(VENV)/python -c 'from setuptools.build_meta import build_wheel; print("dist/" + build_wheel("dist"))' | tail -n 1

release: setup ## The commit, the tag and dist/VERSION with wheel, notes and SBOM (VERSION=0.2.0; sends nothing; RELEASING.md)
	@$(VENV)/python -m tools.release $(VERSION) $(ARGS)

image: ## Build the container's image with docker or podman, with labels that say what is in it (ARGS="--build-arg BASE=...")
	@sh deploy/image.sh $(ARGS)

clean: ## Remove what was made (not data/)
	@rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
