"""black_box: a call of a function whose body is not analysed.

Stability.  Equal arguments give equal results, when the function is deterministic and keeps no
state: that much is trusted, and printed.  Unequal arguments may give any two results.  Into a space
of diameter w under the declared metric the movement is therefore at most w: 1 for discrete scalars
and for (LInf, Data), n^(1/p) for n discrete entries under L_p, r c^(1/p) for a discrete matrix of
r rows and c columns (rows add up), the diameter of a bounded scalar; a constant in d_in.  From
discrete inputs distinct values are at distance 1 or more, so the constant 1 is 1-stable.
Otherwise infinite.  Tight: any function that tells two neighbours apart.
Precondition: the function sees nothing private but its arguments.
Source: rule for functions between discrete spaces (any f: D -> D is 1-stable).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, Expr, num
from metricdp.record import Arg, Conclusion, Failure, Instance, Moves, Witness, refuse
from metricdp.spaces import Gradient, Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES, norm_of

kind = "control"

READ = Arg(literal=True)
SINGLE = Arg(literal=False)


def rule(*xs: Arg, name: Arg, returns: Arg, read: Arg = READ, batched: Arg = SINGLE) -> Conclusion:
    """Any arguments, the name of the function, the declared space of its result, whether its source
    was read for effects, and whether it is called with many rows at once."""
    space = returns.space
    if space is None or type(space).__name__ == "Public":
        raise refuse(
            "not-a-space",
            f"`{name.literal}` returns no metric space",
            need="a metric space",
            help="@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(10)])",
        )
    widths = _widths(space)
    moves: Moves = {(i, o): w for i in ("", *NORM_NAMES) for o, w in widths.items()}
    why = None
    if any(width.is_infinite for width in widths.values()):
        why = Failure(
            "infinite-stability",
            f"nothing bounds how far the result of `{name.literal}` moves in {space}",
            need="a bound on the result, or the discrete metric",
            help=f"`{name.literal}` with returns=Annotated[dp.Vector[Data, LInf], dp.Size(10)], "
            "then dp.clip and dp.undisc",
        )
    trust = [f"{name.literal} is deterministic and keeps no state"]
    if read.literal is False:
        trust.append(f"the source of {name.literal} is not read")
    if batched.literal is True:
        trust.append(
            f"{name.literal} gives a row of a batch, bit for bit, what it gives it in any other"
        )
    return Conclusion(
        space,
        {str(i): moves for i, x in enumerate(xs) if x.private},
        combine="max",
        why_infinite=why,
        rests_on=tuple(trust),
    )


def _widths(space: Space) -> dict[str, Expr]:
    """Largest distance of two values, per norm that the space carries."""
    if isinstance(space, Scalar):
        if space.element in ("Data", "Bool"):
            return {"": ONE}
        endless = space.lo.is_infinite or space.hi.is_infinite
        return {"": INF if endless else space.hi - space.lo}
    if isinstance(space, Vector | Gradient) and space.element == "Data":
        assert space.size is not None
        return {space.norm: _entries(space.size, space.norm)}
    if isinstance(space, Matrix) and space.element == "Data":
        assert space.rows is not None and space.cols is not None
        return {space.norm: space.rows * _entries(space.cols, space.norm)}
    if isinstance(space, Vector | Gradient | Matrix):
        return dict.fromkeys(NORM_NAMES, INF)
    return {"": INF}


def _entries(count: Expr, norm: str) -> Expr:
    return norm_of(norm).of_ones(count)


def run(
    *xs: Any, name: Any = "", returns: Any = None, read: Any = True, batched: Any = False
) -> Any:
    """An example of a function without a formula: 1 where the arguments are not all 0."""
    return 1 if any(x != 0 for x in xs) else 0


def instances() -> Iterable[Instance]:
    yield Instance({"0": Scalar("Data", kind="int")}, {"returns": Scalar("Data", kind="int")})
    yield Instance({"0": Scalar("Int")}, {"returns": Scalar("Data", num(0), num(5), "int")})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """0 and 1, which the example tells apart."""
    return ({"0": 0}, {"0": 1}) if d == 1 else None
