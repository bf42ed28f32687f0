# Everything below sets up what it needs: a machine with Python (3.11 or later), make and access to PyPI is enough.
PYTHON ?= python3
BIN := .venv/bin
DATA ?=
ARGS ?=

.PHONY: demo test lint bench docs format clean

demo: .venv/ready        ## train on the embedded corpus, or on your own: make demo DATA=path; says how good that is
	@$(BIN)/textsieve train "$(or $(DATA),docstrings)" -o demo.sieve $(ARGS)

test: .venv/ready        ## all tests; those on the papers' corpora need TEXTSIEVE_DATA
	$(BIN)/pytest -q -rs --durations=5

lint: .venv/ready        ## style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/ready       ## side by side with scikit-learn; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

docs: .venv/ready        ## the reference of the command line, from its help: docs/cli.md
	$(BIN)/python docs/cli_reference.py

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lint]'
	@touch $@
