"""metricdp: differential privacy that is checked before it runs.

Ordinary Python in which every value carries a metric.  Public names load on first use, so that
`import metricdp` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from metricdp._typing import (
        Aligned,
        Bool,
        Data,
        Gradient,
        Int,
        Matrix,
        Real,
        Records,
        Vector,
    )
    from metricdp.answers.schema import schema_of
    from metricdp.checked import black_box, measurement, transformation
    from metricdp.columns.progress import progress
    from metricdp.effort import time_limit
    from metricdp.engines.opened import OpenTable, table
    from metricdp.maps import Measurement, Transformation
    from metricdp.run.private_selection import private_selection
    from metricdp.run.release import Release
    from metricdp.run.sampling import sample
    from metricdp.sessions import Budget, Ledger, Limit, Session, Tracked, Unit
    from metricdp.spaces import (
        L1,
        L2,
        Bounds,
        ChangeOne,
        Hamming,
        Ids,
        InsertDelete,
        LInf,
        NoNaN,
        NonNegative,
        RowBound,
        Size,
        Symmetric,
        Zone,
    )

_HOMES = {
    "metricdp.spaces": (
        "L1 L2 LInf Real Int Bool Data Vector Matrix Gradient Records Aligned Symmetric ChangeOne "
        "Hamming InsertDelete Ids Bounds RowBound Size NonNegative NoNaN Zone MetricVector "
        "MetricMatrix MetricGradient Scalar space_of"
    ),
    "metricdp.checked": "measurement transformation black_box",
    "metricdp.maps": "Measurement Transformation",
    "metricdp.run.release": "Release",
    "metricdp.sessions": "Budget Ledger Limit Session Tracked Unit",
    "metricdp.run.sampling": "sample",
    "metricdp.run.private_selection": "private_selection",
    "metricdp.run.emit": "Seeded Recording Replay handling",
    "metricdp.effort": "time_limit",
    "metricdp.columns.progress": "progress",
    "metricdp.engines.opened": "OpenTable table",
    "metricdp.answers.schema": "schema_of",
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from importlib import import_module

    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    else:
        try:
            return import_module(f"metricdp.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"metricdp.{name}":
                raise
        value = import_module("metricdp.checked").rule(name)
        if value is None:
            raise AttributeError(f"module 'metricdp' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from importlib import import_module

    return sorted({*globals(), *_NAMES, *import_module("metricdp.checked").rule_names()})


__all__ = [
    "L1",
    "L2",
    "Aligned",
    "Bool",
    "Bounds",
    "Budget",
    "ChangeOne",
    "Data",
    "Gradient",
    "Hamming",
    "Ids",
    "InsertDelete",
    "Int",
    "LInf",
    "Ledger",
    "Limit",
    "Matrix",
    "Measurement",
    "NoNaN",
    "NonNegative",
    "OpenTable",
    "Real",
    "Records",
    "Release",
    "RowBound",
    "Session",
    "Size",
    "Symmetric",
    "Tracked",
    "Transformation",
    "Unit",
    "Vector",
    "Zone",
    "black_box",
    "measurement",
    "private_selection",
    "progress",
    "sample",
    "schema_of",
    "table",
    "time_limit",
    "transformation",
]
