"""Noise for the gallery: the exact samplers of this library, on whole arrays, seeded by the audit.

The claims of the gallery are about logic; with exact noise nothing else can break them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricdp.noise import discrete_laplace, system_source
from metricdp.noise import gaussian as exact_gaussian
from metricdp.noise import laplace as exact_laplace
from metricdp.run.emit import current_handler

if TYPE_CHECKING:
    from numpy.typing import NDArray


def laplace(values: Any, scale: Any, shape: Any = None) -> NDArray[Any]:
    """Values plus independent Laplace noise, as an array of `shape` (of `values` by default)."""
    return _noisy(exact_laplace, values, scale, shape)


def gaussian(values: Any, sigma: Any, shape: Any = None) -> NDArray[Any]:
    """Values plus independent normal noise."""
    return _noisy(exact_gaussian, values, sigma, shape)


def geometric(values: Any, scale: Any, shape: Any = None) -> NDArray[Any]:
    """Integers plus independent discrete Laplace noise."""
    import numpy as np

    given = _spread(values, shape)
    noise = np.asarray(discrete_laplace(scale, given.size, source()))
    total: NDArray[Any] = given + noise.reshape(given.shape)
    return total


def generator() -> Any:
    """A NumPy generator seeded from the audit's source: samples, orders, coins."""
    import numpy as np

    return np.random.default_rng(source().randbits(64))


def source() -> Any:
    """The random bits of the audit."""
    return getattr(current_handler(), "source", None) or system_source()


def _noisy(sampler: Any, values: Any, scale: Any, shape: Any) -> NDArray[Any]:
    import numpy as np

    given = _spread(values, shape)
    drawn = np.asarray(sampler(given.ravel(), scale, source=source()), dtype=np.float64)
    return drawn.reshape(given.shape)


def _spread(values: Any, shape: Any) -> NDArray[Any]:
    import numpy as np

    given = np.asarray(values, dtype=np.float64)
    return given if shape is None else np.array(np.broadcast_to(given, shape))
