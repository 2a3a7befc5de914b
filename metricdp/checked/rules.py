"""The primitives as names of `metricdp`: what `dp.clamp` is outside a checked function.

Inside a checked function the name is syntax: the compiled program calls the record.  Called
directly, a transformation computes its reference function on plain values, which protects nobody;
a mechanism refuses, because no bound was proved for its argument.
What `help` says of it stands in `metricdp.checked.manual`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.checked.manual import manual_of, signature_of
from metricdp.errors import NotProvedError
from metricdp.record import REGISTRY, Record


def primitive(record: Record) -> Callable[..., Any]:
    """A primitive as a function; its docstring is made of its record."""

    def called(*args: Any, **keywords: Any) -> Any:
        for given in (*args, *keywords.values()):
            for item in given if isinstance(given, list | tuple) else (given,):
                tracked = getattr(type(item), "__metricdp_apply__", None)
                if tracked is not None:  # a tracked value of a session
                    return tracked(item, record, args, keywords)
        if record.kind == "mechanism":
            raise NotProvedError(
                f"`{record.name}` was called outside a checked function, so no bound is proved",
                remedy="call it in a function decorated with @dp.measurement, "
                "or on a tracked value of a session",
            )
        return record.run(*args, **keywords)

    called.__name__ = called.__qualname__ = record.name
    called.__module__ = "metricdp"
    called.__doc__ = manual_of(record)
    called.__signature__ = signature_of(record)  # type: ignore[attr-defined]
    return called


def _table() -> dict[str, Record]:
    """Public and seed names of the primitives."""
    from metricdp.primitives import load

    load()
    names = {
        seed: record
        for record in REGISTRY.values()
        for seed in record.spelling.seed
        if seed.isidentifier()
    }
    return {**names, **{r.name: r for r in REGISTRY.values() if r.kind != "control"}}


def rule(name: str) -> Callable[..., Any] | None:
    """The primitive of a public or seed name, or None."""
    record = _table().get(name)
    return primitive(record) if record is not None else None


def rule_names() -> list[str]:
    """Every public name of a primitive."""
    return sorted(_table())
