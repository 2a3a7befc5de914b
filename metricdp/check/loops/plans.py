"""What a loop is, before it is solved: how often it runs, and over whose rows."""

from __future__ import annotations

import msgspec

from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Value
from metricdp.expr import Expr
from metricdp.spaces import Records


class LoopRows(msgspec.Struct, frozen=True):
    """A private container whose i-th row is read in round i.

    Attributes:
        value: the container.
        source: where the movement of its row comes from, inside the body.
        person: the aligned parameter that it is a part of; then the source is one person.
        single: the container in which every row stands once, where it stands several times in
            `value`; or None.
    """

    value: Value
    source: Source
    person: Source | None = None
    single: Value | None = None


class LoopPlan(msgspec.Struct):
    """One loop.

    Attributes:
        number: of the loop, within its check.
        count: number of rounds; None when it is private (records under add or remove).
        rows: containers whose rows are read.
        reads: containers of which every round reads one row, by its position; see `positions`.
        index: name of the public symbol that counts the rounds from 0.
        address: of the loop in the compiled program, where it can count its rounds; or "".
        in_places: every round releases for its own row alone, of a public number of rows; where the
            metric does not see their order, a run goes through them in a random one.
        fills: whether a list may grow of which then only the length is known.
    """

    number: int
    count: Expr | None
    rows: tuple[LoopRows, ...] = ()
    index: str = ""
    address: str = ""
    in_places: bool = False
    reads: list[LoopRows] = []
    fills: bool = True

    @property
    def unordered(self) -> bool:
        """Whether the rows have no order that the program may see."""
        return any(isinstance(each.value.space, Records) for each in self.rows)

    def row(self, source: Source) -> LoopRows | None:
        """The container that a source is the row of."""
        return next((r for r in (*self.rows, *self.reads) if r.source == source), None)


class Ending:
    """Whether the loop being read may stop before its last round, and who decides that."""

    __slots__ = ("early", "flag", "hidden", "origin", "private_tests")

    def __init__(self, private_tests: int, flag: str = "") -> None:
        #: Private conditions around the loop: inside, one more decides when it stops.
        self.private_tests = private_tests
        self.early, self.origin = False, "public"
        #: Name of the truth value that the loop was left, where its rounds are read one by one; and
        #: whether a private condition may have left it.
        self.flag, self.hidden = flag, False

    def test(self) -> Value:
        """The condition that a round happens."""
        return Value(self.origin, source="computed")
