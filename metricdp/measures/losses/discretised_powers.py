"""Laws of sums on a cycle of N points: transforms, and their powers, with their errors.

The transform of a sum of n_i copies of the laws x_i is the product of z_i^(n_i), z_i that of x_i.
An error e_i of z_i is one of at most n_i e_i of the product, as moduli are at most 1 (those of the
computed ones at most `most`, which is charged).  The powers:
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
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, log1p, sqrt
from typing import TYPE_CHECKING, Any

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.discretised_laws import ROUNDOFF

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
