"""`@dp.measurement`, `@dp.transformation`, `@dp.black_box`.

The claims in a decorator are read from its syntax by check; at run time a decorator only wraps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from metricdp.checked.function import CheckedFunction
from metricdp.run.release import Release

P = ParamSpec("P")
R = TypeVar("R")


@overload
def measurement(function: Callable[P, R], /) -> CheckedFunction[P, Release[R]]: ...
@overload
def measurement(
    *,
    epsilon: str | float | None = None,
    delta: str | float | None = None,
    rho: str | float | None = None,
    slack: str | float | None = None,
) -> Callable[[Callable[P, R]], CheckedFunction[P, Release[R]]]: ...
def measurement(
    function: Callable[..., Any] | None = None,
    /,
    *,
    epsilon: str | float | None = None,
    delta: str | float | None = None,
    rho: str | float | None = None,
    slack: str | float | None = None,
) -> Any:
    """A function whose result is released.

    Args:
        epsilon, delta, rho: claims, as expressions in the public parameters; each is proved,
            rejected or refuted.
        slack: delta that is given up for advanced composition, as such an expression.
    """
    return _wrapped(function, "measurement")


@overload
def transformation(function: Callable[P, R], /) -> CheckedFunction[P, R]: ...
@overload
def transformation(
    *, stability: str | float | None = None
) -> Callable[[Callable[P, R]], CheckedFunction[P, R]]: ...
def transformation(
    function: Callable[..., Any] | None = None, /, *, stability: str | float | None = None
) -> Any:
    """A function whose result is still private.

    Args:
        stability: claim: a map in d_in that bounds how far the result moves.
    """
    return _wrapped(function, "transformation")


@overload
def black_box(
    function: Callable[P, R],
    /,
    *,
    returns: Any = None,
    default: float | str | None = None,
    batched: bool = False,
) -> CheckedFunction[P, R]: ...
@overload
def black_box(
    *,
    returns: Any = None,
    default: float | str | None = None,
    batched: bool = False,
) -> Callable[[Callable[P, R]], CheckedFunction[P, R]]: ...
def black_box(
    function: Callable[..., Any] | None = None,
    /,
    *,
    returns: Any = None,
    default: float | str | None = None,
    batched: bool = False,
) -> Any:
    """A function whose body is not analysed: a decorator, or a call on any callable.

    At run time each call runs a fresh copy of the callable on copies of its arguments.

    Args:
        returns: space of the result: a scalar, a vector, a gradient or a matrix, whose sizes are
            numbers or public parameters of the checked function that calls it.
        default: public value of every entry where the box fails or its result does not fit; 0, or
            the empty text.  It is moved into the bounds of the space.
        batched: it is called with an array of many rows as its first argument, of shape (rows,) for
            numbers or (rows, width) for vectors, and returns an array with one result per row.
            That it treats every row by itself is trusted, and printed under "rests on"; other
            arguments are public.  A batch that fails is repeated in smaller ones, so that only rows
            that fail by themselves get the default.
    """
    return _wrapped(function, "black_box")


def _wrapped(function: Callable[..., Any] | None, kind: str) -> Any:
    if function is not None:
        return CheckedFunction(function, kind)
    return lambda wrapped: CheckedFunction(wrapped, kind)
