"""The name of a part of a divided table, in rows of a ledger and in keys of questions."""

from __future__ import annotations

from typing import Any

import msgspec


class PartName(msgspec.Struct, frozen=True):
    """Which part of which division.

    Attributes:
        table: that was divided.
        by: columns in which the rows of a part are equal.
        key: what they hold there, as a text that no other key has.
        most: how many parts one unit of distance moves, at most.
        among: of the keys, where which rows are in a part depends on all of them; else "".
        data: which data were divided: the row of the ledger with their fingerprint, or, where
            nobody compares them, a name that the session has alone.  Parts of two versions of the
            data are those of two divisions: whoever has moved from one to another is in both.
    """

    table: str
    by: tuple[str, ...]
    key: str
    most: int = 1
    among: str = ""
    data: str = ""

    @property
    def division(self) -> PartName:
        """What the parts of one division have in common."""
        return msgspec.structs.replace(self, key="")

    @property
    def asked(self) -> PartName:
        """What tells questions apart: data of one name give one answer."""
        return self if self.data.isdecimal() else msgspec.structs.replace(self, data="")

    def describe(self) -> str:
        """ "visits where plan is text 'gold'"."""
        return f"{self.table} where {', '.join(self.by)} is {self.key}"

    def as_json(self) -> dict[str, Any]:
        """As a row of a ledger says it."""
        return {**msgspec.structs.asdict(self), "by": list(self.by)}


def part_of(found: Any) -> PartName | None:
    """The part that a row names; None of a row that names none.

    Raises:
        TypeError, ValueError: something else.
    """
    if found is None:
        return None
    part = PartName(**{**found, "by": tuple(found["by"])})
    texts = (part.table, *part.by, part.key, part.among, part.data)
    if any(type(text) is not str for text in texts) or not part.by or not part.key:
        raise TypeError("a part without its names")
    if type(part.most) is not int or part.most < 1:
        raise ValueError("a part that moves no part")
    return part
