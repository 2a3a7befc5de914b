"""How fast moments of sampled laws with a density fall away from the real line."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, log, log1p, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.measures.losses.atomic import turned
from metricdp.measures.losses.balls import precision
from metricdp.measures.losses.decay import UniformParts
from metricdp.measures.losses.laplace import LaplaceLoss
from metricdp.measures.losses.ratio_powers import log_ratio, log_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metricdp.measures.losses.sampled_density import SampledDensityLoss

#: Two masses of atoms, and their distance.
Pair = tuple[float, float, float]
#: Cells on which the density is bounded from below.
_CELLS = 512


class Fall(msgspec.Struct, frozen=True):
    """Of a tilted law: uniform parts of its density, and pairs of atoms, masses rounded down."""

    parts: UniformParts
    pairs: list[Pair]

    def log_decay(self, t: float) -> float:
        """A bound of ln of |M(c + iy)| / M(c) over y >= t.

        The density falls as its uniform parts do; two atoms turn against each other.  With masses
        p, q and the distance D, |p + q e^(iyD)| falls for y D in [0, pi], rises up to 2 pi and is
        at most p + q; so the bound is the largest of three: on [t, pi/D], on [pi/D, s] with
        s = 1.8 pi/D, and on [s, oo).
        """
        parts = self.parts
        best = parts.log_decay(t)
        for p, q, gap in self.pairs:
            half, late = pi / gap, 1.8 * pi / gap
            lost = [parts.lost(max(t, late))]
            if t < late:
                lost.append(turned(p, q, late * gap / 2) + parts.lost(max(t, half)))
            if t < half:
                lost.append(turned(p, q, t * gap / 2) + parts.lost(t))
            best = min(best, log1p(-min(min(lost) * (1 - 1e-9), 1 - 1e-9)))
        return best


@lru_cache(maxsize=64)
def fall(loss: SampledDensityLoss, c: float) -> Fall:
    """Of the law tilted by e^(c L).

    With the power a of B, the density of ln B at t is kappa e^(-t/2 - g t^2) B^a / (p M), where p =
    q e^t / B is the slope of ln B.  The logarithm of that is (a + 1) ln B - 3t/2 - g t^2 and a
    constant, with second derivative (a + 1) p (1 - p) - 2 g <= k := max(a + 1, 0) / 4 - 2 g; so on
    a cell of width w it is at least its lesser end less max(k, 0) w^2 / 8.
    """
    import numpy as np

    q, m, g = float(loss.rate), loss.end(c), float(loss.bend)
    with precision(64):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
        kappa = float(loss.kappa().log().lower())
    low = 0.0 if loss.kind == "replaced" else -m
    t = np.linspace(low, m, _CELLS + 1)
    places = log_ratio(q, t)
    halves = []
    for a, back in loss.powers(c):
        exponents = log_size(q, a + 1, t, g) - t
        dip = max(max(a + 1, 0.0) / 4 - 2 * g, 0.0) * (t[1] - t[0]) ** 2 / 8
        least = np.minimum(exponents[1:], exponents[:-1]) - dip
        with np.errstate(over="ignore", under="ignore"):
            density = np.exp(least + kappa - log(q) - log_moment)
        sound = np.diff(places) > 3e-6 * np.maximum(np.abs(places[1:]), np.abs(places[:-1]))
        sound &= np.isfinite(density) & (np.abs(exponents[1:]) + abs(log_moment) < 1e5)
        density = np.where(sound, density, 0.0)
        halves.append((-places[::-1], density[::-1]) if back else (places, density))
    if loss.kind == "replaced":
        (above, high), (below, less) = halves
        halves = [(np.concatenate((below, above[1:])), np.concatenate((less, high)))]
    pairs = _pairs(loss, c, log_moment) if isinstance(loss.base, LaplaceLoss) else []
    return Fall(UniformParts(*halves[0]), pairs)


def _pairs(loss: SampledDensityLoss, c: float, log_moment: float) -> list[Pair]:
    """Pairs of the atoms of the tilted law of Laplace noise: lower bounds of masses; distances."""
    q, m = float(loss.rate), loss.end(c)
    top, bottom = (float(log_ratio(q, x)) for x in _ends(m))
    if loss.kind == "replaced":
        high = exp((c + 1) * top - m - log(2) - log_moment)
        less = exp(-c * top - m - log(2) - log_moment)
        middle = loss.rest() * exp(-log_moment)
        found = [(high, less, 2 * top), (high, middle, top), (less, middle, top)]
    else:
        a = loss.powers(c)[0][0]
        found = [(exp(a * top - m - log(2) - log_moment), exp(a * bottom - log(2) - log_moment),
                  top - bottom)]  # fmt: skip
    safe = 1 - 1e-10
    return [(p * safe, r * safe, gap) for p, r, gap in found if 0 < gap < inf]


def _ends(m: float) -> NDArray[Any]:
    import numpy as np

    return np.array([m, -m])
