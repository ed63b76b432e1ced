"""Formulas of packs that were made to leave their bounds: refused when they are read, or when
they are worked out.
"""

import pytest

from bot.rules.declared.compile_context import Setting
from bot.rules.declared.formula_functions import MOST_NUMBER, Senseless
from bot.rules.declared.formulas import Formulas
from bot.rules.errors import TableError, UserError
from bot.rules.tables.formula import LARGEST, SCOPE, compile_formula

NOT_READ = (
    "__builtins__",
    "len(__builtins__)",
    "9" * 1_900,
    "-" + "9" * 1_900,
    "1e400",
    "min(1, 1e400)",
    "1e13",
    "1 if a else 1e300",
    "(" * 500 + "1" + ")" * 500,
    "-" * 1_990 + "1",
    "not " * 490 + "1",
    "[" * 900 + "]" * 900,
    "a[" * 600 + "0" + "]" * 600,
    "min(" * 400 + "1" + ")" * 400,
    "1 if a else " * 150 + "1",
)
NOT_WORKED_OUT = (
    "1e12/1e-300/1e-300",
    "a/1e-300",
    "a//1e-300",
    "1e12 - -1e12",
    "1e12 + 1e12",
    "1e12 * 2",
    "a/0",
    "a//0",
    "a%0",
    "'a' - 'b'",
    "'a' / 2",
    "'a' * 9",
)


@pytest.mark.parametrize("source", NOT_READ, ids=lambda source: source[:20])
def test_what_no_formula_of_a_table_may_be_is_refused_when_it_is_read(source: str) -> None:
    try:
        formula = compile_formula(source, {"a"}, "table.yaml", bounded=True)
    except TableError:
        return
    assert -LARGEST <= formula({"a": 5}) <= LARGEST, "a deep one may be read where it has a value"


@pytest.mark.parametrize("source", NOT_WORKED_OUT)
def test_a_formula_of_a_table_that_comes_to_no_number_within_bounds_is_refused(source: str) -> None:
    formula = compile_formula(source, {"a"}, "table.yaml", bounded=True)
    with pytest.raises(UserError, match="has no value here"):
        formula({"a": 5})


@pytest.mark.parametrize("name", [name for name in SCOPE if name.startswith("_")])
def test_no_formula_names_what_is_pythons_own(name: str) -> None:
    with pytest.raises(TableError, match="names __builtins__"):
        compile_formula(name, {"a"}, "table.yaml")


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), 10**1_900])
def test_a_number_without_end_is_no_formula(number: float) -> None:
    with pytest.raises(TableError, match="larger than"):
        compile_formula(number, set(), "table.yaml")


@pytest.mark.parametrize("source", ["1/1e-300", "1//1e-300", "9/1e-9/1e-9", "1e9 * 2"])
def test_a_formula_of_a_step_that_grows_without_end_is_senseless(source: str) -> None:
    formula = Formulas(Setting("steps.yaml")).formula(source, {}, ())
    with pytest.raises(Senseless, match="gets too large"):
        formula.run({})


@pytest.mark.parametrize(
    "source", ["__builtins__", "1e400", "9" * 900, "(" * 300 + "1" + ")" * 300]
)
def test_what_no_formula_of_a_step_may_be_is_refused_when_it_is_read(source: str) -> None:
    try:
        formula = Formulas(Setting("steps.yaml")).formula(source, {}, ())
    except TableError:
        return
    assert abs(formula.run({})) <= MOST_NUMBER
