"""Evidence of convergence: the distances from a sequence of laws to a limit, in four topologies.

A table of finitely many distances proves nothing about a limit; what it says is called evidence.
The DP topology is the finest: TV <= tanh(d_DP / 2), so convergence in DP is convergence in TV, and
TV is finer than weak convergence (WC <= TV).  EM is weak convergence where distances are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf, log
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.distances.distance import Distance, RatioDistance, decimals
from metricdp.laws.distances.public import d_dp, d_em, d_tv, d_wc
from metricdp.laws.space import FiniteSpace

#: Name of each topology: what its metric is.
TOPOLOGIES: Mapping[str, str] = {
    "DP": "differential privacy distance",
    "TV": "total variation",
    "EM": "earth mover's distance",
    "WC": "Prokhorov distance, of weak convergence",
}
#: Where a sequence is looked at.
STEPS = (1, 2, 4, 8, 16, 32, 64)
#: A power of n that falls slower than this is not told from one that does not fall.
_FLAT = 0.05


class Convergence(msgspec.Struct, frozen=True):
    """Distances along a sequence.

    Attributes:
        topology: "DP", "TV", "EM" or "WC".
        at: the numbers n that were looked at, increasing.
        distances: from the law at n to the limit, for each of them.
    """

    topology: str
    at: tuple[int, ...]
    distances: tuple[Distance | RatioDistance, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """The distances as doubles, rounded up; `math.inf` where they are infinite."""
        return tuple(map(float, self.distances))

    @property
    def rate(self) -> float | None:
        """a of the fit distance = c n**a to the later half; None without 3 positive distances.

        Least squares of ln distance on ln n; a fit, not a bound.
        """
        pairs = list(zip(self.at, self.values, strict=True))[len(self.at) // 2 :]
        points = [(log(n), log(x)) for n, x in pairs if 0 < x < inf]
        if len(points) < 3 or len(points) < len(pairs):
            return None
        mx, my = (sum(z) / len(points) for z in zip(*points, strict=True))
        spread = sum((x - mx) ** 2 for x, _ in points)
        return float(sum((x - mx) * (y - my) for x, y in points) / spread)

    @property
    def converging(self) -> bool | None:
        """What the evidence points to; None when it points nowhere."""
        last = self.values[len(self.at) // 2 :]
        falls = all(a >= b for a, b in pairwise(last))
        if falls and last[-1] == 0:
            return True
        if self.rate is None:
            return False if min(last) == inf else None
        if falls and self.rate < -_FLAT:
            return True
        return False if self.rate >= -_FLAT else None

    @property
    def verdict(self) -> str:
        """One sentence; evidence, not proof."""
        n, last, rate = self.at[-1], self.values[-1], self.rate
        if self.converging is None:
            return f"no evidence either way up to n = {n}"
        if self.converging:
            how = "is 0" if last == 0 else f"falls like n^{rate:.2f}"
            return f"{how} up to n = {n}: evidence of convergence, not proof"
        if last == inf:
            how = "is infinite"
        else:
            how = "grows" if rate is not None and rate > _FLAT else f"stays at {last:.4g} or so"
        return f"{how} up to n = {n}: evidence against convergence, not proof"

    def table(self) -> str:
        """Distances by n, and the verdict."""
        rows = [[str(n), cell(d)] for n, d in zip(self.at, self.distances, strict=True)]
        return f"{_aligned([['n', self.topology], *rows])}\n{self.topology} {self.verdict}"

    def __repr__(self) -> str:
        return f"<{self.topology} {self.verdict}>"


class Comparison(msgspec.Struct, frozen=True):
    """One sequence in several topologies.

    Attributes:
        at: the numbers n that were looked at.
        evidence: topology -> its evidence.
        refused: topology -> why its distance is not available for these laws.
    """

    at: tuple[int, ...]
    evidence: Mapping[str, Convergence]
    refused: Mapping[str, str]

    def __getitem__(self, topology: str) -> Convergence:
        return self.evidence[topology]

    def table(self) -> str:
        """Distances by n and topology, and the verdicts."""
        rows = [
            [str(n), *(cell(e.distances[i]) for e in self.evidence.values())]
            for i, n in enumerate(self.at)
        ]
        lines = [_aligned([["n", *self.evidence], *rows])]
        lines += [f"{name} {e.verdict}" for name, e in self.evidence.items()]
        lines += [f"{name} not available: {why}" for name, why in self.refused.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.table()


def converges(
    sequence: Callable[[int], Any],
    limit: Any,
    topology: str,
    *,
    at: Sequence[int] = STEPS,
    space: FiniteSpace | None = None,
) -> Convergence:
    """Evidence of the convergence of `sequence(n)` to `limit` in one topology.

    Args:
        sequence: n -> law; called with each n of `at`.
        limit: a law.
        topology: "DP", "TV", "EM" or "WC".
        at: positive integers, increasing, two or more.
        space: distances between the outcomes, for EM and WC; without it, outcomes are numbers.

    Raises:
        ParameterError: another topology; an `at` that does not increase; a sequence that is no
            function; a distance that is not available (see `d_dp`, `d_tv`, `d_em`, `d_wc`).
    """
    _known(topology)
    return _along(_laws(sequence, at), limit, topology, space)


def compare_topologies(
    sequence: Callable[[int], Any],
    limit: Any,
    *,
    at: Sequence[int] = STEPS,
    space: FiniteSpace | None = None,
    topologies: Sequence[str] = tuple(TOPOLOGIES),
) -> Comparison:
    """The evidence in several topologies; arguments as for `converges`.

    A topology whose distance is not available for these laws is listed with the reason.
    """
    laws = _laws(sequence, at)
    evidence, refused = {}, {}
    for topology in topologies:
        _known(topology)
        try:
            evidence[topology] = _along(laws, limit, topology, space)
        except ParameterError as why:
            refused[topology] = why.fact
    return Comparison(tuple(laws), evidence, refused)


def cell(distance: Distance | RatioDistance) -> str:
    """A distance in a column: short rationals as they are, else six digits."""
    text = repr(distance)
    return text if len(text) <= 9 else decimals(distance.high, True, 6)


def _along(
    laws: Mapping[int, Any], limit: Any, topology: str, space: FiniteSpace | None
) -> Convergence:
    def distance(law: Any) -> Distance | RatioDistance:
        match topology:
            case "DP":
                return d_dp(law, limit)
            case "TV":
                return d_tv(law, limit)
            case "EM":
                return d_em(law, limit, space)
        return d_wc(law, limit, space)

    return Convergence(topology, tuple(laws), tuple(map(distance, laws.values())))


def _laws(sequence: Callable[[int], Any], at: Sequence[int]) -> dict[int, Any]:
    if not callable(sequence):
        raise ParameterError(
            f"a {type(sequence).__name__} is no function of n",
            place="sequence",
            remedy="of a list: lambda n: laws[n - 1], at=range(1, len(laws) + 1)",
        )
    return {n: sequence(n) for n in _numbers(at)}


def _known(topology: str) -> None:
    if topology not in TOPOLOGIES:
        raise ParameterError(
            f"{topology!r} is no topology", place="topology", remedy=", ".join(TOPOLOGIES)
        )


def _numbers(at: Sequence[int]) -> tuple[int, ...]:
    numbers = tuple(at)
    whole = all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in numbers)
    if not whole or len(numbers) < 2 or list(numbers) != sorted(set(numbers)):
        raise ParameterError(
            "must be two or more positive integers that increase", place="at", remedy=f"at={STEPS}"
        )
    return numbers


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, every column as wide as its widest cell, set flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        for row in rows
    )
