"""ln of the moment function of a composition on the real line, in doubles, for searches only.

Many laws of one kind are summed at once: sampled Gaussians take some hundred points each.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, log
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.laplace import LaplaceLoss
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.poisson_gaussian import PoissonGaussianLoss, log_ratios

if TYPE_CHECKING:
    from numpy.typing import NDArray

Parts = tuple[tuple[Loss, int], ...]
#: From so many sampled Gaussians on they are summed together.
_SEVERAL = 3


class LogMoments:
    """psi(c) = sum n_i ln M_i(c)."""

    def __init__(self, parts: Parts) -> None:
        kinds: dict[Any, list[tuple[Any, int]]] = {}
        for loss, n in parts:
            kind = type(loss), getattr(loss, "added", None)
            kinds.setdefault(kind, []).append((loss, n))
        self._others: list[tuple[Loss, int]] = []
        self._groups: list[_Sampled | _Laplace] = []
        for (law, _), group in kinds.items():
            if len(group) >= _SEVERAL and law is LaplaceLoss:
                self._groups.append(_Laplace(group))
            elif len(group) >= _SEVERAL and law is PoissonGaussianLoss:
                self._groups.append(_Sampled(group))
            else:
                self._others += group

    def __call__(self, c: float) -> float:
        """psi(c); nothing that is proved rests on it."""
        total = sum(n * loss.log_moment(c) for loss, n in self._others)
        return total + sum(group(c) for group in self._groups)


@lru_cache(maxsize=8)
def log_moments(parts: Parts) -> LogMoments:
    """The function of some parts."""
    return LogMoments(parts)


class _Laplace:
    """Laplace noise of several scales."""

    def __init__(self, group: list[tuple[LaplaceLoss, int]]) -> None:
        import numpy as np

        self.counts = np.array([float(n) for _, n in group])
        self.ratios = np.array([float(loss.ratio) for loss, _ in group])

    def __call__(self, c: float) -> float:
        """The formula of one law, for c > 0."""
        import numpy as np

        fall = -np.expm1(-(2 * c + 1) * self.ratios)
        logs = c * self.ratios + np.log1p(-c * fall / (2 * c + 1))
        return float(self.counts @ logs)


class _Sampled:
    """Sampled Gaussians of one direction, on common points."""

    def __init__(self, group: list[tuple[PoissonGaussianLoss, int]]) -> None:
        import numpy as np

        self.group = group
        self.counts = np.array([float(n) for _, n in group])
        self.ratios = [float(loss.ratio) for loss, _ in group]
        self._points: dict[int, tuple[NDArray[Any], ...]] = {}

    def __call__(self, c: float) -> float:
        import numpy as np

        a = self.group[0][0].power(c)
        far = max(
            min(max(a, 0.0) * u, (max(a, 0.0) * u + 4 * loss.cut) / 5)
            for u, (loss, _) in zip(self.ratios, self.group, strict=True)
        )
        bucket = int(far / 4) + 1
        if bucket not in self._points:
            self._points[bucket] = self._made(bucket)
        log_weights, weights, logs, excess = self._points[bucket]
        exponents = a * logs
        with np.errstate(over="ignore", invalid="ignore"):
            near = (weights * (np.expm1(exponents) - a * excess)).sum(axis=1)
            found = np.log1p(near)
        for k in np.flatnonzero((exponents.max(axis=1) > 300) | ~np.isfinite(found)):
            terms = exponents[k] + log_weights[k]
            top = float(terms.max())
            found[k] = top + log(float(np.exp(terms - top).sum()))
        return float(self.counts @ found)

    def _made(self, bucket: int) -> tuple[NDArray[Any], ...]:
        """ln of weights, weights, ln B and B - 1, each of shape (laws, points)."""
        import numpy as np

        spacing = min(0.2, 0.25 / max(self.ratios))
        x = np.arange(-9.0, 4 * bucket + 9.0, spacing)
        plain = log(spacing) - x * x / 2 - log(2 * np.pi) / 2
        rows, excess = [], []
        for u, (loss, _) in zip(self.ratios, self.group, strict=True):
            cut = 2 * np.maximum(x - loss.cut, 0.0) ** 2 if loss.cut < inf else 0.0
            rows.append(plain - cut)
            with np.errstate(over="ignore"):
                grown = np.expm1(np.minimum(u * x - u * u / 2, 700.0))
            excess.append(float(loss.rate) * grown)
        log_weights = np.array(rows)
        logs = np.array([log_ratios(loss, x) for loss, _ in self.group])
        return log_weights, np.exp(log_weights), logs, np.array(excess)
