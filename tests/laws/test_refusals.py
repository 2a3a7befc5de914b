"""What rules refuse, with the code of the diagnostic and an edit that mends it; unknown sizes and
bounds become requirements."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from laws.helpers import RECORDS  # noqa: F401  (loads the registry)

from metricdp.expr import num, sym
from metricdp.record import REGISTRY, Arg, Conclusion, Refusal
from metricdp.spaces import Matrix, Records, Scalar, Space, Vector

REAL, INT = Scalar("Real"), Scalar("Int")
TEXT = Records(Scalar("Data", kind="str"))
ROWS = Records(Scalar("Data", kind="float"))
FLAT = Vector("Real", "L2", num(3))
GRID = Matrix("Real", "L2", num(2), num(3))


def private(space: Space) -> Arg:
    return Arg(space, True, text="x")


def public(value: Any) -> Arg:
    number = num(value) if isinstance(value, (int, Fraction)) else None
    return Arg(value=number, literal=value, text=str(value))


def apply(name: str, *args: Arg) -> Conclusion:
    return REGISTRY[name].rule(*args)


@pytest.mark.parametrize(
    ("code", "name", "args"),
    [
        ("size-mismatch", "add", (private(FLAT), private(Vector("Real", "L2", num(4))))),
        ("size-mismatch", "sub", (private(FLAT), private(GRID))),
        ("size-mismatch", "dot", (private(FLAT), public((1, 2)))),
        ("unsupported-call", "add", (private(ROWS), public(1))),
        ("unsupported-call", "mul", (private(Scalar("Data", kind="str")), public(2))),
        ("reversed-bounds", "clamp", (private(REAL), public(20), public(0))),
        ("reversed-bounds", "clamp", (private(ROWS), public(20), public(0))),
        ("reversed-bounds", "clipn", (private(REAL), public(0), public(20))),
        ("unsupported-call", "clamp", (private(TEXT), public(0), public(20))),
        ("private-argument", "clamp", (private(ROWS), private(REAL), public(20))),
        ("unsupported-call", "len", (private(REAL),)),
        ("unsupported-call", "index", (private(ROWS), public(0))),
        ("private-index", "index", (private(FLAT), private(REAL))),
        ("unsupported-call", "max", (private(FLAT), private(FLAT))),
        ("unsupported-call", "max", (private(ROWS),)),
        ("unsupported-call", "power", (private(REAL), public(Fraction(1, 2)))),
        ("private-divisor", "floordiv", (private(INT), private(INT))),
        ("unsupported-call", "clip", (private(INT), public("L2"))),
        ("private-argument", "clip", (private(FLAT), public("L2"), private(REAL))),
        ("wrong-arguments", "clip", (private(FLAT), public("L3"))),
        ("wrong-arguments", "norm_convert", (private(FLAT), public(2))),
        ("unsupported-call", "undisc", (private(ROWS),)),
        ("unsupported-call", "logical_not", (private(INT),)),
    ],
)
def test_refused_with_a_remedy(code: str, name: str, args: tuple[Arg, ...]) -> None:
    with pytest.raises(Refusal) as caught:
        apply(name, *args)
    failure = caught.value.failure
    assert failure.code == code
    assert failure.fatal and failure.need and failure.help


def test_the_code_of_every_refusal_is_in_the_catalogue() -> None:
    from metricdp.diagnostics.catalogue import CATALOGUE

    for code in ("size-mismatch", "reversed-bounds", "private-length", "private-index"):
        assert code in CATALOGUE


@pytest.mark.parametrize(
    ("code", "name", "args"),
    [
        ("unbounded-product", "mul", (private(REAL), private(REAL))),
        ("unbounded-product", "power", (private(REAL), public(2))),
        ("private-divisor", "div", (public(1), private(REAL))),
        ("private-divisor", "div", (public(1), private(Scalar("Real", num(-1), num(1))))),
        ("real-comparison", "lt", (private(REAL), public(0))),
        ("real-discretised", "discrete", (private(FLAT),)),
        ("unbounded-undisc", "undisc", (private(Vector("Data", "LInf", num(3))),)),
        ("private-index", "index", (private(FLAT), private(INT))),
    ],
)
def test_infinite_with_a_reason(code: str, name: str, args: tuple[Arg, ...]) -> None:
    conclusion = apply(name, *args)
    assert conclusion.why_infinite is not None and conclusion.why_infinite.code == code


@pytest.mark.parametrize(
    ("wanted", "name", "args"),
    [
        (
            "n == m",
            "add",
            (private(Vector("Real", "L1", sym("n"))), private(Vector("Real", "L1", sym("m")))),
        ),
        ("a <= b", "clamp", (private(REAL), Arg(value=sym("a")), Arg(value=sym("b")))),
        ("c != 0", "div", (private(REAL), Arg(value=sym("c")))),
        ("r > 0", "clip", (private(FLAT), public("L2"), Arg(value=sym("r")))),
        ("n >= 1", "max", (private(Vector("Real", "L1", sym("n"))),)),
        ("i < n", "index", (private(Vector("Real", "L1", sym("n"))), Arg(value=sym("i")))),
    ],
)
def test_unknown_numbers_become_requirements(wanted: str, name: str, args: tuple[Arg, ...]) -> None:
    found = [f"{r.left} {r.op} {r.right}" for r in apply(name, *args).requires]
    assert wanted in found


def test_seed_order_of_clip_and_norm_convert() -> None:
    for name in ("clip", "norm_convert"):
        reorder = REGISTRY[name].reorder
        assert reorder is not None
        assert reorder((public("L2"), private(FLAT))) == (1, 0)
        assert reorder((private(FLAT), public("L2"))) is None
