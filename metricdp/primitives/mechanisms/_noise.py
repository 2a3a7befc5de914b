"""What the noise-adding mechanisms share: argument, parameters, group privacy, vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.expr import ONE, ZERO, Expr, ceil, compare, exp, sum_over, sym
from metricdp.record import ONE_METRIC, RATIO, Arg, Refusal, Requirement, refuse
from metricdp.spaces import Gradient, Matrix, Scalar, Vector

#: An argument that was not given.
NONE = Arg(literal=None)


def real_argument(x: Arg, mechanism: str, norm: str) -> str:
    """The norm in which `x` enters: "" for a scalar, `norm` for a container over the reals.

    Raises:
        Refusal: public or released (noise on it would hide nothing), or no real numbers.
    """
    space = x.space
    if not x.private or space is None:
        raise public_argument(x, mechanism)
    if isinstance(space, Scalar) and space.element in ("Real", "Int", "Bool"):
        return ONE_METRIC
    if isinstance(space, (Vector, Gradient)) and space.element in ("Real", "Int", "Bool"):
        return norm
    bounded = f"dp.undisc(dp.clip({x.text}, dp.{norm}))"
    if isinstance(space, Matrix) and space.element != "Data":
        bounded = f"dp.flatten({x.text})"
    raise refuse(
        "wrong-norm",
        f"`{mechanism}` adds noise to real numbers, and {x.text} lies in {space}",
        need=f"a real number, or a vector over the reals (measured in {norm})",
        help=f"{bounded} before the noise",
    )


def public_argument(x: Arg, mechanism: str) -> Refusal:
    """The refusal of a public or released argument."""
    return refuse(
        "private-argument",
        f"`{mechanism}` hides a private value, and {x.text} is public",
        need="a private argument: a parameter annotated with a space such as dp.Records[float]",
        help="annotate the parameter that holds people's data, and compute this from it",
    )


def integer_argument(x: Arg, mechanism: str, norm: str) -> str:
    """Like `real_argument`, for integers only."""
    kind = real_argument(x, mechanism, norm)
    if getattr(x.space, "element", "") == "Real":
        raise refuse(
            "bad-noise",
            f"`{mechanism}` adds whole numbers, and {x.text} is any real number",
            need="an integer argument",
            help=f"dp.{mechanism}(dp.floor({x.text}), ...)",
        )
    return kind


def positive(value: Expr, code: str, text: str) -> tuple[Requirement, ...]:
    """The requirement value > 0."""
    return (Requirement(value, ">", ZERO, code, f"choose {text} > 0"),)


def below_one(value: Expr, code: str, text: str) -> tuple[Requirement, ...]:
    """The requirement value < 1."""
    return (Requirement(value, "<", ONE, code, f"choose {text} < 1"),)


def public_number(parameter: Arg, mechanism: str, name: str) -> Expr:
    """The value of a public parameter of the noise.

    Raises:
        Refusal: private, released, not given, no number that is known when checking, or a number
            that is not positive.
    """
    if parameter.value is None or parameter.private or parameter.released:
        released = (
            "private-argument"
            if parameter.private
            else "released-cost"
            if parameter.released
            else "bad-noise"
        )
        said = "no public number"
        if parameter is NONE:
            raise refuse(
                "bad-noise",
                f"`{mechanism}` is given no `{name}`, which says how much it hides",
                need=f"a public `{name}`",
                help=f"dp.{mechanism}(..., {name}=eps)",
            )
        if parameter.private:
            said = "private: how much noise there is would show the data that decide it"
        raise refuse(
            released,
            f"`{name}` of `{mechanism}` is {parameter.text}, which is {said}",
            need="a public number that does not depend on released values",
            help=f"pass a literal or a public parameter as `{name}`",
        )
    if compare(parameter.value, ">", ZERO) is False or parameter.value.is_infinite:
        raise refuse(
            "bad-noise",
            f"`{name}` of `{mechanism}` is {parameter.value}",
            need=f"a positive finite `{name}`",
            help=f"choose `{name}` > 0",
        )
    return parameter.value


def given(parameter: Arg) -> bool:
    """Whether the argument was passed: anything but the default None."""
    return parameter is not NONE and not (
        parameter.value is None
        and parameter.literal is None
        and parameter.space is None
        and not parameter.private
        and not parameter.released
        and parameter.text in ("_", "None")
    )


def group_delta(epsilon: Expr, delta: Expr) -> tuple[Expr, Expr]:
    """(epsilon, delta) of a mechanism that is calibrated to one BOUND, at RATIO times the bound.

    With K = ceil(RATIO), a movement of RATIO bounds is a path of K movements of at most one bound
    each, and group privacy gives (K epsilon, delta * sum_{i<K} e^(i epsilon)), which is
    delta (e^(K epsilon) - 1) / (e^epsilon - 1).  Exactly (epsilon, delta) at 0 < RATIO <= 1.
    """
    k = ceil(RATIO)
    step = sym("_step", nonneg=True, integer=True)
    return epsilon * k, delta * sum_over(exp(epsilon * step), "_step", ZERO, k - 1)


def around(x: Any, draw: Callable[[], int]) -> Any:
    """x plus one independent draw per entry; x is an integer or a list of integers."""
    if isinstance(x, (list, tuple)):
        return [entry + draw() for entry in x]
    return x + draw()


def entrywise(x: Any, draw: Callable[[Any], int]) -> Any:
    """The draw around every entry of x, a number or a list of numbers."""
    return [draw(entry) for entry in x] if isinstance(x, (list, tuple)) else draw(x)


def joint(x: Any, law: Callable[[Any], Any]) -> Any:
    """The law of independent noise on every entry of x."""
    if isinstance(x, (list, tuple)):
        from metricdp.laws import ProductLaw

        return ProductLaw(tuple(law(entry) for entry in x))
    return law(x)
