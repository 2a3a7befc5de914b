"""Few rounds of atoms and Laplace noise: delta as a finite sum, by residues.

An atomic law has M(z) = sum p_j e^(z l_j); Laplace noise has
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

from collections.abc import Iterator
from fractions import Fraction
from math import comb, factorial
from typing import Protocol

from metricdp.measures.losses import atomic_sum
from metricdp.measures.losses.atomic import AtomicLoss
from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.laplace import LaplaceLoss
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.saddle import Parts

#: A term: weight w, shift s, exponent a.
Term = tuple[Ball, Ball, int]


#: Atoms alone: terms that are made, once, in the time of one multiplication for one value.
_KEPT = 5


class Exact(Protocol):
    """A finite sum for delta, made and used at one precision."""

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        ...


def exact_sum(parts: Parts) -> Exact:
    """The sum, in order where all parts are atoms."""
    return ExpansionSum(parts) if atomic_sum.terms(parts) is None else atomic_sum.AtomicSum(parts)


def extra_bits(parts: Parts) -> int:
    """Digits that the sum loses: residues cancel, masses of atoms do not."""
    smooth = sum(count for loss, count in parts if isinstance(loss, LaplaceLoss))
    return 4 * smooth + sum(count for _, count in parts).bit_length()


def cost(parts: Parts) -> int | None:
    """Multiplications for one value of delta, about; None if a part has no such expansion."""
    atoms = atomic_sum.terms(parts)
    if atoms is not None:
        return atoms // _KEPT
    terms, rounds = 1, 1
    for loss, count in parts:
        if isinstance(loss, LaplaceLoss):
            terms *= count + 1
            rounds += count
        elif isinstance(loss, AtomicLoss):
            atoms = loss.size
            # Beyond 10^6 the exact number does not matter.
            terms *= comb(count + atoms - 1, atoms - 1) if min(count, atoms) < 2000 else 10**6
        else:
            return None
        if terms > 10**6:
            return 10**9
    return terms * rounds


class ExpansionSum:
    """The terms of a composition at the current precision."""

    def __init__(self, parts: Parts) -> None:
        self.rounds = sum(count for loss, count in parts if isinstance(loss, LaplaceLoss))
        one: Term = ball(1), ball(0), 0
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


def _power(loss: Loss, count: int) -> Iterator[Term]:
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
