"""Objects that run code of their own, and a place between a charge and its run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import metricdp as dp

#: Methods of a caller that ran.
SEEN: list[str] = []


def spied(base: type) -> type:
    """A subclass whose every operator tells that it was run, and answers with something large."""
    members: dict[str, Any] = {}
    for operator in (
        "add radd sub rsub mul rmul truediv rtruediv floordiv mod pow rpow neg abs float int index "
        "eq ne lt le gt ge hash bool repr str format round trunc floor ceil iter len getitem "
        "contains next array reduce reduce_ex copy deepcopy"
    ).split():
        dunder = f"__{operator}__"

        def told(self: Any, *args: Any, _name: str = dunder, **keywords: Any) -> Any:
            SEEN.append(_name)
            return bool(10**6) if _name == "__bool__" else 10**6

        members[dunder] = told
    for name in ("numerator", "denominator", "as_integer_ratio", "is_integer", "item", "keys"):
        members[name] = property(lambda self, _name=name: SEEN.append(_name))
    return type(f"Spied{base.__name__.title()}", (base,), members)


class Liar:
    """An object whose `__class__` says that it is an integer."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return int

    def __mul__(self, other: Any) -> Any:
        return 10**6


class Proxy:
    """An array, by protocol."""

    dtype, ndim, shape = np.dtype(float), 0, ()

    def __array__(self, *args: Any, **keywords: Any) -> Any:
        return np.array(0.001 if not SEEN else 1000.0)

    def item(self) -> float:
        SEEN.append("item")
        return 0.001 * len(SEEN)

    def __array_ufunc__(self, *args: Any, **keywords: Any) -> Any:
        return 10**6


class Growing(list[float]):
    """It extends itself when it is shown or iterated over."""

    def __repr__(self) -> str:
        self.extend([1.0] * 90)
        return "[]"

    def __iter__(self) -> Any:
        self.extend([1.0] * 90)
        return super().__iter__()


class Evil:
    """No number, and an answer to every operator."""

    def __call__(self, *args: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


for _name in "add radd sub rsub mul rmul truediv rtruediv lt le gt ge eq float int index".split():
    setattr(Evil, f"__{_name}__", lambda self, *args: 10**6)
Evil.__hash__ = lambda self: 1  # type: ignore[method-assign, assignment]


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test plant a defect on the path of a draw, which would be refused at once: the nets
    behind the comparison are to see it."""
    from metricdp.checked.path import DrawPath, columns_path, library_path, the_path

    the_path(), columns_path(), library_path()
    monkeypatch.setattr(DrawPath, "verify", lambda self: None)


def open_session(**budget: Any) -> dp.Session:
    data = {"rows": (dp.Records[float], [1.0, 2.0, 3.0])}
    return dp.Session(data, budget=dp.Budget(**budget))


def between(session: dp.Session, action: Callable[[], Any]) -> None:
    """Run an action where another thread could: after the spend, before the run."""
    spend = session.ledger.spend

    def spent(*args: Any, **keywords: Any) -> Any:
        row = spend(*args, **keywords)
        action()
        return row

    session.ledger.spend = spent  # type: ignore[method-assign]
