"""What the rules of folds, gradients, columns and shapes refuse: the code, and an edit."""

from __future__ import annotations

from typing import Any

import pytest
from laws.helpers import RECORDS  # noqa: F401  (loads the registry)

from metricdp.expr import D, num, sym
from metricdp.record import REGISTRY, Arg, Body, Conclusion, Refusal, scalar_moves
from metricdp.spaces import Gradient, Matrix, Records, Scalar, Space, Vector

FLAT, DATA = Vector("Real", "L2", num(3)), Vector("Data", "LInf", num(3))
GRID = Matrix("Real", "L2", num(2), num(3))
GRAD = Gradient("Real", "L2", num(3))
ROWS = Records(Scalar("Data", kind="float"))
ADD = Body(Scalar("Real"), (scalar_moves(D), scalar_moves(D)))
ONE_ROW = Body(Scalar("Real"), ({("L2", ""): D},))
TO_DATA = Body(Scalar("Data"), (scalar_moves(num(1)), scalar_moves(num(1))))


def private(space: Space) -> Arg:
    return Arg(space, True, text="x")


def public(value: Any) -> Arg:
    number = num(value) if isinstance(value, int) else None
    return Arg(value=number, literal=value, text=str(value))


def function(body: Body | None) -> Arg:
    return Arg(body=body, text="f")


def apply(name: str, *args: Arg) -> Conclusion:
    return REGISTRY[name].rule(*args)


@pytest.mark.parametrize(
    ("code", "name", "args"),
    [
        ("unsupported-call", "fold", (function(ADD), public(0), private(ROWS))),
        ("unsupported-call", "fold", (function(ADD), private(FLAT), private(FLAT))),
        ("unsupported-call", "fold", (function(None), public(0), private(FLAT))),
        ("unsupported-call", "fold", (function(TO_DATA), public(0), private(DATA))),
        ("unsupported-call", "map_cols", (function(ONE_ROW), private(FLAT))),
        ("unsupported-call", "map_cols", (function(None), private(GRID))),
        ("unsupported-call", "map_rows2", (function(ADD), private(GRID), private(FLAT))),
        ("unsupported-call", "map2", (function(ADD), private(FLAT), private(GRID))),
        ("unsupported-call", "transpose", (private(FLAT),)),
        ("unsupported-call", "flatten", (private(FLAT),)),
        ("unsupported-call", "vec_to_row", (private(GRID),)),
        ("unsupported-call", "row_to_vec", (private(FLAT),)),
        ("private-index", "column", (private(GRID), private(Scalar("Int")))),
        ("private-index", "column", (private(GRID), Arg(text="unknown"))),
        ("unsupported-call", "zero_gradient", (private(FLAT),)),
        ("unsupported-call", "sum_gradients", (private(GRAD), private(FLAT))),
        ("unsupported-call", "subtract_gradient", (private(FLAT), private(GRAD))),
        ("unsupported-call", "scale_gradient", (public(2), private(FLAT))),
        ("size-mismatch", "sum_gradients",
         (private(GRAD), private(Gradient("Real", "L2", num(4))))),
        ("unsupported-call", "concat", (private(FLAT), public(1))),
        ("unsupported-call", "concat", ()),
        ("wrong-norm", "concat", (private(FLAT), private(DATA))),
        ("unsupported-call", "sort", (private(GRID),)),
        ("unsupported-call", "softmax", (private(DATA),)),
        ("unsupported-call", "logsumexp", (private(GRID),)),
        ("unsupported-call", "norm", (private(DATA),)),
        ("wrong-arguments", "norm", (private(GRID), public(2))),
        ("wrong-arguments", "norm", (private(FLAT), public("fro"))),
        ("wrong-arguments", "norm", (private(FLAT), Arg(value=sym("order"), text="order"))),
        ("wrong-arguments", "size", (private(GRID), Arg(value=sym("axis"), text="axis"))),
        ("wrong-arguments", "size", (private(FLAT), public(1))),
        ("private-length", "size", (private(ROWS),)),
    ],
)  # fmt: skip
def test_refused_with_a_remedy(code: str, name: str, args: tuple[Arg, ...]) -> None:
    with pytest.raises(Refusal) as caught:
        apply(name, *args)
    failure = caught.value.failure
    assert failure.code == code
    assert failure.fatal and failure.need and failure.help


@pytest.mark.parametrize(
    ("wanted", "name", "args"),
    [
        ("n == 1", "row_to_vec", (private(Matrix("Real", "L1", sym("n"), num(3))),)),
        ("n >= 1", "logsumexp", (private(Vector("Real", "L1", sym("n", nonneg=True))),)),
        ("j + 1 <= 3", "column", (private(GRID), Arg(value=sym("j")))),
        ("-j <= 3", "column", (private(GRID), Arg(value=sym("j")))),
        ("3 == m", "map2",
         (function(ADD), private(FLAT), private(Vector("Real", "L2", sym("m"))))),
    ],
)  # fmt: skip
def test_unknown_numbers_become_requirements(wanted: str, name: str, args: tuple[Arg, ...]) -> None:
    found = [f"{r.left} {r.op} {r.right}" for r in apply(name, *args).requires]
    assert wanted in found, found


def test_a_fold_of_a_function_without_a_factor_says_why() -> None:
    growing = Body(Scalar("Real"), (scalar_moves(D + 1), scalar_moves(D)))
    conclusion = apply("fold", function(growing), public(0), private(FLAT))
    assert conclusion.why_infinite is not None
    assert conclusion.why_infinite.code == "infinite-stability"
    assert all(g.is_infinite for g in conclusion.maps["xs"].values())


def test_reduce_puts_the_entries_first() -> None:
    reorder = REGISTRY["fold"].reorder
    assert reorder is not None
    assert reorder((function(ADD), private(FLAT), public(0))) == (0, 2, 1)
    assert reorder((function(ADD), public(0), private(FLAT))) is None
