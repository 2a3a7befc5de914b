"""Printed text: parses back to the same expression, and means the same to sympy."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from depth import depth
from expr_trees import SYMBOLS, build, trees
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metricdp.errors import ExpressionError
from metricdp.expr import (
    INF,
    D,
    absolute,
    ceil,
    compare,
    decimal_down,
    decimal_up,
    exp,
    floor,
    log,
    maximum,
    minimum,
    num,
    parse,
    power,
    root,
    sum_over,
    sym,
    tanh,
)

A, B, N, S = (SYMBOLS[name] for name in ("a", "b", "n", "s"))
EPS = sym("eps", positive=True)
I = sym("i", nonneg=True, integer=True)  # noqa: E741
NAMES = {**SYMBOLS, "eps": EPS}

SAMPLES = [
    2 * D,
    minimum(1, D),
    ceil(D / 2) * 3,
    floor(D) + 1,
    root(2) * A,
    root(6) * root(A + B) / 5,
    EPS / 2,
    absolute(A) * D,
    absolute(A - 2 * B) ** 3,
    exp(EPS) - 1,
    exp(-EPS / 2) / N,
    exp(A * B + 2) * exp(A),
    log(1 / EPS) / 2,
    log(EPS + 1) ** 2,
    tanh(EPS / 2) * D,
    D / (N * (A + 7)),
    1 / (A * B + A),
    (A + 9) ** 3,
    1 / (A + 9) ** 2,
    root(N) * D / N,
    power(S + 1, N) * D,
    power(num(2), -N),
    power(num("3/2"), N + 1),
    power(num(2), N / 2),
    sum_over(power(S, I), "i", 0, N - 1) * D,
    sum_over(power(S, I) / (I + 1), "i", 1, N),
    maximum(A * D, B, minimum(A, 2)),
    num("1/3"),
    num(-7),
    root(5, 3) / 2,
    root(A + 20, 3) ** -2,
    -A - B,
    1 - EPS,
    A**-2,
    power(num("2/3"), 2) * S ** num("3/2"),
]
POINT = {"a": 3, "b": 2, "k": -2, "n": 3, "s": Fraction(1, 3), "eps": Fraction(1, 2), "d_in": 5}


@pytest.mark.parametrize("expr", SAMPLES, ids=str)
def test_text_parses_to_the_same_expression(expr):
    assert parse(str(expr), NAMES) == expr


@pytest.mark.parametrize("expr", SAMPLES, ids=str)
def test_text_means_the_same_to_sympy(expr):
    names = {name: sympy.Symbol(name) for name in NAMES}
    oracle = sympy.parse_expr(str(expr), local_dict=names)
    values = {names[k]: sympy.Rational(v.numerator, v.denominator) for k, v in POINT.items()}
    value = oracle.subs(values).doit().evalf(40)
    low, high = expr.enclose(POINT, bits=200)
    slack = Fraction(1, 10**30)
    exact = Fraction(str(sympy.N(value, 40)))
    assert float(high - low) < 1e-40
    assert low - slack <= exact <= high + slack


@settings(max_examples=depth(100, 300), deadline=None)
@given(trees())
def test_random_text_round_trips(tree):
    try:
        expr = build(tree)
    except ExpressionError:
        assume(False)
    again = parse(str(expr), NAMES)
    # Sums of quotients cancel in the order they are added, so the two may differ in form.
    assert again == expr or compare(again, "==", expr) is True


def test_contract_spellings():
    assert str(2 * D) == "2*d_in"
    assert str(minimum(1, D)) == "Min(1, d_in)"
    assert str(ceil(D)) == "ceiling(d_in)"
    assert str(root(2) * A) == "sqrt(2)*a"
    assert str(EPS / 2) == "eps/2"
    assert str(absolute(A) * D) == "Abs(a)*d_in"
    assert str(INF) == "oo" and str(-INF) == "-oo"
    assert str(N * D / 2 + 1) == "n*d_in/2 + 1"
    assert parse("0.1*d_in") == D / 10
    assert parse("max(1, sqrt(n))", NAMES) == root(N)
    assert parse("oo") == INF and parse("-oo") == -INF


def test_huge_numbers_print_and_parse():
    huge = num(3) ** 20_000
    assert parse(str(huge)) == huge


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "2^3",
        "foo(x)",
        "x if y else z",
        "max()",
        "sqrt(1, 2)",
        "1/0",
        "a.b",
        "'x'",
        "True",
        "9**9**9",
        "1e999999999",
        "Sum(x, 3)",
        "max(*x)",
        "exp(x=1)",
        "(" * 500 + ")" * 500,
        "\x00",
    ],
)
def test_text_that_is_no_expression(text):
    with pytest.raises(ExpressionError):
        parse(text)


def test_errors_of_parsing_name_the_column():
    with pytest.raises(ExpressionError) as caught:
        parse("2 + foo(1)")
    assert caught.value.place == "column 5"


@given(st.fractions(), st.integers(1, 12))
def test_decimals_are_rounded_in_their_direction(value, digits):
    up, down = Fraction(decimal_up(value, digits)), Fraction(decimal_down(value, digits))
    assert down <= value <= up
    assert up - down <= abs(value) * Fraction(10) ** (1 - digits)


@pytest.mark.parametrize(
    ("value", "up"),
    [
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 3), "0.333334"),
        (Fraction(-1, 3), "-0.333333"),
        (Fraction(0), "0"),
        (1234567, "1234567"),
        (Fraction(1, 10**9), "1e-9"),
        (float("inf"), "oo"),
    ],
)
def test_decimals(value, up):
    assert decimal_up(value) == up
