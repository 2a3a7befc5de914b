"""Secret rows of a sample, the same ones in both runs.

The coins of a sample belong to its rows: a row that both inputs have is taken in both runs or in
none.  Under the scheme's law the two samples then differ in the rows that differ, and the bound of
what reads the sample is about just that.  A row that only the second input has is taken, which
happens with a positive chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from metricdp.audit.replaying.answering import spelt
from metricdp.audit.replaying.paths import Path
from metricdp.audit.replaying.tape import Tape
from metricdp.noise import SeededSource
from metricdp.run.sampling import positions


class Rows(SeededSource):
    """Bits of samples and of secret rounds; see the module."""

    def __init__(self, tape: Tape, path: Path) -> None:
        super().__init__(f"replay rows {path.seed}")
        self._tape, self._path = tape, path

    def positions(self, scheme: str, number: Fraction, parts: Sequence[Any]) -> list[int]:
        """Positions of the rows that are taken; arguments as for `run.sampling.positions`."""
        rows = [repr([spelt(row) for row in joint]) for joint in zip(*parts, strict=True)]
        place = len(self._tape.samples)
        recorded = self._tape.recorded
        if recorded is None or place >= len(recorded.samples):
            everything = scheme == "Poisson" and self._path.kind in ("high", "low")
            chosen = (
                list(range(len(rows))) if everything else positions(scheme, number, len(rows), self)
            )
        else:
            chosen = self._aligned(scheme, rows, *recorded.samples[place])
        self._tape.samples.append((rows, chosen))
        return chosen

    def _aligned(
        self, scheme: str, rows: list[str], earlier: list[str], taken: list[int]
    ) -> list[int]:
        partner = matched(earlier, rows)
        chosen = [partner[i] for i in taken if i in partner]
        if scheme != "Poisson":
            return chosen  # in the order of the sample
        chosen += sorted(set(range(len(rows))) - set(partner.values()))
        return sorted(chosen)


def matched(first: Sequence[str], second: Sequence[str]) -> dict[int, int]:
    """Position in `first` -> position in `second`: equal rows, then what is left in order."""
    free: dict[str, list[int]] = {}
    for position, row in enumerate(second):
        free.setdefault(row, []).append(position)
    partner: dict[int, int] = {}
    left: list[int] = []
    for position, row in enumerate(first):
        if position < len(second) and second[position] == row and position in free[row]:
            free[row].remove(position)
            partner[position] = position
        else:
            left.append(position)
    unmatched = []
    for position in left:
        same = free.get(first[position])
        if same:
            partner[position] = same.pop(0)
        else:
            unmatched.append(position)
    rest = sorted(position for positions in free.values() for position in positions)
    if len(first) == len(second):
        partner.update(zip(unmatched, rest, strict=True))
    return partner
