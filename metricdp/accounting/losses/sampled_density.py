"""Loss laws of samples of Laplace noise, of mechanisms of bounded range, and of Gaussian noise.

Their base has the density kappa e^(-t/2 - g t^2) under Q: for Gaussian noise on the line, for the
others with g = 0 on (-m, m), and in the case of Laplace noise it has atoms at m and -m.  With
B(t) = 1 - q + q e^t the sampled loss is ln B(t) under ((1 - q) Q + q P, Q), so
    removed:  M(z) = E_Q[B^(z + 1)],    added:  M(z) = E_Q[B^(-z)],
and without replacement (`losses.sampled_cells`; the base is symmetric)
    M(z) = E_Q[B^(z + 1) + B^(-z); t > 0] + (1 - q) TV(P, Q).
The integrals are enclosed by `ratio_powers`.  For Gaussian noise this module has the last line
alone; Poisson samples of it are in `poisson_gaussian`.

`Fall` says how fast these moments fall away from the real line.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log, log1p, pi
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from metricdp.accounting.losses.atomic import turned
from metricdp.accounting.losses.balls import Ball, ball, flint, precision
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.losses.decay import UniformParts
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import CellMasses, Loss, PlainLoss
from metricdp.accounting.losses.ratio_powers import log_ratio, log_size, ratio_powers
from metricdp.accounting.losses.sampled_cells import (
    MixtureLoss,
    WithoutReplacementLoss,
    checked_rate,
)
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


Kind = Literal["removed", "added", "replaced"]
#: Moments beyond this tilt of the whole range are not used.
_MOST_TILT = 2500.0
#: Panels of 16 nodes of sums in doubles.
_MOST_PANELS = 1024


class SampledDensityLoss(PlainLoss, msgspec.Struct, frozen=True):
    """Laplace or Gaussian noise or a mechanism of bounded range on a secret sample; see the module.

    Attributes:
        base: what reads the sample.
        rate: q, in (0, 1).
        kind: Poisson samples with one row removed or added, or one row replaced in a sample of
            fixed size.

    Raises:
        ParameterError: a rate outside its range, or Gaussian noise under Poisson samples.
    """

    base: LaplaceLoss | BoundedRangeLoss | GaussianLoss
    rate: Fraction
    kind: Kind = "removed"

    def __post_init__(self) -> None:
        checked_rate(self.rate)
        if isinstance(self.base, GaussianLoss) and self.kind != "replaced":
            raise ParameterError(
                "Gaussian noise on a Poisson sample",
                place="kind",
                remedy="use PoissonGaussianLoss",
            )

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
        if self.reach is None:
            most = 200 * float(2 * self.bend) ** 0.5
        else:
            most = max(2.0, _MOST_TILT / float(self.reach))
        return -most, most

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """The image of the base's."""
        return self.whole.largest

    @property
    def reach(self) -> Fraction | None:
        """m; None: infinite."""
        if isinstance(self.base, GaussianLoss):
            return None
        return self.base.ratio if isinstance(self.base, LaplaceLoss) else self.base.epsilon

    @property
    def bend(self) -> Fraction:
        """g: 1 / (2 u^2) of Gaussian noise."""
        if isinstance(self.base, GaussianLoss):
            return 1 / (2 * self.base.ratio**2)
        return Fraction(0)

    def end(self, c: float) -> float:
        """m, or a point beyond which the law tilted by c has nothing that doubles see."""
        if isinstance(self.base, GaussianLoss):
            u = float(self.base.ratio)
            return u * (u * max(self.powers(c))[0] + 9)
        return float(self.reach or 0)

    def powers(self, c: float) -> list[tuple[float, bool]]:
        """The powers of B at z = c, and whether they turn back: -y where z = c + iy."""
        kinds = {
            "removed": [(c + 1, False)],
            "added": [(-c, True)],
            "replaced": [(c + 1, False), (-c, True)],
        }
        return kinds[self.kind]

    def log_moment(self, c: float) -> float:
        """ln M(c), from a sum on Gauss-Legendre nodes."""
        import numpy as np

        bucket, tilt = 1, 1.0
        while tilt < abs(c):
            tilt *= 2
        while 4 * bucket < self.end(tilt) * (1 + tilt) and bucket < _MOST_PANELS:
            bucket *= 2
        logs, log_masses = _points(self, bucket, self.end(tilt))
        if abs(c) * max(logs[-1], -logs[0]) > 300:
            terms = np.concatenate([log_masses + a * logs for a, _ in self.powers(c)])
            rest = self.rest()
            total = float(np.logaddexp.reduce(terms))
            return float(np.logaddexp(total, log(rest))) if rest else total
        with np.errstate(under="ignore"):
            masses = np.exp(log_masses)
        if self.kind == "replaced":
            # 1 is E_Q[B + 1; t > 0] + (1 - q) TV, and B^(c + 1) + B^-c - B - 1 is a product.
            parts = np.expm1(c * logs) * (np.expm1(logs) - np.expm1(-c * logs))
            return log1p(float(np.dot(masses, parts)))
        # E_Q[B - 1] = 0: no cancellation in the sum.
        a = self.powers(c)[0][0]
        return log1p(float(np.dot(masses, np.expm1(a * logs) - a * np.expm1(logs))))

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step): integrals and atoms."""
        module, q = flint(), ball(self.rate)
        kappa, reach = self.kappa(), self.reach
        low = Fraction(0) if self.kind == "replaced" or reach is None else -reach
        found = [module.acb(self._rest_ball())] * count
        for a, back in self.powers(c):
            line = ratio_powers(self.rate, low, reach, a, step, count, self.bend)
            line = [kappa * value for value in line]
            if isinstance(self.base, LaplaceLoss):
                m = ball(self.base.ratio)
                atoms = [(m, (-m).exp() / 2), (-m, ball(0.5))][: 1 if low == 0 else 2]
                for t, mass in atoms:
                    height = (q * t.expm1()).log1p()
                    size, turn = mass * (ball(a) * height).exp(), ball(step) * height
                    line = [x + size * module.acb(0, turn * k).exp() for k, x in enumerate(line)]
            found = [x + (y.conjugate() if back else y) for x, y in zip(found, line, strict=True)]
        return found

    def log_decay(self, c: float, t: float) -> float:
        """From uniform parts of the density and pairs of atoms."""
        return fall(self, c).log_decay(t)

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Cells of the base with other edges."""
        return self.whole.cells(edges)

    def reversed(self) -> SampledDensityLoss:
        """The other direction; samples of fixed size are symmetric, as the base is."""
        other: dict[Kind, Kind] = {"removed": "added", "added": "removed"}
        return SampledDensityLoss(self.base, self.rate, other.get(self.kind, self.kind))

    def kappa(self) -> Ball:
        """The factor of the density."""
        if isinstance(self.base, GaussianLoss):
            u = ball(self.base.ratio)
            return (-u * u / 8).exp() / (u * (2 * flint().arb.pi()).sqrt())
        m = ball(self.reach or 0)
        if isinstance(self.base, LaplaceLoss):
            return (-m / 2).exp() / 4
        return 1 / (4 * (m / 2).sinh())

    def _rest_ball(self) -> Ball:
        """The atom at 0: (1 - q) times the total variation of the base."""
        if self.kind != "replaced":
            return ball(0)
        return (1 - ball(self.rate)) * variation(self.base)

    def rest(self) -> float:
        """The same as a double."""
        with precision(64):
            return float(self._rest_ball().mid())


def variation(base: LaplaceLoss | BoundedRangeLoss | GaussianLoss) -> Ball:
    """delta(0): 1 - e^(-m/2), that squared / (1 - e^-m), or erf(u / sqrt 8)."""
    if isinstance(base, GaussianLoss):
        return (ball(base.ratio) / ball(8).sqrt()).erf()
    m = ball(base.ratio if isinstance(base, LaplaceLoss) else base.epsilon)
    part = -(-m / 2).expm1()
    return part if isinstance(base, LaplaceLoss) else part / (1 + (-m / 2).exp())


@lru_cache(maxsize=64)
def _points(loss: SampledDensityLoss, panels: int, m: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """ln B and logarithms of Q-masses on Gauss-Legendre nodes and at atoms, in ascending order."""
    import numpy as np

    q = float(loss.rate)
    x, w = np.polynomial.legendre.leggauss(16)
    low = 0.0 if loss.kind == "replaced" else -m
    half = (m - low) / (2 * panels)
    t = (low + half * (2 * np.arange(panels)[:, None] + 1) + half * x).ravel()
    with precision(64):
        kappa = float(loss.kappa().log().mid())
    sizes = kappa - t / 2 - float(loss.bend) * t * t + np.log(np.tile(half * w, panels))
    if isinstance(loss.base, LaplaceLoss):
        first = [] if low == 0 else [-log(2)]
        t = np.concatenate(([-m] * len(first), t, [m]))
        sizes = np.concatenate((first, sizes, [-m - log(2)]))
    return log_ratio(q, t), sizes


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
    places: Any = log_ratio(q, t)
    halves = []
    for a, back in loss.powers(c):
        exponents: Any = log_size(q, a + 1, t, g) - t
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
