"""The primitives as names of `metricdp`: what `dp.clamp` is outside a checked function.

Inside a checked function the name is syntax: the compiled program calls the record.  Called
directly, a transformation computes its reference function on plain values, which protects nobody;
a mechanism refuses, because no bound was proved for its argument.
"""

from __future__ import annotations

from typing import Any

from metricdp.errors import NotProvedError
from metricdp.record import REGISTRY, Record


class Rule:
    """A primitive by name; its docstring is the proof note."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.__name__ = record.name
        self.__doc__ = record.proof

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        for given in (*args, *keywords.values()):
            for item in given if isinstance(given, list | tuple) else (given,):
                tracked = getattr(type(item), "__metricdp_apply__", None)
                if tracked is not None:  # a tracked value of a session
                    return tracked(item, self.record, args, keywords)
        if self.record.kind == "mechanism":
            raise NotProvedError(
                f"`{self.record.name}` was called outside a checked function, "
                "so no bound is proved",
                remedy="call it in a function decorated with @dp.measurement, "
                "or on a tracked value of a session",
            )
        return self.record.run(*args, **keywords)

    def __repr__(self) -> str:
        return f"<rule {self.record.name}>"


def _table() -> dict[str, Record]:
    from metricdp.primitives import load

    load()
    names = {
        seed: record
        for record in REGISTRY.values()
        for seed in record.spelling.seed
        if seed.isidentifier()
    }
    return {**names, **{r.name: r for r in REGISTRY.values() if r.kind != "control"}}


def rule(name: str) -> Rule | None:
    """The primitive of a public or seed name, or None."""
    record = _table().get(name)
    return Rule(record) if record is not None else None


def rule_names() -> list[str]:
    """Every public name of a primitive."""
    return sorted(_table())
