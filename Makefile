# Everything below sets up what it needs: a machine with Python (3.11 or later), make and access to PyPI is enough.
PYTHON ?= python3
BIN := .venv/bin
DATA ?=
ARGS ?=
DEPTH ?= all
unexport PYTHONDONTWRITEBYTECODE # tests start hundreds of processes, each of which would compile the package again
# Several tests run at the same time, so that more threads of OpenBLAS would only wait for each other.
test test-all test-lowest: export OPENBLAS_NUM_THREADS := 1
# Compiled kernels are kept for the next clone, branch or run with the same kernels.
test test-all test-lowest: export NUMBA_CACHE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/textsieve/kernels
PYTEST_OPTIONS := -q -rs --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --durations 5

.PHONY: demo test test-all test-lowest mutants lint bench defaults trace subspaces spark spark-scale serve-load serve-malformed papers docs pictures man format clean help

demo: .venv/demo         ## train on the embedded corpus, or on your own: make demo DATA=path; then compare, to demo.html
	@$(BIN)/textsieve train "$(or $(DATA),docstrings)" -o demo.sieve $(ARGS)
	@rm -f demo.jsonl
	@$(BIN)/textsieve compare "$(or $(DATA),docstrings)" --selectors forward,ocfs,ig,chi --terms 100,1000 --classifiers svm,nb \
	  --results demo.jsonl --report demo.html $(ARGS)
	@echo
	@echo "What next?"
	@echo "  Open demo.html in a browser: charts and tables of the comparison, and documents that were labelled wrongly."
	@echo "  Try the model on a web page: $(BIN)/textsieve serve demo.sieve"
	@echo "  See why a text gets a label: $(BIN)/textsieve explain demo.sieve \"the text\""

test: .venv/test         ## the tests that need no Spark, browser or corpora, with few examples: a few minutes
	TEXTSIEVE_TESTS=quick $(BIN)/pytest $(PYTEST_OPTIONS) $(ARGS)

test-all: .venv/ready    ## all tests, with Java, Chromium and the papers' corpora in TEXTSIEVE_DATA; DEPTH=deep tries more
	TEXTSIEVE_TESTS=$(DEPTH) $(BIN)/pytest $(PYTEST_OPTIONS) $(ARGS)

test-lowest: .venv-lowest/ready ## all tests with the oldest versions of packages that pyproject.toml allows
	TEXTSIEVE_TESTS=$(DEPTH) .venv-lowest/bin/python -m pytest $(PYTEST_OPTIONS) $(ARGS)

mutants: .venv/ready     ## mutation testing on a sample of 300 mutants; prints those that no test notices
	$(BIN)/python -m benchmarks.mutation $(ARGS)

lint: .venv/ready        ## style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/ready       ## side by side with scikit-learn; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

defaults: .venv/ready    ## selectors, classifiers, weights and threshold rules on all corpora; writes docs/research/defaults.md
	$(BIN)/python -m benchmarks.defaults

trace: .venv/ready       ## TOFA's weight, and selection in two stages; writes docs/research/tofa-results.md and its figures
	$(BIN)/python -m studies.trace

subspaces: .venv/ready   ## random subspaces: where they gain, sizes; writes docs/research/subspaces-results.md and its figure
	$(BIN)/python -m studies.subspaces

spark: .venv/ready       ## how Spark's time grows, and when it pays; writes benchmarks/SPARK.md
	$(BIN)/python -m benchmarks.spark_growth

spark-scale: .venv/ready ## two million terms, and what the driver takes; writes benchmarks/SPARK_SCALE.md
	$(BIN)/python -m benchmarks.spark_scale

serve-load: .venv/ready  ## load test of textsieve serve and a bare uvicorn; writes benchmarks/SERVE.md
	$(BIN)/python -m benchmarks.serve_load

serve-malformed: .venv/ready ## ten thousand malformed requests to textsieve serve
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt 'schemathesis>=4'
	$(BIN)/python -m benchmarks.serve_malformed rough
	$(BIN)/python -m benchmarks.serve_malformed

papers: .venv/ready      ## what five papers printed, measured again; writes docs/research/papers, goes on where it was
	$(BIN)/python -m studies ocfs testors tofa tcfp subspace -o docs/research/papers --results studies/results

docs: .venv/ready        ## the documentation, to site/index.html, which needs no server and no network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: .venv/ready    ## the pictures of the documentation and the page of the gallery, drawn again; needs Chromium
	$(BIN)/python docs/gallery/make_gallery.py
	$(BIN)/python -m docs.pictures.make_pictures

man: .venv/ready         ## the manual page, from the help of the commands: man/textsieve.1
	$(BIN)/python man/man_page.py

format: .venv/ready      ## put files into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:                   ## remove what was set up
	rm -rf .venv .venv-lowest site

help:                    ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1	/p' $(MAKEFILE_LIST) | expand -t 14

# One environment. The demo installs what it needs, the quick tests add theirs, and everything else needs all packages.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) -e '.[plots,serve,words,excel]'
	@touch $@

.venv/test: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) -e '.[test,plots,words,corpora,parquet,excel,serve]'
	@touch $@

.venv/ready: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) -e '.[dev]'
	@touch $@

# uv resolves to the lowest versions, which pip can't.
.venv-lowest/ready: pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e '.[all,test]'
	@touch $@
