# make report   the strategy report of La Cigale et la Fourmi (hiver) in fable-report/cigale
# make test     the test suite; test-slow, test-long: longer checks;
#               test-browser: reports in Chromium (installed by you)
# Both make .venv first; nothing but git, make and Python 3.11 or newer is needed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: report test test-slow test-long test-browser lint docs dev clean

report: $(VENV)/.installed
	$(BIN)/fable-solve cigale --mode hiver

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not slow and not long and not browser"

test-slow: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m slow

test-long: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m long

test-browser: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m browser

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/types && mkdir -p build/types/fable_solve
	ln -s ../../../cli ../../../reports ../../../seeds ../../../solver build/types/fable_solve/
	cd build/types && $(abspath $(BIN))/mypy --config-file ../../pyproject.toml -p fable_solve

dev: $(VENV)/.installed-dev

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test,dev]"
	touch $@ $(VENV)/.installed $(VENV)/.installed-test

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache

docs: $(VENV)/.installed-test
	$(BIN)/python docs/regenerate.py
