"""Loss laws of samples of Laplace noise and of mechanisms of bounded range.

Their base loses at most m, has the density kappa e^(-t/2) under Q on (-m, m), and in the case of
Laplace noise atoms at m and -m.  With B(t) = 1 - q + q e^t the sampled loss is ln B(t) under
((1 - q) Q + q P, Q), so
    removed:  M(z) = E_Q[B^(z + 1)],    added:  M(z) = E_Q[B^(-z)],
and without replacement (`without_replacement`; the base is symmetric)
    M(z) = E_Q[B^(z + 1) + B^(-z); t > 0] + (1 - q) TV(P, Q).
The integrals are enclosed by `ratio_powers`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log, log1p, pi
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from metricdp.measures.losses.atomic import turned
from metricdp.measures.losses.balls import Ball, ball, flint, precision
from metricdp.measures.losses.bounded_range import BoundedRangeLoss
from metricdp.measures.losses.decay import UniformParts
from metricdp.measures.losses.laplace import LaplaceLoss
from metricdp.measures.losses.loss import Cells, Loss
from metricdp.measures.losses.plain import PlainLoss
from metricdp.measures.losses.ratio_powers import log_ratio, log_size, ratio_powers
from metricdp.measures.losses.sampled_cells import MixtureLoss, checked_rate
from metricdp.measures.losses.without_replacement import WithoutReplacementLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Two masses of atoms, and their distance.
Pair = tuple[float, float, float]
Kind = Literal["removed", "added", "replaced"]
#: Moments beyond this tilt of the whole range are not used.
_MOST_TILT = 2500.0
#: Cells on which the density is bounded from below, and panels of 16 nodes of sums in doubles.
_CELLS, _MOST_PANELS = 512, 1024


class SampledDensityLoss(PlainLoss, msgspec.Struct, frozen=True):
    """Laplace noise or a mechanism of bounded range on a secret sample; see the module.

    Attributes:
        base: what reads the sample.
        rate: q, in (0, 1); ParameterError otherwise.
        kind: Poisson samples with one row removed or added, or one row replaced in a sample of
            fixed size.
    """

    base: LaplaceLoss | BoundedRangeLoss
    rate: Fraction
    kind: Kind = "removed"

    def __post_init__(self) -> None:
        checked_rate(self.rate)

    @property
    def whole(self) -> Loss:
        """The same law, known by its cells: the second engine's derivation."""
        if self.kind == "replaced":
            return WithoutReplacementLoss(self.base, self.rate)
        removed = MixtureLoss(self.base, self.rate)
        return removed if self.kind == "removed" else removed.reversed()

    @property
    def span(self) -> tuple[float, float]:
        """Where moments are worth their time; they are finite everywhere."""
        most = max(2.0, _MOST_TILT / float(self.reach))
        return -most, most

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """The image of the base's."""
        return self.whole.largest

    @property
    def reach(self) -> Fraction:
        """m."""
        return self.base.ratio if isinstance(self.base, LaplaceLoss) else self.base.epsilon

    def powers(self, c: float) -> list[float]:
        """The powers of B at z = c, that of 1 / B last."""
        return {"removed": [c + 1], "added": [-c], "replaced": [c + 1, -c]}[self.kind]

    def log_moment(self, c: float) -> float:
        """ln M(c), from a sum on Gauss-Legendre nodes."""
        import numpy as np

        m = float(self.reach)
        bucket = 1
        while 4 * bucket < m * (1 + abs(c)) and bucket < _MOST_PANELS:
            bucket *= 2
        logs, masses = _points(self, bucket)
        if abs(c) * max(logs[-1], -logs[0]) > 300:
            terms = np.concatenate([np.log(masses) + a * logs for a in self.powers(c)])
            rest = self._rest()
            total = float(np.logaddexp.reduce(terms))
            return float(np.logaddexp(total, log(rest))) if rest else total
        if self.kind == "replaced":
            # 1 is E_Q[B + 1; t > 0] + (1 - q) TV, and B^(c + 1) + B^-c - B - 1 is a product.
            parts = np.expm1(c * logs) * (np.expm1(logs) - np.expm1(-c * logs))
            return log1p(float(np.dot(masses, parts)))
        # E_Q[B - 1] = 0: no cancellation in the sum.
        a = self.powers(c)[0]
        return log1p(float(np.dot(masses, np.expm1(a * logs) - a * np.expm1(logs))))

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step): integrals and atoms."""
        module, m, q = flint(), ball(self.reach), ball(self.rate)
        kappa = self._density()
        low = Fraction(0) if self.kind == "replaced" else -self.reach
        found = [module.acb(self._rest_ball())] * count
        for a, back in zip(self.powers(c), _turned_back(self.kind), strict=True):
            line = ratio_powers(self.rate, low, self.reach, a, step, count)
            line = [kappa * value for value in line]
            if isinstance(self.base, LaplaceLoss):
                atoms = [(m, (-m).exp() / 2), (-m, ball(0.5))][: 1 if low == 0 else 2]
                for t, mass in atoms:
                    height = (q * t.expm1()).log1p()
                    size, turn = mass * (ball(a) * height).exp(), ball(step) * height
                    line = [x + size * module.acb(0, turn * k).exp() for k, x in enumerate(line)]
            found = [x + (y.conjugate() if back else y) for x, y in zip(found, line, strict=True)]
        return found

    def log_decay(self, c: float, t: float) -> float:
        """The density falls as its uniform parts do; two atoms turn against each other.

        Atoms of tilted masses p, q at a distance D: |p + q e^(iyD)| falls for y D in [0, pi], rises
        up to 2 pi and is at most p + q; see `laplace.LaplaceLoss.log_decay`.
        """
        parts, pairs = _fall(self, c)
        best = parts.log_decay(t)
        for p, q, gap in pairs:
            half, late = pi / gap, 1.8 * pi / gap
            lost = [parts.lost(max(t, late))]
            if t < late:
                lost.append(turned(p, q, late * gap / 2) + parts.lost(max(t, half)))
            if t < half:
                lost.append(turned(p, q, t * gap / 2) + parts.lost(t))
            best = min(best, log1p(-min(min(lost) * (1 - 1e-9), 1 - 1e-9)))
        return best

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Cells of the base with other edges."""
        return self.whole.cells(edges)

    def reversed(self) -> SampledDensityLoss:
        """The other direction; samples of fixed size are symmetric, as the base is."""
        other: dict[Kind, Kind] = {"removed": "added", "added": "removed"}
        return SampledDensityLoss(self.base, self.rate, other.get(self.kind, self.kind))

    def _density(self) -> Ball:
        """kappa."""
        m = ball(self.reach)
        if isinstance(self.base, LaplaceLoss):
            return (-m / 2).exp() / 4
        return 1 / (4 * (m / 2).sinh())

    def _rest_ball(self) -> Ball:
        """The atom at 0: (1 - q) TV of the base, 1 - e^(-m/2) or that squared / (1 - e^-m)."""
        if self.kind != "replaced":
            return ball(0)
        m = ball(self.reach)
        variation = -(-m / 2).expm1()
        if isinstance(self.base, BoundedRangeLoss):
            variation = variation / (1 + (-m / 2).exp())
        return (1 - ball(self.rate)) * variation

    def _rest(self) -> float:
        with precision(64):
            return float(self._rest_ball().mid())


def _turned_back(kind: Kind) -> list[bool]:
    """Whether the power of B at z = c + iy has the imaginary part -y."""
    return {"removed": [False], "added": [True], "replaced": [False, True]}[kind]


@lru_cache(maxsize=64)
def _points(loss: SampledDensityLoss, panels: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """ln B and Q-masses on Gauss-Legendre nodes and at the atoms, in ascending order."""
    import numpy as np

    q, m = float(loss.rate), float(loss.reach)
    x, w = np.polynomial.legendre.leggauss(16)
    low = 0.0 if loss.kind == "replaced" else -m
    half = (m - low) / (2 * panels)
    t = (low + half * (2 * np.arange(panels)[:, None] + 1) + half * x).ravel()
    with precision(64):
        kappa = float(loss._density().log().mid())
    masses = np.exp(kappa - t / 2) * np.tile(half * w, panels)
    if isinstance(loss.base, LaplaceLoss):
        first = [] if low == 0 else [0.5]
        t = np.concatenate(([-m] * len(first), t, [m]))
        masses = np.concatenate((first, masses, [exp(-m) / 2]))
    kept = masses > 0
    return log_ratio(q, t)[kept], masses[kept]


@lru_cache(maxsize=64)
def _fall(loss: SampledDensityLoss, c: float) -> tuple[UniformParts, list[Pair]]:
    """Of the law tilted by e^(c L): uniform parts of its density, and (masses, distance) of atoms.

    With the power a of B, the density of ln B at t is kappa e^(-t/2) B^a / (p M), where p =
    q e^t / B is the slope of ln B.  The logarithm of that is (a + 1) ln B - 3t/2 and a constant,
    whose second derivative is (a + 1) p (1 - p) <= k := max(a + 1, 0) / 4; so on a cell of width w
    it is at least its lesser end less k w^2 / 8.
    """
    import numpy as np

    q, m = float(loss.rate), float(loss.reach)
    with precision(64):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
        kappa = float(loss._density().log().lower())
    low = 0.0 if loss.kind == "replaced" else -m
    t = np.linspace(low, m, _CELLS + 1)
    places = log_ratio(q, t)
    halves = []
    for a, back in zip(loss.powers(c), _turned_back(loss.kind), strict=True):
        exponents = log_size(q, a + 1, t) - t
        dip = max(a + 1, 0.0) / 4 * (t[1] - t[0]) ** 2 / 8
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
    parts = UniformParts(*halves[0])
    return parts, _pairs(loss, c, log_moment) if isinstance(loss.base, LaplaceLoss) else []


def _pairs(loss: SampledDensityLoss, c: float, log_moment: float) -> list[Pair]:
    """Pairs of the atoms of the tilted law of Laplace noise: lower bounds of masses; distances."""
    q, m = float(loss.rate), float(loss.reach)
    top, bottom = (float(log_ratio(q, x)) for x in _ends(m))
    if loss.kind == "replaced":
        high = exp((c + 1) * top - m - log(2) - log_moment)
        less = exp(-c * top - m - log(2) - log_moment)
        middle = loss._rest() * exp(-log_moment)
        found = [(high, less, 2 * top), (high, middle, top), (less, middle, top)]
    else:
        a = loss.powers(c)[0]
        found = [(exp(a * top - m - log(2) - log_moment), exp(a * bottom - log(2) - log_moment),
                  top - bottom)]  # fmt: skip
    safe = 1 - 1e-10
    return [(p * safe, r * safe, gap) for p, r, gap in found if 0 < gap < inf]


def _ends(m: float) -> NDArray[Any]:
    import numpy as np

    return np.array([m, -m])
