"""The builtins for gradients on public and released arrays: post-processing, and their shapes."""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.check.values import arrays
from metricdp.check.values.arrays import made, shape_of
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import Expr

#: Records that a run computes as NumPy does, where none of their arguments is private.
BUILTINS = frozenset({"zero_gradient", "scale_gradient", "sum_gradients", "subtract_gradient"})


def of_public(name: str, given: Mapping[str, Obj], origin: str) -> Value | None:
    """What is known of the result of a builtin for gradients; None where nothing is."""
    values = [value for value in given.values() if isinstance(value, Value) and not value.private]
    if name not in BUILTINS or len(values) < len(given) or not values:
        return None
    if name == "zero_gradient":
        shape = shape_of(values[0])
        return None if shape is None else made(origin, shape)
    if name == "scale_gradient":
        factor, gradient = values
        return arrays.binary("*", factor, gradient, origin)
    shapes = [shape_of(value) for value in values]
    numbers = {_entries(shape) for shape in shapes if shape is not None}
    if None in shapes or len(numbers) != 1 or shapes[0] is None:
        return None
    return made(origin, shapes[0])  # the others are read in its shape


def _entries(shape: arrays.Shape) -> Expr:
    return shape[0] if len(shape) == 1 else shape[0] * shape[1]
