# Two commands, nothing to prepare: `make demo` and `make test`. Everything goes into .venv.
#   PYTHON=python3.12       the Python to use
#   PYCVSTAT_R=auto         auto | none | required: whether R is used
#   JOBS=auto               parallel test processes
JOBS ?= auto
BIN = .venv/bin
unexport PYTHONDONTWRITEBYTECODE # or every new process compiles what it imports
PYTEST = $(BIN)/python -m pytest -q -n $(JOBS) --maxprocesses 8 --dist worksteal

.PHONY: demo test fast nightly environments lint bench record docs

demo: ## the course in Python beside R, with a report
	@.ci/setup
	@mkdir -p out
	@$(BIN)/pycvstat lecture --report out/lecture.html

test: ## the whole suite
	@.ci/setup dev dask docs
	$(PYTEST)

fast: ## the part that takes no R and little time
	@.ci/setup dev dask docs
	$(PYTEST) -m "not slow and not live_r"

nightly: ## 100,000 generated cases and 50 killed runs of each kind, for an hour
	@.ci/setup dev dask
	PYCVSTAT_CASES=100000 $(PYTEST) tests/properties tests/differential
	PYCVSTAT_KILLS=50 $(BIN)/python -m pytest -q tests/faults/test_kills.py

environments: ## the package bare, at its lower bounds and at the newest versions, each in a venv
	@.ci/setup dev dask
	for kind in bare lowest newest; do $(BIN)/python -m tests.environments $$kind || exit; done

lint:
	@.ci/setup dev dask docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: ## times of ours and of peers on the machine at hand, into BENCHMARKS.md
	@.ci/setup dev dask docs
	$(BIN)/python -m tests.benchmarks

record: ## every recorded value anew, on a machine with R and kknn, and what changed
	@PYCVSTAT_R=required .ci/setup dev dask
	Rscript r_reference/record.R lecture 1 42 2021
	Rscript r_reference/record_kknn_hard.R
	Rscript r_reference/formulas.R r_reference/recorded/formulas.json
	Rscript r_reference/models.R r_reference/recorded/models.json
	$(BIN)/python -m tests.intervals.shared_losses
	$(BIN)/python -c "from pycvstat.r.check import run_suite; print(run_suite('record'))"
	git diff --stat -- r_reference/recorded

docs: ## the vignettes, executed, and the reference: out/docs/index.html, checked
	@.ci/setup dev dask docs
	@rm -rf out/docs && mkdir -p out
	$(BIN)/python -m sphinx -E -n -W --keep-going -q --no-color -j auto vignettes out/docs 2>out/docs.log || { cat out/docs.log; exit 1; }
	$(BIN)/python -m pytest -q tests/vignettes/built_pages.py
