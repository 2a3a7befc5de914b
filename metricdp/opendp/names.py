"""Names of constructors as attributes of modules: `make_clamp`, `then_clamp`, made on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.opendp.constructor import CONSTRUCTORS, make_function, then_function

#: Constructors of OpenDP that are not there, and why.
NOT_YET: dict[str, str] = {}
_MADE: dict[str, Any] = {}


def found(name: str, group: str = "") -> Any:
    """The function of a name, or None."""
    for prefix, function in (("make_", make_function), ("then_", then_function)):
        constructor = CONSTRUCTORS.get(name.removeprefix(prefix))
        if not name.startswith(prefix) or constructor is None:
            continue
        if group and constructor.group != group:
            continue
        if name not in _MADE:
            _MADE[name] = function(constructor)
        return _MADE[name]
    return None


def listed(group: str = "") -> list[str]:
    """Every name of a group of constructors, or of all."""
    names = sorted(n for n, c in CONSTRUCTORS.items() if group in ("", c.group))
    return [f"{prefix}_{name}" for prefix in ("make", "then") for name in names]


def getter(module: str, group: str = "") -> Callable[[str], Any]:
    """`__getattr__` of a module of constructors; what is not there says `notyet` by name."""

    def get(name: str) -> Any:
        function = found(name, group)
        if function is not None:
            return function
        bare = name.removeprefix("make_").removeprefix("then_")
        if bare in NOT_YET:
            raise NotImplementedError(f"notyet: make_{bare}: {NOT_YET[bare]}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get
