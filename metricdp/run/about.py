"""What a reader of a filed release needs beside its numbers; texts only, all of them public."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Mapping

import msgspec

from metricdp.spaces import Aligned, Matrix, Records, Row, Space, TupleSpace
from metricdp.spaces.vectors import Entries

ALWAYS_OPEN = (
    "running time and memory use",
    "whether the call failed because the data's types or shapes do not fit the declared schema",
)


class About(msgspec.Struct, frozen=True):
    """The part of a release that a data protection officer files.

    Attributes:
        not_covered: what the unit of privacy leaves out.
        unprotected: quantities of the data that are treated as public.
        derivation: one line per step: value, space, movement, rule.
        assumptions: what the user asserted.
        composition: what this release belongs to: "ledger", "data set", "row", "budget", "spent",
            "left" and so on; empty for a release outside of a session.
        versions: name -> version of what computed it.
        time: UTC, ISO 8601; "" if not recorded.
    """

    not_covered: tuple[str, ...] = ()
    unprotected: tuple[str, ...] = ()
    derivation: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    composition: Mapping[str, str] = {}
    versions: Mapping[str, str] = {}
    time: str = ""


def not_covered(spaces: Mapping[str, Space]) -> tuple[str, ...]:
    """What one unit of the inputs leaves out."""
    found = [
        f"{name}: whoever contributes more than one unit ({space.unit}) is protected less: "
        "k units cost what distance k costs"
        for name, space in spaces.items()
    ]
    return (*found, "what can be learned about a person from the data of all others")


def unprotected(spaces: Mapping[str, Space]) -> tuple[str, ...]:
    """Quantities that the inputs' metrics treat as public."""
    found: list[str] = []
    for name, space in spaces.items():
        found += _open(name, space)
    return (*found, *ALWAYS_OPEN)


def _open(name: str, space: Space) -> Iterable[str]:
    if isinstance(space, Records):
        if space.sized:
            yield f"the number of records of {name}"
        if isinstance(space.row, Row):
            yield f"the names and types of the columns of {name}"
    elif isinstance(space, Matrix):
        yield f"the number of columns of {name}"
        yield f"the number of rows of {name}"
    elif isinstance(space, Entries):
        yield f"the number of entries of {name}"
    elif isinstance(space, Aligned | TupleSpace):
        for i, part in enumerate(space.parts):
            yield from _open(f"{name}[{i}]", part)


def versions() -> dict[str, str]:
    """metricdp, Python and, where it is in use, NumPy."""
    found = {
        "metricdp": str(sys.modules["metricdp"].__version__),
        "python": platform.python_version(),
    }
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["numpy"] = str(numpy.__version__)
    return found
