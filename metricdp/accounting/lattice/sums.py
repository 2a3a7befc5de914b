"""Compositions of losses on a lattice: tilted, transformed, raised to powers, every error bounded.

Laws of sums on a cycle of N points.  The transform of a sum of n_i copies of the laws x_i is the
product of z_i^(n_i), z_i that of x_i. An error e_i of z_i is one of at most n_i e_i of the product,
as moduli are at most 1 (those of the computed ones at most `most`, which is charged).  The powers:
- by repeated squaring: a complex product has relative error below 4 u, u = 2^-53, so n_i - 1 of
  them have 4 u n_i.  Frequencies where the product is below 1e-26 are set to 0.
- near one atom: if the mass at one point is x >= 0.8, as in many rounds of rare samples, the
  lattice is moved so that this is the point 0, whose transform is the number x, exactly.  Only the
  transform of the rest, of mass r, has an error, in proportion to the 2-norm of the rest.  With
  w = z - 1, |w| <= W = r + (1 - x) <= 0.4 + roundings, 1 - x being exact, z^n is
      exp(n ln(1 + a) / 2) (cos b + i sin b),  b = n arctan(Im w / (1 + Re w)),
      a = Re w (2 + Re w) + (Im w)^2.
  a has error 3 u (2 |w| + |w|^2) < 8 u |w|, and 1 + a = |z|^2 >= 0.36; so half the logarithm has
  12 u |w| from that and 14 u |w| from log1p, the angle 11 u |w|, the products by n 3 u |w| n: in
  all less than 64 u n W.  exp, cos and sin and their products add less than 32 u, and adding 1 - x
  to the rest u |w|, which is counted in the 64.  NumPy's log1p, arctan2, exp, cos and sin are taken
  to be within 4 units of the last place.

The composition.  Let part i have masses m_k (loss shift + k h) and n_i copies.  With a tilt t >= 0
per lattice point write m_k = x_k S e^(-t (k - r)), where the x_k sum to 1.  Then with T the sum of
n_i shift_i,
    delta(eps) = failures + G sum_J w_J y_J,  w_J = e^(-t (J - J0)) (1 - e^(eps - T - J h))_+ <= 1,
    G = exp(sum n_i ln S_i + t sum n_i r_i - t J0),  J0 the first J with T + J h > eps,
where y is the law of the sum of all n_i copies of the laws x.  A tilt near the saddle point of the
query puts the bulk of y where w is not small, so that G carries the smallness of delta and errors
of y relative to 1 are errors relative to delta (Gerber, Shiu 1994, for the tilt; tilting before a
transform: Koskela, Jaelkoe, Honkela 2020 use none and lose small deltas).

y is computed modulo N by a discrete Fourier transform.  Its errors, all added outwards:
- wrapping: what lies outside the window of N points, at most the Chernoff bounds of its two sides;
- transforms: NumPy's doubles are IEEE binary64 and its `rfft`, `irfft` of length N = 2^k satisfy
  |computed - true|_2 <= 16 k u |true|_2, u = 2^-53: twice and more the constant of the radix-2
  algorithm with correctly rounded weights (Higham 2002, Theorem 24.2: k (u + gamma_4 (sqrt 2 + u)),
  about 6.7 k u).  By Parseval an error e_i of the transform of x_i, with |e_i|_2 <= 16 k u
  sqrt(N) |x_i|_2, is one of at most sum_i n_i |e_i|_2 in the transform of y, because the moduli of
  all factors are at most 1 (those of the computed ones at most `_most`, which is charged), and
  sum_J w_J |error of y_J| <= |w|_2 |error of y|_2;
- powers: see above; near one atom both these errors are in proportion to the rest;
- rounded x_k: relative error rho_i each, (1 +- rho_i)^n_i in all; those below 1e-20 are charged
  as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, expm1, floor, inf, log, log1p, log2, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.lattice.laws import ROUNDOFF, Atoms
from metricdp.errors import UncertifiedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Spectra below this are dropped.
_DROPPED = 1e-26
#: The least mass of an atom that is taken apart, and the copies from which on it pays.
_ATOM, _MANY = 0.8, 16


def convolved(
    laws: Sequence[tuple[NDArray[Any], int, int]], size: int, order: float
) -> tuple[NDArray[Any], float, float, int]:
    """(y, noise, powers, ahead): the law of the sum modulo `size`, and how it is off.

    Args:
        laws: (x, place, n): masses x that sum to 1, the index of the largest, and copies n >= 1.
        size: N, a power of two.
        order: relative error of a transform in the 2-norm.

    Returns:
        y, shape (N,), from the index `ahead` of the sum of all indices on; a bound of the 2-norm
        of its error by the transforms; and the relative error of its transform by the powers.
    """
    import numpy as np

    active: NDArray[Any] | None = None
    noise, growth, powers, ahead = 0.0, 0.0, 0.0, 0
    for x, place, n in laws:
        near = float(x[place]) >= _ATOM and n >= _MANY
        if near:
            x = x.copy()
            atom, x[place] = float(x[place]), 0.0
            rest = np.fft.rfft(np.roll(folded(x, size), -(place % size)))
            rest += atom - 1.0
            sizes = np.abs(1.0 + rest)
            ahead += n * place
            whole = (float(x.sum()) + 1.0 - atom) * (1 + 1e-9)
            powers += (64 * n * whole + 32) * ROUNDOFF
        else:
            rest = np.fft.rfft(folded(x, size))
            sizes = np.abs(rest)
            powers += 4 * n * ROUNDOFF
        # The computed x sum to 1 up to the roundings of a pairwise sum and a division.
        most = max(1 + 1e-14, float(sizes.max()) * (1 + 4 * ROUNDOFF))
        growth += n * log1p(most - 1)
        if growth > 600:
            raise UncertifiedError(
                f"{n} copies are more than doubles can multiply",
                place="copies",
                remedy="compose fewer rounds",
            )
        noise += n * order * norm(x) * (1 + 1e-9)
        raised = near_one if near else power
        if active is None:
            active = np.flatnonzero(sizes > exp(log(_DROPPED) / n))
            values = raised(rest[active], n)
        else:
            values = values * raised(rest[active], n)
            powers += 4 * ROUNDOFF
            kept = np.abs(values) > _DROPPED
            active, values = active[kept], values[kept]
        del rest, sizes
    full = np.zeros(size // 2 + 1, dtype=complex)
    full[active] = values
    dropped = len(laws) * _DROPPED * 2
    return np.fft.irfft(full, size), (noise + dropped) * exp(growth), powers, ahead


def norm(x: NDArray[Any]) -> float:
    """The 2-norm; without BLAS, whose threads cost more than they save here."""
    return sqrt(float((x * x).sum())) * (1 + 1e-9)


def folded(x: NDArray[Any], size: int) -> NDArray[Any]:
    """x modulo `size`."""
    import numpy as np

    if len(x) <= size:
        return x if len(x) == size else np.concatenate((x, np.zeros(size - len(x))))
    rows = -(-len(x) // size)
    padded = np.concatenate((x, np.zeros(rows * size - len(x))))
    found: NDArray[Any] = padded.reshape(rows, size).sum(axis=0)
    return found


def power(z: NDArray[Any], n: int) -> NDArray[Any]:
    """z^n by repeated squaring."""
    import numpy as np

    found = None
    while True:
        if n & 1:
            found = z.copy() if found is None else found * z
        n >>= 1
        if not n:
            assert found is not None
            return found
        with np.errstate(under="ignore"):
            z = z * z


def near_one(w: NDArray[Any], n: int) -> NDArray[Any]:
    """(1 + w)^n for small w, by its logarithm."""
    import numpy as np

    real, imaginary = w.real, w.imag
    scale = np.exp(n / 2 * np.log1p(real * (2 + real) + imaginary * imaginary))
    angle = n * np.arctan2(imaginary, 1 + real)
    found = np.empty(len(w), dtype=complex)
    found.real, found.imag = scale * np.cos(angle), scale * np.sin(angle)
    return found


#: Points that are summed at a time.
_CHUNK = 1 << 17
#: Masses of tilted laws below this are charged whole.
_FAINT = 1e-20
#: Above e^-688: sums below it are not told apart from it.
_LEAST = 2e-299


class Tilted(msgspec.Struct, frozen=True):
    """One part: x (sums to 1), and m_k = x_k S e^(-t (k - reference)).

    Attributes:
        first: index of x[0]; reference: an index.
        log_mass: ln S.
        rho: relative error of the entries of x above `_FAINT`.
        faint: an upper bound of the sum of the other entries.
    """

    x: NDArray[Any]
    first: int
    reference: int
    log_mass: float
    rho: float
    faint: float

    def end(self, upper: bool) -> int:
        """The largest, or the least, index with mass."""
        import numpy as np

        held = np.flatnonzero(self.x)
        return self.first + int(held[-1] if upper else held[0])


class ComposedOnLattice(msgspec.Struct, frozen=True):
    """The law y on the window, and bounds of all that is not exact about it.

    Attributes:
        shift, step: losses are shift + J step.
        start: the J of y[0].
        tilt: t.
        y: computed law, shape (N,).
        log_scale: ln G + t J0.
        doubt: absolute error of log_scale.
        noise: bound of the 2-norm of the error of y from transforms and powers.
        low, high: bounds of the mass of the true y below and above the window.
        rho: relative error of the true y by the rounding of its factors, as a logarithm.
        faint: absolute error (1-norm) by what was charged whole.
        failure: (lower, upper) probability of an open failure.
    """

    shift: Fraction
    step: Fraction
    start: int
    tilt: float
    y: NDArray[Any]
    log_scale: float
    doubt: float
    noise: float
    low: float
    high: float
    rho: float
    faint: float
    failure: tuple[float, float]

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Lower and upper bound of the profile of the composed lattice law at epsilon."""
        count, step = len(self.y), float(self.step)
        origin = float(self.shift + self.start * self.step)
        # Doubles of the losses and of epsilon are off by a few roundings: move epsilon by those.
        slack = 16 * ROUNDOFF * (1 + abs(origin) + step * count + abs(epsilon))
        nominal = ceil((epsilon - 2 * slack - origin) / step)
        first = max(0, nominal)
        last = min(count, first + _reach(self.tilt))
        (value, doubts), (more, more_doubts) = (
            self._summed(first, last, moved - origin)
            for moved in (epsilon + slack, epsilon - slack)
        )
        rest = exp(-40.0) if last < count else 0.0
        scale = self.log_scale - self.tilt * (self.start + first)
        ahead = self.tilt * max(0, -nominal)
        turns = abs(scale) + abs(self.tilt * (self.start + first)) + ahead
        doubt = self.doubt + 8 * ROUNDOFF * (1 + turns)
        low = (value - doubts - self.low - self.high) * (1 - 1e-15)
        high = (more + more_doubts + self.high + rest) * (1 + 1e-15)
        lower = _scaled(low, scale - doubt - self.rho, 0.0) + self.failure[0]
        upper = _scaled(high, scale + doubt + self.rho, _LEAST) + self.failure[1]
        if nominal < 0:
            # Points below the window count up to e^(t (their distance)); none if eps is inside.
            upper += _scaled(self.low, scale + ahead + doubt + self.rho, _LEAST)
        return max(0.0, lower * (1 - 1e-15)), min(1.0, upper * (1 + 1e-15))

    def _summed(self, first: int, last: int, epsilon: float) -> tuple[float, float]:
        """sum over J in [first, last) of w_J y_J, and its error; epsilon from the first point."""
        import numpy as np

        value = size = square = 0.0
        for start in range(first, last, _CHUNK):
            places = np.arange(start, min(last, start + _CHUNK))
            fall = np.exp(-self.tilt * (places - first))
            weight = fall * np.maximum(-np.expm1(epsilon - float(self.step) * places), 0.0)
            product = weight * self.y[start : start + len(places)]
            value += float(product.sum())
            size += float(np.abs(product).sum())
            square += float((weight * weight).sum())
        # Any order of summation: one roundoff per term, and those of the weights.
        summed = size * (128 + max(0, last - first)) * ROUNDOFF
        return value, summed + sqrt(square) * (1 + 1e-9) * self.noise + self.faint


def _reach(tilt: float) -> int:
    """Beyond so many points e^(-t k) is below e^-40."""
    return ceil(40 / tilt) + 1 if tilt > 1e-9 else 1 << 40


def _scaled(x: float, log_scale: float, tiny: float) -> float:
    """x e^log_scale; `tiny` where doubles are not precise any more."""
    total = log(x) + log_scale if x > 0 else -inf
    return exp(min(total, 1.0)) * (1 + (4e-16 if tiny else -4e-16)) if total > -688 else tiny


def tilted(atoms: Atoms, tilt: float) -> Tilted:
    """The part's masses times e^(t k), normalised."""
    import numpy as np

    index = np.arange(len(atoms.masses), dtype=float)
    with np.errstate(divide="ignore"):
        logs = np.log(atoms.masses) + tilt * index
    top = int(np.argmax(logs))
    # In two factors: a mass may be as small as e^(-t (k - top)) is large.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        half = np.exp(np.minimum(tilt / 2 * (index - top), 340.0))
        x = atoms.masses * half * half
    total = float(x.sum())
    x /= total
    strong = x >= _FAINT
    farthest = float(np.abs(tilt * (index - top))[strong].max(initial=0.0))
    faint = float(x[~strong].sum()) * (1 + 1e-9) + 1e-280
    return Tilted(
        x,
        atoms.first,
        atoms.first + top,
        log(total),
        (8 + 3 * farthest) * ROUNDOFF,
        faint,
    )


def composed(
    parts: Sequence[tuple[Atoms, int]],
    tilt: float,
    start: int,
    size: int,
    slopes: tuple[float, float],
) -> ComposedOnLattice:
    """The composition of n_i copies of lattice laws of one step, on `size` points from `start`.

    Args:
        parts: (law, copies), copies >= 1.
        tilt: t >= 0, per lattice point.
        start: the first J of the window.
        size: N, a power of two.
        slopes: s < 0 < s': arguments of the Chernoff bounds below and above the window.
    """
    import numpy as np

    laws = [(tilted(atoms, tilt), n) for atoms, n in parts]
    order = 16 * log2(size) * ROUNDOFF
    y, noise, powers, ahead = convolved(
        [(law.x, law.reference - law.first, n) for law, n in laws], size, order
    )
    centre = sum(n * (law.reference - law.first) for law, n in laws)
    offset = sum(n * law.first for law, n in laws)
    y = np.roll(y, -((start - offset - ahead) % size))
    noise += (powers + order) * norm(y) * (1 + 1e-9)
    log_scale = [n * law.log_mass for law, n in laws]
    turn = tilt * float(centre + offset)
    doubt = 8 * ROUNDOFF * (sum(abs(v) for v in log_scale) + abs(turn) + 1)
    failures = _failures(parts)
    return ComposedOnLattice(
        shift=sum((n * atoms.shift for atoms, n in parts), Fraction(0)),
        step=parts[0][0].step,
        start=start,
        tilt=tilt,
        y=y,
        log_scale=sum(log_scale) + turn,
        doubt=doubt,
        noise=noise * (1 + 1e-9),
        low=_chernoff(laws, start - 0.5, slopes[0]),
        high=_chernoff(laws, start + size - 0.5, slopes[1]),
        rho=sum(n * law.rho for law, n in laws) * (1 + 1e-9),
        faint=sum(n * law.faint for law, n in laws) * (1 + 1e-6),
        failure=failures,
    )


def _chernoff(laws: Sequence[tuple[Tilted, int]], bound: float, slope: float) -> float:
    """P(sum >= bound) for slope > 0, P(sum <= bound) for slope < 0, of the laws x; an upper bound.

    0 where no sum of indices reaches the bound.
    """
    import numpy as np

    reach = sum(n * law.end(slope > 0) for law, n in laws)
    if (reach < bound) if slope > 0 else (reach > bound):
        return 0.0
    total, centre = 0.0, 0
    for law, n in laws:
        index = np.arange(len(law.x), dtype=float) + (law.first - law.reference)
        with np.errstate(divide="ignore", under="ignore"):
            exponents = np.log(law.x) + slope * index
            top = float(exponents.max())
            moment = float(np.exp(exponents - top).sum())
        total += n * (top + log(moment))
        centre += n * law.reference
    exponent = total - slope * (bound - centre)
    # The doubles in it: far below one part in a thousand of the bound.
    copies = sum(n for _, n in laws)
    doubt = 1e-3 + 1e-12 * (abs(total) + abs(slope * (bound - centre)) + copies)
    return min(1.0, exp(min(0.0, exponent + doubt)))


def _failures(parts: Sequence[tuple[Atoms, int]]) -> tuple[float, float]:
    """1 - prod (1 - f_i)^n_i, below and above.

    delta = P(some part fails) + E[(1 - e^(eps - L))_+; none fails], and both terms grow when masses
    grow or move to failures.
    """
    if any(atoms.failure >= 1 for atoms, _ in parts):
        return 0.0, 1.0
    some = -expm1(sum(n * log1p(-atoms.failure) for atoms, n in parts))
    return max(0.0, some * (1 - 1e-14)), min(1.0, some * (1 + 1e-14))


def window(low: float, high: float, step: float, shift: float) -> tuple[int, int]:
    """(start, size) of a window of 2^k points that holds the losses low..high."""
    start = floor((low - shift) / step) - 6
    size = 1 << max(4, ceil(log2((high - low) / step + 16)))
    return start, size
