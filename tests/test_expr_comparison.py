"""Comparison and signs: certain answers are never wrong, and the usual facts are found."""

from __future__ import annotations

import operator
from fractions import Fraction

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
    Relation,
    absolute,
    best,
    bounds,
    ceil,
    compare,
    exp,
    floor,
    maximum,
    minimum,
    num,
    power,
    root,
    sym,
)

A, B, K, N, S = (SYMBOLS[name] for name in ("a", "b", "k", "n", "s"))
EPS = sym("eps", positive=True)
OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@settings(max_examples=depth(80, 240), deadline=None)
@given(trees(leaves=5), trees(leaves=5), st.sampled_from(sorted(OPERATORS)), environments())
def test_certain_answers_hold_at_every_point(x, y, op, env):
    try:
        left, right = build(x), build(y)
        truth = OPERATORS[op](evaluate(x, env), evaluate(y, env))
        left.enclose(env), right.enclose(env)
    except (ZeroDivisionError, ExpressionError):
        assume(False)
    answer = compare(left, op, right)
    assert answer is None or answer is truth
    assert Relation(left, op, right).holds(env) is truth


@settings(max_examples=depth(100, 300), deadline=None)
@given(trees(leaves=6), environments())
def test_signs_and_integrality_hold_at_every_point(tree, env):
    try:
        expr, value = build(tree), evaluate(tree, env)
        expr.enclose(env)
    except (ZeroDivisionError, ExpressionError):
        assume(False)
    allowed = {"+": (1,), "-": (-1,), "0": (0,), ">=0": (0, 1), "<=0": (-1, 0), None: (-1, 0, 1)}
    assert (value > 0) - (value < 0) in allowed[expr.sign()]
    whole = expr.is_integer()
    assert whole is None or whole is (value.denominator == 1)


@pytest.mark.parametrize(
    ("expr", "sign"),
    [
        (S + D, ">=0"),
        (S + EPS, "+"),
        (S * EPS, ">=0"),
        (-S - D, "<=0"),
        (-N, "-"),
        (N - N, "0"),
        (N - 1, ">=0"),
        (K - 1, None),
        (K**2, ">=0"),
        (EPS - S, None),
        (maximum(A, EPS), "+"),
        (minimum(A, -EPS), "-"),
        (maximum(A, S), ">=0"),
        (minimum(S, EPS), ">=0"),
        (root(2) - num("1.5"), "-"),
        (INF, "+"),
    ],
)
def test_known_signs(expr, sign):
    assert expr.sign() == sign


@pytest.mark.parametrize(
    ("left", "op", "right", "answer"),
    [
        (root(N), "<=", N, True),
        (1 / N, "<=", ONE, True),
        (N * N, ">=", N, True),
        (root(2), "<", num("1.5"), True),
        (root(2) + root(3), ">", root(9), True),
        (minimum(1, D), "<=", D, True),
        (maximum(A, B), ">=", A, True),
        (S * minimum(1, D), "<=", S * D, True),
        (absolute(A), ">=", A, True),
        (absolute(A + B), "<=", absolute(A) + absolute(B), True),
        (ceil(D), ">=", D, True),
        (floor(D), "<=", D, True),
        (ceil(D), "<", D + 1, None),
        (root(S + EPS), "<=", root(S) + root(EPS), True),
        (A / (A + B), "==", 1 - B / (A + B), True),
        (exp(EPS), ">", ONE, True),
        (power(num(2), N) - 1, ">", ZERO, None),
        (N, "!=", num("0.5"), True),
        (N, ">=", ONE, True),
        (N, "<", ONE, False),
        (EPS, ">", ZERO, True),
        (EPS, "<", ONE, None),
        (A, "==", A, True),
        (A, "<", A, False),
        (A, "<", B, None),
        (S, ">", ZERO, None),
        (N, "<", INF, True),
        (INF, "<=", INF, True),
        (INF, "<=", N, False),
    ],
)
def test_answers(left, op, right, answer):
    assert compare(left, op, right) is answer


def test_an_unknown_operator_is_refused():
    with pytest.raises(ValueError, match="no comparison"):
        compare(A, "=<", B)
    with pytest.raises(ValueError, match="no comparison"):
        Relation(A, "is", B)


def test_relations_print_and_decide():
    relation = Relation(EPS, ">", ZERO)
    assert str(relation) == "eps > 0" and relation.verdict is True
    assert relation == Relation(EPS, ">", ZERO) and len({relation, relation}) == 1
    assert Relation(EPS, "<", ONE).holds({"eps": 0.5})
    assert not Relation(EPS, "<", ONE).holds({"eps": 1})
    assert Relation(root(N) * root(K), "==", num(2)).holds({"n": 2, "k": 2})
    assert Relation(root(N), "<", num("1.41421356237309504880168873")).holds({"n": 2})
    assert not Relation(exp(ONE), "==", num("2.718281828459045235360287471352")).holds({})
    with pytest.raises(ExpressionError, match="eps"):
        relation.holds({})


def test_best_takes_the_least_of_sound_bounds():
    assert best([N * D, root(N) * D]) == root(N) * D
    assert best([INF, 2 * D]) == 2 * D
    assert best([]) == INF
    assert best([N * D, EPS * D]) == minimum(N, EPS) * D
    assert best([D + 1, 2 * D]) == minimum(D + 1, 2 * D)
    assert best([N, num(100)]) == minimum(N, 100)  # beyond the sizes that are tried first
    assert best([A * D, B * D]) == minimum(A, B) * D


@settings(max_examples=depth(50, 100), deadline=None)
@given(st.lists(trees("+*mM", leaves=4), min_size=1, max_size=3), environments())
def test_best_is_one_of_the_bounds_or_their_minimum(options, env):
    exprs = [build(tree) for tree in options]
    chosen = best(exprs).exact(env)
    values = [evaluate(tree, env) for tree in options]
    # Any option is a bound; what must never happen is a value below all of them.
    assert min(values) <= chosen <= max(values)
    assert isinstance(chosen, Fraction)


def test_large_sizes_stand_in_no_power() -> None:
    """A constant is the smaller one of many keys; what grows as a power is not asked there."""
    (name,) = N.symbols
    for options, most in (((N, num(100)), 10**6), ((power(num(2), N), N * N), 7)):
        assert max(point[name] for point in bounds._points(options)) == most
