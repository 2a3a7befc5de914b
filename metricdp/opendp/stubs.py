"""Type hints of the constructors, written from the constructors: `python -m metricdp.opendp.stubs`.

Modules that make their functions on demand have nothing that a type checker or an editor could
read; the stubs beside them have signatures and docstrings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getdoc, signature
from pathlib import Path
from typing import Any

from metricdp.opendp.constructor import CONSTRUCTORS, make_function, then_function
from metricdp.opendp.names import ATOMS, words
from metricdp.report.stub_text import HEAD, function_text

#: Types of parameters by name; a parameter that is not here may be anything.
_TYPES = {
    "input_domain": "Domain",
    "input_metric": "Metric",
    "output_domain": "Domain",
    "output_metric": "Metric",
    "output_measure": "Measure | str",
    "bounds": "tuple[float, float]",
    "scale": "float",
    "threshold": "float",
    "k": "int",
    "size": "int",
    "prob": "float",
    "alpha": "float",
    "f": "float",
    "ddof": "int",
    "delta": "float",
    "separator": "str",
    "stability_map": "Callable[[Any], Any]",
    "measurements": "Iterable[Any]",
}
_RESULTS = {"t": "Transformation", "m": "Measurement", "c": "Measurement"}
_OWN = {
    "chain_tt": "Transformation",
    "fully_adaptive_composition": "Odometer",
    "checked": "Any",
    "user_measurement": "Measurement",
}
_IMPORTS = """
from collections.abc import Callable, Iterable
from typing import Any

from metricdp.opendp.constructor import Partial as Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation
"""
_GROUPS = {"transformations": "t", "measurements": "m", "combinators": "c"}
_ERAS = {"trans": "Transformation", "meas": "Measurement"}


def written(function: Callable[..., Any], result: str) -> str:
    """One function with its signature and docstring."""
    name = function.__name__
    return function_text(name, signature(function), getdoc(function) or "", result, _TYPES)


def stubs() -> Iterator[tuple[str, str]]:
    """(file name, text) of every stub."""
    for module, group in _GROUPS.items():
        found = import_module(f"metricdp.opendp.{module}")
        parts = [_head(found)]
        if group == "c":
            parts.append("from metricdp.opendp.interactive import Odometer as Odometer\n")
        parts += [_constructor(name, group) for name in sorted(CONSTRUCTORS)]
        parts += [_plain(found, name) for name in found.__all__ if name not in _generated()]
        yield f"{module}.pyi", "\n".join(filter(None, parts))
    for module, result in _ERAS.items():
        found = import_module(f"metricdp.opendp.{module}")
        parts = [written(getattr(found, name), result) for name in found.__all__]
        yield f"{module}.pyi", "\n".join([_head(found), *parts])
    yield "__init__.pyi", _package()


def _constructor(name: str, group: str) -> str:
    constructor = CONSTRUCTORS[name]
    if constructor.group != group:
        return ""
    made = written(make_function(constructor), _OWN.get(name, _RESULTS[group]))
    if not constructor.spaces:
        return made
    partial = then_function(constructor)
    partial.__doc__ = f"`make_{name}` on the space to the left of `>>`."
    return made + "\n" + written(partial, "Partial")


def _generated() -> set[str]:
    return {f"{prefix}_{name}" for prefix in ("make", "then") for name in CONSTRUCTORS}


def _plain(module: Any, name: str) -> str:
    home = getattr(module, name).__module__
    return f"from {home} import {name} as {name}\n"


def _head(module: Any) -> str:
    return HEAD.format(writer="metricdp.opendp.stubs", doc=module.__doc__) + _IMPORTS


def _package() -> str:
    package = import_module("metricdp.opendp")
    short = package._MODULES.items()
    lines = [
        HEAD.format(writer="metricdp.opendp.stubs", doc=package.__doc__),
        "from typing import Any\n",
        # An import under another name is not exported by a stub; an assignment is.
        *(f"from metricdp.opendp import {m} as {m}" for m in dict(short).values()),
        *(f"{name} = {module}" for name, module in short),
        *(f"from metricdp.opendp.{m} import *" for m in _GROUPS),
    ]
    for name in package.__all__:
        if name not in _generated():
            lines.append(f"from {getattr(package, name).__module__} import {name} as {name}")
    for name in sorted({*words()} - {*package.__all__}):
        value = getattr(package, name)
        home = getattr(value, "__module__", "")
        if name in ATOMS:
            lines.append(f"{name}: str")
        elif getattr(value, "__name__", "") == name and home.startswith("metricdp."):
            lines.append(f"from {home} import {name} as {name}")
        else:
            lines.append(f"{name}: Any")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write every stub next to its module."""
    here = Path(__file__).parent
    for name, text in stubs():
        (here / name).write_text(text)


if __name__ == "__main__":
    main()
