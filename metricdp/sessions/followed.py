"""Rows of a place that others write to, too: what was seen of them, and what was added since.

The last row that was seen is read once more each time, so a place whose rows were cut off, put back
from a backup or replaced is noticed before anything is added to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from metricdp.errors import LedgerError
from metricdp.sessions.chain import GENESIS, RESTORE, HashChain, LedgerRow

#: Rows that are fetched at once.
BATCH = 1000
#: Fetches rows: those beyond a number, the hash of that row, at most so many.
Fetch = Callable[[int, str, int], list[LedgerRow]]


class Followed:
    """A chain as far as it was read and found whole.

    Args:
        place: what messages call it.

    Attributes:
        chain: the rows that were read.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        #: Number and hash of the last row that was seen: it may not disappear.
        self._anchor: tuple[int, str] = (0, GENESIS)
        self.chain = HashChain()

    def restart(self) -> None:
        """Read from the first row on again; what was seen has to be there still."""
        self.chain = HashChain()

    def catch_up(self, fetch: Fetch) -> None:
        """Verify the rows that were written since.

        Raises:
            LedgerError: a row that is not whole, or rows that were seen and are gone.
        """
        known = len(self.chain.hashes)
        rows = fetch(max(known - 1, 0), self.before(max(known, 1)), BATCH)
        fetched = len(rows)
        if known:  # the last row is read once more, as it is now
            if not rows or rows[0].number != known or rows[0].hash != self.chain.head:
                raise self.gone()
            rows = rows[1:]
        while rows:
            for row in rows:
                self.see(row)
            if fetched < BATCH:
                break
            rows = fetch(len(self.chain.hashes), self.chain.head, BATCH)
            fetched = len(rows)
        number, noted = self._anchor
        if number and self.chain.hashes[number - 1 : number] != [noted]:
            raise self.gone()

    def see(self, row: LedgerRow) -> None:
        """Go on by one row."""
        self.chain.add(row)
        if row.number > self._anchor[0]:
            self._anchor = (row.number, row.hash)

    def before(self, number: int) -> str:
        """Hash of the row before one."""
        return self.chain.hashes[number - 2] if number > 1 else GENESIS

    def same(self, number: int, rows: list[LedgerRow]) -> LedgerRow:
        """The one row that was fetched, which is the one that was seen.

        Raises:
            LedgerError: it is gone.
        """
        if not rows or rows[0].hash != self.chain.hashes[number - 1]:
            raise self.gone()
        return rows[0]

    def gone(self) -> LedgerError:
        """The error of rows that were seen and are not there."""
        return LedgerError(
            "rows that were written earlier are gone", place=self._place, remedy=RESTORE
        )


def all_rows(fetch: Fetch) -> Iterator[LedgerRow]:
    """Every row of a store, some at a time."""
    last = (0, GENESIS)
    while batch := fetch(*last, BATCH):
        yield from batch
        last = (batch[-1].number, batch[-1].hash)
