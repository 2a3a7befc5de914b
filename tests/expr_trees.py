"""Random expressions with an independent meaning: nested tuples evaluated by plain fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from metricdp.expr import (
    Expr,
    absolute,
    ceil,
    floor,
    maximum,
    minimum,
    num,
    sym,
)

SYMBOLS = {
    "a": sym("a"),
    "b": sym("b"),
    "k": sym("k", integer=True),
    "n": sym("n", integer=True, positive=True),
    "s": sym("s", nonneg=True),
    "d_in": sym("d_in", nonneg=True),
}
Tree = tuple[Any, ...]

_SMALL = st.integers(-4, 4)
_NONNEG = st.one_of(st.just(Fraction(0)), st.fractions(0, 4, max_denominator=6))
_RATIONAL = st.fractions(-4, 4, max_denominator=6)


def environments() -> st.SearchStrategy[dict[str, Fraction]]:
    """Values that agree with the facts of SYMBOLS."""
    return st.fixed_dictionaries(
        {
            "a": _RATIONAL,
            "b": _RATIONAL,
            "k": _SMALL.map(Fraction),
            "n": st.integers(1, 5).map(Fraction),
            "s": _NONNEG,
            "d_in": _NONNEG,
        }
    )


def trees(operators: str = "+-*/mMafc^", leaves: int = 8) -> st.SearchStrategy[Tree]:
    """Trees over SYMBOLS; one character per operator (see `evaluate`)."""
    leaf = st.one_of(
        _RATIONAL.map(lambda q: ("num", q)),
        st.sampled_from(sorted(SYMBOLS)).map(lambda name: ("sym", name)),
    )

    def extend(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        options = []
        for op in operators:
            if op in "afc":
                options.append(st.tuples(st.just(op), inner))
            elif op == "^":
                options.append(st.tuples(st.just(op), inner, st.integers(0, 3)))
            else:
                options.append(st.tuples(st.just(op), inner, inner))
        return st.one_of(options)

    return st.recursive(leaf, extend, max_leaves=leaves)


def build(tree: Tree) -> Expr:
    """The expression of a tree; ExpressionError or ZeroDivisionError where it has none."""
    op, *rest = tree
    if op == "num":
        return num(rest[0])
    if op == "sym":
        return SYMBOLS[rest[0]]
    if op == "^":
        return build(rest[0]) ** rest[1]
    args = [build(arg) for arg in rest]
    if op == "/":
        return args[0] / args[1]
    return {
        "+": lambda: args[0] + args[1],
        "-": lambda: args[0] - args[1],
        "*": lambda: args[0] * args[1],
        "m": lambda: minimum(*args),
        "M": lambda: maximum(*args),
        "a": lambda: absolute(args[0]),
        "f": lambda: floor(args[0]),
        "c": lambda: ceil(args[0]),
    }[op]()


def evaluate(tree: Tree, env: dict[str, Fraction]) -> Fraction:
    """The value by fractions alone; ZeroDivisionError where a divisor is zero."""
    op, *rest = tree
    if op == "num":
        return Fraction(rest[0])
    if op == "sym":
        return env[rest[0]]
    if op == "^":
        return evaluate(rest[0], env) ** rest[1]
    args = [evaluate(arg, env) for arg in rest]
    if op == "/":
        return args[0] / args[1]
    return {
        "+": lambda: args[0] + args[1],
        "-": lambda: args[0] - args[1],
        "*": lambda: args[0] * args[1],
        "m": lambda: min(args),
        "M": lambda: max(args),
        "a": lambda: abs(args[0]),
        "f": lambda: Fraction(args[0].__floor__()),
        "c": lambda: Fraction(args[0].__ceil__()),
    }[op]()
