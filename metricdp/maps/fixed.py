"""Objects that stay as they were made: what was proved of them is proved of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metricdp.errors import FrozenError


class Fixed:
    """Fields are set once, when the object is made."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(self, name):
            raise _frozen(self, name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise _frozen(self, name)


class FrozenMapping(Mapping[str, Any]):
    """A dictionary that cannot be changed, and that can be pickled."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._items == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMapping, (self._items,)


def kept(items: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same mapping, which nobody else can change; one that is worked out stays what it is."""
    return FrozenMapping(items) if isinstance(items, dict) else items


def _frozen(item: object, name: str) -> FrozenError:
    return FrozenError(
        f"`{name}` of a {type(item).__name__} is not changed: what was proved would not hold",
        place=type(item).__name__, remedy="make another one",
    )  # fmt: skip
