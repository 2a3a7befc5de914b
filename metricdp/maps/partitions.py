"""Parallel composition: one measurement per part of a table, parts by a public function of a row.

A row added or removed moves one part by one row, so the distances of the parts add up to at most d;
a replaced row leaves one part and enters another, or the same: 2d.  Each part pays at its own
distance; under a bound that is linear or quadratic in it the worst is that one part has all of it
(McSherry 2009, Theorem 4; Kifer and Machanavajjhala 2011, section 2, for the factor 2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import num
from metricdp.laws.mixture import ProductLaw
from metricdp.maps.composition import common_space
from metricdp.maps.costs import SOURCE, Readings, renamed
from metricdp.maps.functions import Enter, Leave
from metricdp.maps.measurement import Measurement
from metricdp.maps.steps import ASSUMED, PROVED, MapStep, Reliance, Vouched
from metricdp.measures.events import Choice, Parallel, Tree
from metricdp.plain import plain
from metricdp.spaces import Records

PART = "part"


def partitioned(
    space: Records,
    by: int | Callable[[Any], Any] | None,
    keys: Sequence[Any],
    measurements: Measurement | Sequence[Measurement],
) -> Measurement:
    """One release per key, each about the rows with that key.

    Args:
        space: of the table.
        by: the key of a row: a function of the row alone, the position of a field, or None for the
            row itself.  Rows with another key, or on which the function fails, are in no part.
        keys: public, all different.
        measurements: one for all parts, or one per key; of tables of such rows under Symmetric.

    Returns:
        A measurement whose release is a dictionary {key: release}.

    Raises:
        ParameterError: no keys, a key twice, or another number of measurements than keys.
        SpaceError: measurements of other tables, or without a composition tree.
    """
    names = tuple(plain(list(keys), "keys"))
    if not names or len(names) != _different(names):
        raise ParameterError(
            "keys are public and all different", place="keys", remedy="keys=('a', 'b')"
        )
    one = isinstance(measurements, Measurement)
    parts: tuple[Measurement, ...] = (
        (measurements,) * len(names) if isinstance(measurements, Measurement) else (*measurements,)
    )
    if len(parts) != len(names):
        raise ParameterError(
            f"{len(parts)} measurements and {len(names)} keys", place="partitioned",
            remedy="give one measurement, or one per key",
        )  # fmt: skip
    base = common_space(parts, "partitioned")
    wanted = msgspec.structs.replace(space, metric=space.row_metric.of_parts(), size=None)
    if base != wanted or any(part.tree is None for part in parts):
        raise SpaceError(
            f"a part is {wanted.describe()} whose number of rows is private, and "
            f"{parts[0].name} takes {base.describe()}",
            place="partitioned",
            remedy="build it from constructors, on rows added or removed",
        )
    trees: list[Tree] = []
    for part in parts[:1] if one else parts:
        assert part.tree is not None
        trees.append(part.tree)
    body, row = renamed(trees[0] if one else Choice(tuple(trees)), SOURCE, PART)
    factor = space.row_metric.moved()
    tree = Parallel(body, row, SOURCE, factor=factor, whole=True, count=num(len(names)))
    rests = tuple(dict.fromkeys(r for part in set(parts) for r in part.rests_on))
    if callable(by):
        rests = (*rests, Reliance(ASSUMED, "the key of a row is a function of that row alone"))
    name = f"partitioned({', '.join(dict.fromkeys(part.name for part in parts))})"
    step = MapStep(
        name, space, None, costs=Readings(tree), arguments={"keys": names},
        reason="a row is in one part, so distances of parts add up to that of the table",
        rests_on=(*rests, Reliance(PROVED, "parallel composition")),
    )  # fmt: skip
    return Measurement(
        space, OnParts(space, by, names, parts), name=name, tree=tree, steps=Vouched((step,)),
        enter=Enter(space),
    )  # fmt: skip


def _different(names: Sequence[Any]) -> int:
    try:
        return len(set(names))
    except TypeError:  # nothing is looked up by a list
        return -1


class OnParts(msgspec.Struct, frozen=True):
    """Rows by key, and one release per key."""

    space: Records
    by: Any
    keys: tuple[Any, ...]
    measurements: tuple[Measurement, ...]

    def __call__(self, rows: Any) -> dict[Any, Any]:
        parts = self._parts(rows)
        return {
            key: measurement(parts[key])
            for key, measurement in zip(self.keys, self.measurements, strict=True)
        }

    def law(self, rows: Any) -> ProductLaw:
        """The joint law of the releases, in the order of the keys: independent parts."""
        parts = self._parts(rows)
        pairs = zip(self.keys, self.measurements, strict=True)
        return ProductLaw(tuple(measurement.law(parts[key]) for key, measurement in pairs))

    def _parts(self, rows: Any) -> dict[Any, list[Any]]:
        parts: dict[Any, list[Any]] = {key: [] for key in self.keys}
        for row in Leave(self.space)(rows):
            part = parts.get(self._key(row))
            if part is not None:
                part.append(row)
        return parts

    def _key(self, row: Any) -> Any:
        # A key that fails, or that nothing can be looked up by, would otherwise show a row.
        try:
            key = row if self.by is None else row[self.by] if self._position else self.by(row)
            hash(key)
        except Exception:
            return None if None not in self.keys else _NOWHERE
        return key

    @property
    def _position(self) -> bool:
        return not callable(self.by)


_NOWHERE = object()
