# Everything below sets up what it needs: a machine with Python (3.11 or later), make and access to PyPI is enough.
PYTHON ?= python3
BIN := .venv/bin
DATA ?=
ARGS ?=

.PHONY: demo test lint bench format clean

demo: .venv/ready        ## the best terms of each class of the embedded corpus, or of your own: make demo DATA=path
	@$(BIN)/python examples/best_terms.py $(if $(DATA),"$(DATA)") $(ARGS)

test: .venv/ready        ## all tests; those on the papers' corpora need TEXTSIEVE_DATA
	$(BIN)/pytest -q -rs --durations=5

lint: .venv/ready        ## style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/ready       ## side by side with scikit-learn; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lint]'
	@touch $@
