# Everything a contributor needs; `make` alone lists it. Only make and a Python >= 3.11 must be there
# beforehand: the rest is installed into .venv (and .venvs/VERSION for the other Pythons), and brought
# up to date only when pyproject.toml or constraints.txt has changed.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
.NOTPARALLEL:

# make clean test PYTHON=/path/to/python: another main Python than the oldest that is found
export PYTHON
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pyright: the Node.js and the pyright that the wheels carry, and no question to anyone for news.
export PYRIGHT_PYTHON_GLOBAL_NODE := 0
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1

RUN     := .venv/bin/python -m
ENV     := .venv/.stamp
CODE    := src tests tools $(if $(wildcard bench/*.py),bench)
# Most tests wait for an event rather than for the processor: more workers than cores pay.
WORKERS ?= 4
XDIST   := -n $(WORKERS) --dist loadgroup
# Handed to every pytest: make test-main ARGS="-k renewal -x"
ARGS    ?=

say = @printf '\n==> %s\n' "$(1)"

##@ Every day

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z][a-z-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: env
env: $(ENV) ## Make the main environment, .venv

.PHONY: sync
sync: $(ENV) ## Generate every _sync tree anew from its _async tree
	.venv/bin/python tools/sync.py

.PHONY: format
format: $(ENV) ## Format the code and mend what the linter can mend, then sync
	$(RUN) ruff check --fix-only --quiet $(CODE)
	$(RUN) ruff format $(CODE)
	.venv/bin/python tools/sync.py

##@ Checks

.PHONY: test
test: packages sync-check lint types docs changelog wheel test-main test-others ## Run everything below, as CI does
	$(call say,all checks passed)

.PHONY: packages
packages: ## In CI only: the system packages that some tests need
	@sh tools/packages.sh

.PHONY: sync-check
sync-check: $(ENV) ## The _sync trees are what their sources give
	$(call say,sync trees)
	.venv/bin/python tools/sync.py --check

.PHONY: lint
lint: $(ENV) ## ruff: rules and format
	$(call say,ruff)
	$(RUN) ruff check $(CODE)
	$(RUN) ruff format --check $(CODE)

.PHONY: types
types: $(ENV) ## mypy --strict and pyright
	$(call say,mypy)
	$(RUN) mypy $(CODE)
	$(call say,pyright)
	$(RUN) pyright

.PHONY: docs
docs: $(ENV) ## Build the documentation into build/site; a warning is an error
	$(call say,documentation)
	$(RUN) mkdocs build --strict --site-dir build/site

.PHONY: changelog
changelog: $(ENV) ## The changelog fragments are well formed
	$(call say,changelog)
	@mkdir -p build
	@$(RUN) towncrier build --draft --version next > build/changelog.md

.PHONY: wheel
wheel: $(ENV) ## Build the wheel into build/wheel; it holds the whole package
	$(call say,wheel)
	rm -rf build/wheel
	$(RUN) pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	.venv/bin/python tools/check_wheel.py build/wheel/*.whl

.PHONY: test-main
test-main: $(ENV) ## Tests on the main Python, with coverage
	$(call say,tests on $$(.venv/bin/python --version) with coverage)
	@rm -f .coverage .coverage.*
	$(RUN) coverage run -m pytest $(XDIST) $(ARGS)
	@$(RUN) coverage combine --quiet
	$(RUN) coverage report $(if $(ARGS),--fail-under=0)

.PHONY: test-others
test-others: ## Tests on each other supported Python that is installed
	@for version in $$(sh tools/pythons.sh others); do \
		$(MAKE) --no-print-directory test-$$version || exit 1; \
	done

test-3.%: .venvs/3.%/.stamp
	$(call say,tests on $$(.venvs/3.$*/bin/python --version))
	.venvs/3.$*/bin/python -m pytest $(XDIST) $(ARGS)

##@ Now and then

.PHONY: bench
bench: $(ENV) ## Run the benchmarks: make bench ARGS=--help
	$(RUN) bench $(ARGS)

.PHONY: serve
serve: $(ENV) ## Show the documentation in a browser, live
	$(RUN) mkdocs serve

.PHONY: lock
lock: ## Write constraints.txt anew, with today's versions of the tools
	rm -rf build/lock
	$$(sh tools/pythons.sh main) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet --group dev
	{ sed -n '/^#/p' constraints.txt; build/lock/bin/python -m pip freeze --all --exclude setuptools; } > build/lock.txt
	mv build/lock.txt constraints.txt

.PHONY: clean
clean: ## Remove the environments and everything built
	rm -rf .venv .venvs build dist site htmlcov .coverage .coverage.* \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests tools -name __pycache__ -type d -exec rm -rf {} +

# --- environments: $(1) Python, $(2) folder, $(3) dependency group --------------------------------

# pip itself comes from constraints.txt too: older ones know neither groups nor build constraints.
define make_env
	$(call say,environment $(2))
	@mkdir -p $(dir $(2))
	@$(2)/bin/python -m pip --version >/dev/null 2>&1 || { rm -rf $(2) && $(1) -m venv $(2); }
	$(2)/bin/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	$(2)/bin/python -m pip install --quiet --constraint constraints.txt \
		--build-constraint constraints.txt --group $(3) --editable .
	@touch $@
endef

.venv/.stamp: pyproject.toml constraints.txt
	$(call make_env,$$(sh tools/pythons.sh main),.venv,dev)

.venvs/%/.stamp: pyproject.toml constraints.txt
	$(call make_env,$$(sh tools/pythons.sh path $*),.venvs/$*,test)
