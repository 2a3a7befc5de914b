"""Dictionaries under `Keyed`: membership, distance, samples, moves and simplifications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

from metricdp.spaces.cells import (
    canonical,
    cell_contains,
    cell_extremes,
    move_cell,
    sample_cell,
    shrink_cell,
)
from metricdp.spaces.entries import norm_length
from metricdp.spaces.lengths import Length, rational, root_of
from metricdp.spaces.substitution import bound_value

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.keyed import Keyed


def contains_keyed(space: Keyed, value: Any) -> bool:
    """Whether the value is a dictionary of keys and nonzero values of their domains."""
    return isinstance(value, Mapping) and all(
        cell_contains(space.key, k) and cell_contains(space.value, v) and v != 0
        for k, v in value.items()
    )


def in_order(counts: Mapping[Any, Any]) -> dict[Any, Any]:
    """The nonzero entries sorted by key, numbers before text: the order says nothing."""
    present = [k for k, v in counts.items() if v]
    return {k: counts[k] for k in sorted(present, key=lambda k: (isinstance(k, str), k))}


def keyed_length(space: Keyed, x: Mapping[Any, Any], y: Mapping[Any, Any]) -> Length:
    """The norm of the differences over the union of the keys, absent ones counting 0."""
    left = {canonical(k): Fraction(v) for k, v in x.items()}
    right = {canonical(k): Fraction(v) for k, v in y.items()}
    zero = Fraction(0)
    gaps = [abs(left.get(k, zero) - right.get(k, zero)) for k in {**left, **right}]
    gaps = [gap for gap in gaps if gap]
    if space.norm == "L0":
        return rational(len(gaps))
    if space.norm not in ("L01Inf", "L02Inf"):
        return norm_length(space.norm, gaps)
    l0, middle, linf = (_share(space, i) for i in range(3))
    outer = max(len(gaps) / l0, max(gaps, default=zero) / linf)
    if space.norm == "L01Inf":
        return rational(max(outer, sum(gaps, zero) / middle))
    between = root_of(sum((gap * gap for gap in gaps), zero) / middle**2)
    return rational(outer) if between.at_most(outer) else between


def _share(space: Keyed, i: int) -> Fraction:
    found = bound_value(space.per[i], False)
    return Fraction(1) if found is None else found


def _key(space: Keyed, x: Mapping[Any, Any], rng: Random) -> Any:
    """A key: one that is there already, an extreme one, or any."""
    draw = rng.random()
    if x and draw < 0.4:
        return rng.choice(list(x))
    return rng.choice(cell_extremes(space.key)) if draw < 0.7 else sample_cell(space.key, rng)


def sample_keyed(space: Keyed, rng: Random, size_hint: int) -> dict[Any, Any]:
    """A few keys with values; values of 0 leave their key out."""
    drawn = {
        _key(space, {}, rng): sample_cell(space.value, rng)
        for _ in range(rng.randint(0, size_hint))
    }
    return {k: v for k, v in drawn.items() if v}


def extreme_keyed(space: Keyed) -> list[dict[Any, Any]]:
    """No key, one key at each extreme value, and all extreme keys at once."""
    keys = cell_extremes(space.key)
    values = [v for v in cell_extremes(space.value) if v]
    found: list[dict[Any, Any]] = [{}]
    found += [{keys[0]: v} for v in values]
    return found + [dict.fromkeys(keys, v) for v in values]


def move_keyed(
    space: Keyed, x: Mapping[Any, Any], d: int | Fraction, rng: Random
) -> dict[Any, Any]:
    """A dictionary at distance at most `d`: values moved step by step, keys appearing and going."""
    y = dict(x)
    steps = 0
    while steps < 12:
        steps += 1
        z = dict(y)
        k = _key(space, y, rng)
        old = z.get(k, 0)
        whole = space.value.element in ("Int", "Bool")
        step = rng.choice((1, max(1, floor(d)))) if whole else Fraction(d) / rng.choice((1, 2, 3))
        new = rng.choice((move_cell(space.value, old, step, rng), 0, old + step))
        if new:
            z[k] = new
        else:
            z.pop(k, None)
        if contains_keyed(space, z) and keyed_length(space, x, z).at_most(d):
            y = z
    return y


def shrink_keyed(space: Keyed, x: Mapping[Any, Any]) -> Iterator[dict[Any, Any]]:
    """One key fewer, then one value simpler, then one key simpler."""
    for k in x:
        yield {other: v for other, v in x.items() if other != k}
    for k, v in x.items():
        for simpler in shrink_cell(space.value, v):
            if simpler:
                yield {**x, k: simpler}
    for k in x:
        for key in shrink_cell(space.key, k):
            if key not in x:
                yield {(key if other == k else other): w for other, w in x.items()}
