"""Expressions mean what plain fractions mean, and equal polynomials are equal objects."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from depth import depth
from expr_trees import SYMBOLS, build, environments, evaluate, trees
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metricdp.errors import ExpressionError
from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    absolute,
    ceil,
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


@settings(max_examples=depth(80, 240), deadline=None)
@given(trees(), environments())
def test_value_is_the_value_of_the_fractions(tree, env):
    try:
        wanted = evaluate(tree, env)
        expr = build(tree)
    except (ZeroDivisionError, ExpressionError):
        assume(False)
    try:
        got = expr.exact(env)
    except ExpressionError as error:
        # A quotient may be cancelled only towards more values, never towards fewer.
        assume("division by zero" not in str(error))
        raise
    assert got == wanted


@settings(max_examples=depth(60, 120), deadline=None)
@given(trees("+-*^", leaves=6), trees("+-*^", leaves=6), trees("+-*", leaves=4))
def test_ring_laws_are_equality(x, y, z):
    a, b, c = build(x), build(y), build(z)
    assert a + b == b + a
    assert a * b == b * a and hash(a * b) == hash(b * a)
    assert a * (b + c) == a * b + a * c
    assert (a + b) - b == a
    assert (a - a).is_zero


@settings(max_examples=depth(60, 120), deadline=None)
@given(trees(leaves=5), trees("+-*", leaves=4), environments())
def test_substitution_is_evaluation_at_the_value(x, y, env):
    try:
        outer, inner = build(x), build(y)
        value = evaluate(y, env)
        wanted = evaluate(x, {**env, "a": value})
        got = outer.subs({"a": inner}).exact(env)
    except (ZeroDivisionError, ExpressionError):
        assume(False)
    assert got == wanted


@settings(max_examples=depth(45, 90), deadline=None)
@given(trees("+-*", leaves=5), trees("+-*", leaves=4))
def test_exact_quotients_cancel(x, y):
    a, b = build(x), build(y)
    assume(not b.is_zero and len(b.terms) <= 8 and len((a * b).terms) <= 60)
    assert (a * b) / b == a


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        ((A + B) / (A + B), "1"),
        ((2 * A + 2 * B) / (A + B), "2"),
        (A / (A + B) + B / (A + B), "1"),
        ((A * A - B * B) / (A + B), "a - b"),
        (root(4), "2"),
        (root(8), "2*sqrt(2)"),
        (1 / root(2), "sqrt(2)/2"),
        (root(2) * root(3), "sqrt(6)"),
        (root(N) * root(N), "n"),
        (root(A + B) ** 2, "a + b"),
        (root(A * B) ** 2, "a*b"),
        ((A + B) / root(A + B), "sqrt(a + b)"),
        (root(A**2), "Abs(a)"),
        (root(27, 3), "3"),
        (absolute(-3 * A) * D, "3*Abs(a)*d_in"),
        (absolute(B - A), "Abs(a - b)"),
        (maximum(0, N), "n"),
        (maximum(A, B, A), "Max(a, b)"),
        (maximum(A * D, B * D), "Max(a, b)*d_in"),
        (minimum(1, D), "Min(1, d_in)"),
        (minimum(N, N + 1, INF), "n"),
        (maximum(N / (N + 1), 1), "1"),
        (floor(num("7/2")), "3"),
        (ceil(N + D / 2), "n + ceiling(d_in/2)"),
        (ceil(N + num("1/2")), "n + 1"),
        (ceil(root(2) * 5), "8"),
        (exp(EPS) * exp(-EPS), "1"),
        (exp(EPS / 2) ** 2, "exp(eps)"),
        (exp(log(EPS) / 2), "sqrt(eps)"),
        (log(exp(A + 2 * B)), "a + 2*b"),
        (tanh(ZERO), "0"),
        (power(num(2), N) * 2 / power(num(2), N), "2"),
        (power(num("1/2"), N) * power(num(2), N), "1"),
        (0 * INF, "0"),
        (INF * ZERO, "0"),
        (INF * N, "oo"),
        (INF * -2, "-oo"),
        (A / INF, "0"),
        (exp(-INF), "0"),
        (num(0.1) - Fraction(0.1), "0"),
        (num("0.1"), "1/10"),
    ],
)
def test_normal_form(expr, text):
    assert str(expr) == text


@pytest.mark.parametrize(
    ("body", "lo", "hi", "text"),
    [
        (A, 0, N - 1, "a*n"),
        (power(num(2), I), 0, N - 1, "2**n - 1"),
        (power(num(2), I), 0, 9, "1023"),
        (A * power(num(3), 2 * I), 0, 2, "91*a"),
        (power(S, I), 0, N - 1, "Sum(s**i, (i, 0, n - 1))"),
        (power(S, I), 0, 2, "s**2 + s + 1"),
        (I, 1, 100, "5050"),
        (I**2, 1, 4, "30"),
        (A, 3, 2, "0"),
        (INF, 0, N - 1, "oo"),
    ],
)
def test_sums(body, lo, hi, text):
    assert str(sum_over(body, "i", lo, hi)) == text


def test_the_variable_of_a_sum_is_bound():
    total = sum_over(power(S, I), "i", 0, N - 1)
    assert total.symbols == {"s", "n"}
    assert total.subs({"i": num(7)}) == total
    captured = total.subs({"s": I + 1})
    assert captured.exact({"i": 1, "n": 3}) == 1 + 2 + 4
    assert total.subs({"n": num(3)}).exact({"s": 2}) == 7


@settings(max_examples=depth(25, 50), deadline=None)
@given(st.fractions(-3, 3, max_denominator=4), st.integers(0, 8), st.integers(1, 8))
def test_geometric_sums_in_closed_form(ratio, first, count):
    assume(ratio != 0)
    closed = sum_over(power(num(ratio), I), "i", first, first + N - 1)
    assert closed.exact({"n": count}) == sum(ratio**i for i in range(first, first + count))


@pytest.mark.parametrize(
    "make",
    [
        lambda: INF - INF,
        lambda: INF / INF,
        lambda: A / 0,
        lambda: INF * A,
        lambda: root(-1),
        lambda: log(ZERO),
        lambda: num(float("nan")),
        lambda: num("one"),
        lambda: ZERO**-1,
        lambda: maximum(),
    ],
)
def test_what_has_no_value_is_a_typed_error(make):
    with pytest.raises(ExpressionError):
        make()


def test_an_expression_has_no_truth_value():
    with pytest.raises(TypeError, match="truth"):
        bool(A - A)


@pytest.mark.parametrize("expr", [A / (B + 1), root(A + B) * D, maximum(A, 2), INF, num("1/3")])
def test_copies_are_equal(expr):
    assert pickle.loads(pickle.dumps(expr)) == expr
    assert copy.deepcopy(expr) == expr


def test_equality_with_numbers_agrees_with_hashes():
    assert num(2) == 2 and hash(num(2)) == hash(2)
    assert num("1/2") == Fraction(1, 2) and hash(num("1/2")) == hash(Fraction(1, 2))
    assert ONE != A and {num(3): "x"}[N - N + 3] == "x"


def test_pickles_give_the_expression_back_here_and_in_another_process(tmp_path: Path) -> None:
    texts = ["sqrt(3)*d_in", "d_in + sqrt(2)", "Min(d_in + sqrt(3), sqrt(3)*ceiling(d_in))"]
    texts += ["d_in*eps*sqrt(5)/7", "tanh(d_in/4)*d_in/2"]
    items = [parse(text) for text in texts]
    assert pickle.loads(pickle.dumps(items)) == items
    file = tmp_path / "given"
    file.write_bytes(pickle.dumps(items))
    # There the atoms are made in another order.
    program = (
        "import pickle, sys; from metricdp.expr import parse\n"
        "apart = [parse(w) for w in ('sqrt(5)', 'sqrt(3)', 'eps', 'sqrt(2)', 'd_in')]\n"
        "read = pickle.loads(open(sys.argv[1], 'rb').read())\n"
        "assert read == [parse(text) for text in sys.argv[2:]], read\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file), *texts], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
