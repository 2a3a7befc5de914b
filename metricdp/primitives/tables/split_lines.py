"""split_lines: the lines of a text as the rows of a table.

A line break ends a line, with or without a carriage return; one at the end begins no other line.
Stability.  The distance of two texts is the symmetric distance of their lines: 1.
Tight: add a line.
Source: rules of tables; OpenDP make_split_lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Records, Scalar
from metricdp.spaces.texts import Lines, lines_of

example = "dp.split_lines('Rome\\nOslo')"

spelling = Spelling(opendp=("make_split_lines",))


def rule(x: Arg) -> Conclusion:
    """A text under the symmetric distance of its lines."""
    if not isinstance(x.space, Lines):
        raise refuse(
            "unsupported-call",
            f"`split_lines` takes a text, and {x.text} is none",
            need="a text whose unit is a line",
            help="declare rows instead: dp.Records[str]",
        )
    return Conclusion(Records(Scalar("Data", kind="str")), {"x": scalar_moves(D)})


def run(x: Any) -> list[str]:
    """The lines."""
    return lines_of(x)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Lines()})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Lines added."""
    return {"x": "a"}, {"x": "a" + "\nb" * d}
