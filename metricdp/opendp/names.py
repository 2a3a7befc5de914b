"""Names of constructors as attributes of modules: `make_clamp`, `then_clamp`, made on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.errors import NotYetError
from metricdp.opendp.constructor import CONSTRUCTORS, make_function, then_function
from metricdp.opendp.missing import NOT_YET as NOT_YET

_MADE: dict[str, Any] = {}


def found(name: str, group: str = "") -> Any:
    """The function of a name, or None."""
    for prefix, function in (("make_", make_function), ("then_", then_function)):
        constructor = CONSTRUCTORS.get(name.removeprefix(prefix))
        if not name.startswith(prefix) or constructor is None:
            continue
        if prefix == "then_" and not constructor.spaces:
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
    partial = [name for name in names if CONSTRUCTORS[name].spaces]
    return [f"make_{name}" for name in names] + [f"then_{name}" for name in partial]


def getter(module: str, group: str = "") -> Callable[[str], Any]:
    """`__getattr__` of a module of constructors; what is not there says `notyet` by name."""

    def get(name: str) -> Any:
        function = found(name, group)
        if function is not None:
            return function
        bare = name.removeprefix("make_").removeprefix("then_")
        if bare in NOT_YET:
            told = NOT_YET[bare]
            missing, instead = ("it is not there", told) if isinstance(told, str) else told
            raise NotYetError(f"notyet: {name}: {missing}", place=module, remedy=instead)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get
