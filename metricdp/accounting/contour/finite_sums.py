"""Compositions whose delta is a finite sum: atoms alone, or with a few rounds of Laplace noise.

Atoms alone: delta is a sum over the distinct sums of losses.  k copies of a law with atoms (l_j,
p_j) have the loss sum k_j l_j with the multinomial mass k! prod p_j^k_j / k_j!, so two atoms give k
+ 1 sums.  With the sums s_i in order, masses w_i under P and v_i = w_i e^(-s_i) under Q,
    delta(e) = sum over s_i > e of (w_i - e^e v_i),
two sums over the tail, kept for every start.  Masses are positive and their relative errors stay
small; the difference loses digits where all of the tail is just above e, and a later attempt takes
more.

Few rounds of atoms and Laplace noise: by residues.  An atomic law has M(z) = sum p_j e^(z l_j);
Laplace noise has
    M(z) = e^(z m) (z + 1) / (2z + 1) + e^(-m) e^(-z m) z / (2z + 1).
A product of such moments is a sum of terms w e^(z s) (z + 1)^a z^b / (2z + 1)^n, with a + b = n the
number of rounds of Laplace noise.  In the contour integral of delta(e) each term is shifted by
x = s - e: for x <= 0 the contour closes to the right of c > 0, where there is no pole, and the term
is 0; for x > 0 it closes to the left, and the residues of
e^(z x) (z + 1)^(a - 1) z^(b - 1) / (2z + 1)^n add up:
    at 0, if b = 0:     1
    at -1, if a = 0:    -e^(-x)
    at -1/2, if n > 0:  2^(1 - n) e^(-x/2) sum over i < n of C_(n-1-i) (x/2)^i / i!
with C_j the coefficients of the power series (1 + v)^(a - 1) (v - 1)^(b - 1), which are integers
(put z = (v - 1) / 2).  The integrand falls like 1/z^2, so each term is continuous, 0 at x = 0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, factorial
from typing import Protocol

from metricdp.accounting.losses.atomic import AtomicLoss
from metricdp.accounting.losses.balls import Ball, ball, flint
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Counted, Loss

#: A sum of losses and its masses under P and under Q.
Term = tuple[Ball, Ball, Ball]


def terms(parts: Counted) -> int | None:
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

    def __init__(self, parts: Counted) -> None:
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


#: A term: weight w, shift s, exponent a.
_Term = tuple[Ball, Ball, int]

#: Atoms alone: terms that are made, once, in the time of one multiplication for one value.
_KEPT = 5


class ClosedSum(Protocol):
    """A finite sum for delta, made and used at one precision."""

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        ...


def exact_sum(parts: Counted) -> ClosedSum:
    """The sum, in order where all parts are atoms."""
    return ExpansionSum(parts) if terms(parts) is None else AtomicSum(parts)


def extra_bits(parts: Counted) -> int:
    """Digits that the sum loses: residues cancel, masses of atoms do not."""
    smooth = sum(count for loss, count in parts if isinstance(loss, LaplaceLoss))
    return 4 * smooth + sum(count for _, count in parts).bit_length()


def cost(parts: Counted) -> int | None:
    """Multiplications for one value of delta, about; None if a part has no such expansion."""
    atoms = terms(parts)
    if atoms is not None:
        return atoms // _KEPT
    size, rounds = 1, 1
    for loss, count in parts:
        if isinstance(loss, LaplaceLoss):
            size *= count + 1
            rounds += count
        elif isinstance(loss, AtomicLoss):
            atoms = loss.size
            # Beyond 10^6 the exact number does not matter.
            size *= comb(count + atoms - 1, atoms - 1) if min(count, atoms) < 2000 else 10**6
        else:
            return None
        if size > 10**6:
            return 10**9
    return size * rounds


class ExpansionSum:
    """The terms of a composition at the current precision."""

    def __init__(self, parts: Counted) -> None:
        self.rounds = sum(count for loss, count in parts if isinstance(loss, LaplaceLoss))
        one: _Term = ball(1), ball(0), 0
        self.terms = [one]
        for loss, count in parts:
            factor = list(_power(loss, count))
            self.terms = [(w * v, s + t, a + b) for w, s, a in self.terms for v, t, b in factor]
        exponents = {a for _, _, a in self.terms} if self.rounds else set()
        self.polynomials = {a: _polynomial(a, self.rounds) for a in exponents}

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        e, total = ball(epsilon), ball(0)
        for weight, shift, a in self.terms:
            x = shift - e
            if x > 0:
                total += weight * self._residues(x, a)
            elif not x < 0:
                # x is 0 within rounding, where the term changes from 0 to the residues.
                total += weight * self._residues(x, a).union(ball(0))
        return total, total

    def _residues(self, x: Ball, a: int) -> Ball:
        value = ball(1) if a == self.rounds else ball(0)
        if a == 0:
            value -= (-x).exp()
        if self.rounds:
            half = x / 2
            value += self.polynomials[a](half) * (-half).exp()
        return value


def _power(loss: Loss, count: int) -> Iterator[_Term]:
    """The terms of M(z)^count."""
    if isinstance(loss, LaplaceLoss):
        m = ball(loss.ratio)
        for k in range(count + 1):
            yield comb(count, k) * (-m * (count - k)).exp(), m * (2 * k - count), k
    elif isinstance(loss, AtomicLoss):
        for weight, shift in _shared(loss.atoms(), count):
            yield weight, shift, 0


def _shared(atoms: list[tuple[Ball, Ball]], count: int) -> Iterator[tuple[Ball, Ball]]:
    """All ways to share `count` draws among the atoms: multinomial weight and sum of losses."""
    loss, mass = atoms[0]
    if len(atoms) == 1:
        yield mass**count, loss * count
        return
    for k in range(count + 1):
        first, shift = comb(count, k) * mass**k, loss * k
        for weight, rest in _shared(atoms[1:], count - k):
            yield first * weight, shift + rest


def _polynomial(a: int, n: int) -> Ball:
    """2^(1 - n) sum over i < n of C_(n-1-i) y^i / i!, in y."""
    module = flint()
    b = n - a
    plus, minus = module.fmpz_poly([1, 1]), module.fmpz_poly([-1, 1])
    # 1/(1 + v) = sum (-v)^j and 1/(v - 1) = -sum v^j, up to v^(n - 1).
    first = plus ** (a - 1) if a else module.fmpz_poly([(-1) ** j for j in range(n)])
    second = minus ** (b - 1) if b else module.fmpz_poly([-1] * n)
    series = first * second
    return module.arb_poly(
        [ball(Fraction(int(series[n - 1 - i]), 2 ** (n - 1) * factorial(i))) for i in range(n)]
    )
