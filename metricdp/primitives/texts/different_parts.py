"""different_parts: the different parts of a private text, `set(t.split(","))`.

Stability.  Parts are under the discrete metric, and so are sets of them: 1.  How many there are,
and whether a text is among them, is asked of a set; in which order they stand is not.
Tight: parts of which one is another text.
Source: any function from a discrete space into one is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.language import Untraceable
from metricdp.columns.words import TextPieces
from metricdp.primitives.texts._texts import MOVES
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse
from metricdp.spaces.texts import Cells

example = "rows: dp.Records[str] = ['a,a', 'b,a']; [len(set(r.split(','))) for r in rows]"


def rule(x: Arg) -> Conclusion:
    """The parts of a private text."""
    if not x.private or not isinstance(x.space, Cells):
        raise refuse(
            "unsupported-call",
            f"{x.text} are no parts of a private text",
            need="what .split gives of a text of a row",
            help="set(row.name.split())",
        )
    return Conclusion(Cells(min(x.space.least, 1), True), {"x": MOVES})


def run(x: Any) -> Any:
    """Each part once."""
    return tuple(dict.fromkeys(x))


def columnar(x: Any) -> Any:
    """The same of the parts of the text of every row."""
    if not isinstance(x, TextPieces):
        raise Untraceable("a set of what is no part of a text")
    return x.once()


def instances() -> Iterable[Instance]:
    for least in (0, 1, 3):
        yield Instance({"x": Cells(least)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One part is another one."""
    if d > 1:
        return None
    return {"x": ("a", "b", "a")}, {"x": ("a", "c", "a")}
