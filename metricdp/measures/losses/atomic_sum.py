"""Compositions of atoms alone: delta as a sum over the distinct sums of losses.

k copies of a law with atoms (l_j, p_j) have the loss sum k_j l_j with the multinomial mass
k! prod p_j^k_j / k_j!, so two atoms give k + 1 sums.  With the sums s_i in order, masses w_i under
P and v_i = w_i e^(-s_i) under Q,
    delta(e) = sum over s_i > e of (w_i - e^e v_i),
two sums over the tail, kept for every start.  Masses are positive and their relative errors stay
small; the difference loses digits where all of the tail is just above e, and a later attempt takes
more.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb

from metricdp.measures.losses.atomic import AtomicLoss
from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.saddle import Parts

#: A sum of losses and its masses under P and under Q.
Term = tuple[Ball, Ball, Ball]


def terms(parts: Parts) -> int | None:
    """The number of terms, or 10^9 for too many; None if a part is not atoms alone."""
    count = 1
    for loss, copies in parts:
        if not isinstance(loss, AtomicLoss):
            return None
        atoms = loss.size
        # Beyond 10^6 the exact number does not matter.
        count *= comb(copies + atoms - 1, atoms - 1) if min(copies, atoms) < 2000 else 10**6
        if count > 10**6:
            return 10**9
    return count


class AtomicSum:
    """The terms of a composition at the current precision."""

    def __init__(self, parts: Parts) -> None:
        found: list[Term] = [(ball(0), ball(1), ball(1))]
        for loss, copies in parts:
            assert isinstance(loss, AtomicLoss)
            atoms = [(s, p, p * (-s).exp()) for s, p in loss.atoms()]
            power = list(shared(atoms, copies))
            found = [(s + t, w * p, v * q) for s, w, v in found for t, p, q in power]
        found.sort(key=lambda term: float(term[0].mid()))
        self.terms = found
        self.keys = [float(s.mid()) for s, _, _ in found]
        #: How far a sum may be from its key.
        self.doubt = max(float(s.rad()) for s, _, _ in found) * 1.01
        self.doubt += 1e-15 * max(abs(self.keys[0]), abs(self.keys[-1]))
        #: Sums over the terms from each place on.
        self.p_tails = _tails([w for _, w, _ in found])
        self.q_tails = _tails([v for _, _, v in found])

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        e, near = ball(epsilon), float(epsilon)
        grown, reach = e.exp(), self.doubt + 1e-15 * abs(near) + 1e-300
        first = bisect_left(self.keys, near - reach)
        sure = bisect_right(self.keys, near + reach)
        total = self.p_tails[sure] - grown * self.q_tails[sure]
        for s, w, _ in self.terms[first:sure]:
            if s > e:
                total += w * -(e - s).expm1()
            elif not s <= e:
                # On either side within rounding, where the term is continuous.
                total += (w * -(e - s).expm1()).union(ball(0))
        return total, total


def _tails(masses: list[Ball]) -> list[Ball]:
    """Sums of all masses from each place on, and 0 behind the last."""
    return list(accumulate(reversed(masses), initial=ball(0)))[::-1]


def shared(atoms: Sequence[Term], copies: int) -> Iterator[Term]:
    """All ways to share the copies among the atoms, each with its multinomial mass."""
    if copies == 0:
        yield ball(0), ball(1), ball(1)
        return
    if copies == 1:
        # Not atom by atom: there may be thousands.
        yield from atoms
        return
    (s, p, q), rest = atoms[0], atoms[1:]
    if not rest:
        yield s * copies, p**copies, q**copies
        return
    if len(rest) > 1:
        p_weight, q_weight = ball(1), ball(1)
        for k in range(copies + 1):
            for t, w, v in shared(rest, copies - k):
                yield s * k + t, p_weight * w, q_weight * v
            share = Fraction(copies - k, k + 1)
            p_weight, q_weight = p_weight * p * ball(share), q_weight * q * ball(share)
        return
    # Two atoms: neighbouring binomial masses by their ratio.
    t, w, v = rest[0]
    p_mass, q_mass, p_odds, q_odds = w**copies, v**copies, p / w, q / v
    for k in range(copies + 1):
        yield s * k + t * (copies - k), p_mass, q_mass
        p_mass = p_mass * p_odds * (copies - k) / (k + 1)
        q_mass = q_mass * q_odds * (copies - k) / (k + 1)
