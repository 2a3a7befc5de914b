"""No private data are passed as a public argument, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import Any

import msgspec

from metricdp.columns.chunked import Chunked
from metricdp.columns.texts import Texts
from metricdp.errors import SchemaError, SpaceError
from metricdp.run.entering.gaps import Gaps
from metricdp.run.entering.sequences import column, is_column, is_frame, labelled, labels


def refuse_shared(private: Mapping[str, Any], public: Mapping[str, Any]) -> None:
    """Refuse data passed as private and as public argument: a public value may not be private data.

    Args:
        private, public: parameter -> raw argument.

    Raises:
        SpaceError: one object, or memory of one array, in both.
    """
    held = {other: value for other, value in public.items() if type(value) not in _SCALARS}
    shown = {other: _buffers(value) for other, value in held.items()}
    every = _Buffers()
    for each in shown.values():
        every.objects |= each.objects
        every.arrays += each.arrays
    if not every.objects and not every.arrays:
        return
    for name, value in private.items():
        if not _meets(value, every):
            continue
        for other, each in shown.items():
            if _meets(value, each):
                raise SpaceError(
                    f"the data of {name} are also passed as the public argument {other}",
                    place=other,
                    remedy="public parameters do not come from the data: pass a public value",
                )


_SCALARS = frozenset({bool, float, int, str, NoneType})


class _Buffers(msgspec.Struct):
    """Identities of the containers in an argument, and its arrays; scalars may be shared."""

    objects: set[int] = msgspec.field(default_factory=set)
    arrays: list[Any] = msgspec.field(default_factory=list)


def _buffers(value: Any) -> _Buffers:
    """What a public argument holds."""
    found = _Buffers()
    pending = [value]
    while pending:
        item = pending.pop()
        arrays = _arrays(item)
        if arrays is not None:
            found.arrays += arrays
            found.objects.add(id(item))
        elif parts := _parts(item):
            found.objects.add(id(item))
            pending += _containers(parts)
    return found


def _meets(value: Any, public: _Buffers) -> bool:
    """Whether a private argument holds a container or memory of a public one."""
    pending = [value]
    while pending:
        item = pending.pop()
        if id(item) in public.objects:
            return True
        parts = _parts(item)
        if parts is not None:
            if not public.objects.isdisjoint(map(id, parts)):
                return True
            pending += _containers(parts)
        elif public.arrays:
            arrays = _arrays(item) or []
            if any(_shared(a, b) for a in arrays for b in public.arrays):
                return True
    return False


def _parts(item: Any) -> list[Any] | None:
    """What a container holds, read by its builtin class: one of the caller's could run code."""
    kind = type(item)
    if issubclass(kind, list):
        return list.copy(item)
    if issubclass(kind, tuple):
        return list(tuple.__getitem__(item, slice(None)))
    if issubclass(kind, dict):
        return list(dict.values(item))
    return list(frozenset(item)) if issubclass(kind, set | frozenset) else None


def _containers(parts: list[Any]) -> list[Any]:
    """The containers among these; none where they are rows that hold scalars only."""
    kinds = set(map(type, parts))
    if kinds <= {tuple, list} and set(map(type, chain.from_iterable(parts))) <= _SCALARS:
        return []
    if kinds == {dict}:
        cells = chain.from_iterable(map(dict.values, parts))
        if set(map(type, cells)) <= _SCALARS:
            return []
    return [] if kinds <= _SCALARS else [part for part in parts if hasattr(part, "__len__")]


def _arrays(item: Any) -> list[Any] | None:
    """The arrays of an array, a column or a data frame, where they lie; None of anything else."""
    if is_frame(item):
        names = labels(item) or []
        return [array for label in names for array in _lying(item, label, names)]
    if is_column(item):
        return _lying(item)
    if hasattr(item, "dtype") and hasattr(item, "ndim") and item.ndim:
        return [item]
    return None


def _lying(item: Any, label: Any = None, names: Sequence[Any] = ()) -> list[Any]:
    try:
        found = column("", item) if label is None else labelled("", item, label, names)
    except SchemaError:  # no column that a program could be given
        return []
    found = found.values if isinstance(found, Gaps) else found
    if isinstance(found, list | Texts):
        return []
    return found.parts if isinstance(found, Chunked) else [found]


def _shared(a: Any, b: Any) -> bool:
    import numpy as np

    try:
        return bool(np.shares_memory(a, b))
    except TypeError:  # an array type of another library
        return a is b
