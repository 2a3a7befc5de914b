"""What enters a mechanism has the shape that was proved, whatever the data are."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.errors import InternalError
from metricdp.expr import Expr
from metricdp.families.family import Draw
from metricdp.measures.readings import leaves
from metricdp.values import Exact, NumberMatrix, Numbers


class Proved(msgspec.Struct, frozen=True):
    """The shape that was proved for one mechanism.

    Attributes:
        length: number of entries that it hides, where that is known.
        parts: of a tuple with vectors, the entries of each item, None for a number; or empty.
        axes: of an array with two axes or a matrix, their lengths; or empty.
    """

    length: int | None = None
    parts: tuple[int | None, ...] = ()
    axes: tuple[int, ...] = ()

    def filled(self, draw: Draw, value: Any) -> Any:
        """A sum over no rows is the number 0 that it started from: all entries of a vector."""
        if self.parts:
            return tuple(map(_of_length, value, self.parts))
        if self.axes and draw.norm:
            value = flat(value)
        return _of_length(value, self.length) if draw.norm else value

    def shaped(self, released: Any) -> Any:
        """What is released of an array with two axes, as one."""
        return released.reshape(self.axes) if self.axes else released

    def same_kind(self, draw: Draw, value: Any, name: str) -> None:
        """A bound on one number is no bound on several: what enters must be what was proved.

        Raises:
            InternalError: a container where a number was proved, or rows where numbers were.
        """
        if self.parts:
            same = all(map(_is_flat, value, [part is not None for part in self.parts]))
        else:
            same = _is_flat(value, bool(draw.norm))
        if not same:
            raise InternalError(
                f"the value at {draw.site} has another shape than the one that was proved",
                place=name,
            )


def proved_shapes(guarantee: FunctionGuarantee, env: Mapping[str, Fraction]) -> dict[str, Proved]:
    """Site of a mechanism -> the shape of what it hides, where that is known."""
    found: dict[str, Proved] = {}
    for leaf in leaves(guarantee.tree) if guarantee.tree is not None else ():
        length = _known(leaf.event.size, env)
        parts = [(part is not None, _known(part, env)) for part in leaf.event.parts]
        if any(vector and number is None for vector, number in parts):
            raise InternalError(f"{leaf.event.site}: a length is not known", place=guarantee.name)
        axes = tuple(n for each in leaf.event.shape if (n := _known(each, env)) is not None)
        if len(axes) < len(leaf.event.shape):
            raise InternalError(f"{leaf.event.site}: a length is not known", place=guarantee.name)
        if length is not None or parts:
            entries = tuple(number for _, number in parts)
            found[leaf.event.site] = Proved(length, entries, axes)
    return found


def flat(value: Any) -> Any:
    """The entries of an array or a matrix, row by row; of any other value, itself."""
    if isinstance(value, NumberMatrix):
        return value.flat
    if hasattr(value, "ravel"):
        return value.ravel()
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return [entry for row in value for entry in row]
    return value


def _known(size: Expr | None, env: Mapping[str, Fraction]) -> int | None:
    if size is None or not size.symbols <= env.keys():
        return None
    number = size.exact(env)
    return None if number is None else int(number)


def _of_length(value: Any, length: int | None) -> Any:
    if length is not None and isinstance(value, int | Fraction):
        return [Exact(value)] * length
    return value


def _is_flat(value: Any, vector: bool) -> bool:
    """Whether a value is one number, or (`vector`) a sequence of numbers."""
    if isinstance(value, Numbers):
        return vector
    several = isinstance(value, list | tuple) or hasattr(value, "__len__")
    flat = several and not any(hasattr(entry, "__len__") for entry in value)
    return several == vector and flat == vector
