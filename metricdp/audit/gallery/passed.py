"""Noise that passes through functions: no stand-in for a draw can follow it, so samples decide."""

from __future__ import annotations

import json
import math
from typing import Any

from metricdp.audit.gallery.entry import broken, correct

_ROWS = [([], [1.0]), ([1.0], [1.0, 1.0])]
_ALL: dict[str, Any] = {"epsilon": 1, "auditor": "all"}
_LITTLE = "the noise is far smaller than what one row changes"


def _sum(rows: list[float]) -> float:
    return sum(max(0.0, min(1.0, row)) for row in rows)


def _laplace(rng: Any) -> Any:
    import numpy as np

    u = rng.random() - 0.5
    return -np.sign(u) * np.log(1 - 2 * abs(u))


def _gumbel(rng: Any) -> Any:
    import numpy as np

    return -np.log(-np.log(rng.random()))


@correct(_ROWS, "Laplace noise by its quantiles, rounded", **_ALL)
def laplace_by_quantiles(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return np.round(_sum(rows) + _laplace(rng), 1)


@broken(_ROWS, _LITTLE, twin="laplace_by_quantiles", **_ALL)
def small_laplace_by_quantiles(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return np.round(_sum(rows) + 0.1 * _laplace(rng), 1)


@correct(_ROWS, "the exponential mechanism, by Gumbel noise", **_ALL)
def gumbel_by_logarithms(rows: list[float], rng: Any) -> int:
    return int(len(rows) / 2 + _gumbel(rng) < 0.5 + _gumbel(rng))


@broken(_ROWS, "Gumbel noise of a hundredth of the scale", twin="gumbel_by_logarithms", **_ALL)
def small_gumbel_by_logarithms(rows: list[float], rng: Any) -> int:
    return int(len(rows) / 2 + _gumbel(rng) / 100 < 0.25 + _gumbel(rng) / 100)


@broken(_ROWS, _LITTLE, **_ALL)
def cosine_of_a_draw(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return _sum(rows) + 1e-9 * np.cos(rng.random())


@broken(_ROWS, _LITTLE, **_ALL)
def box_and_muller(rows: list[float], rng: Any) -> Any:
    import numpy as np

    radius = np.sqrt(-2 * np.log(rng.random()))
    return _sum(rows) + 0.1 * radius * np.cos(2 * np.pi * rng.random())


@broken(_ROWS, _LITTLE, **_ALL)
def exponential_of_a_draw(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return _sum(rows) + 0.01 * np.exp(rng.random())


@broken(_ROWS, _LITTLE, **_ALL)
def tangent_of_a_draw(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return _sum(rows) + 0.1 * np.tanh(rng.random())


@broken(_ROWS, "the noise is 0 or 1", **_ALL)
def rounded_draw(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return 2 * _sum(rows) + np.round(rng.random())


@broken(_ROWS, "the noise is -1 or 1", **_ALL)
def sign_of_a_draw(rows: list[float], rng: Any) -> Any:
    import numpy as np

    return 4 * _sum(rows) + np.sign(rng.random() - 0.5)


@broken(_ROWS, "the count, where nothing fails", **_ALL)
def error_that_is_caught(rows: list[float], rng: Any) -> Any:
    try:
        return len(rows) + 1e-3 * math.log(rng.random())
    except Exception:
        return 0.0


@broken(_ROWS, "the count, where nothing fails", **_ALL)
def any_error_is_caught(rows: list[float], rng: Any) -> Any:
    try:
        return len(rows) + 1e-3 * json.loads(json.dumps(rng.random()))
    except:  # noqa: E722
        return 0.0


@broken(_ROWS, "the count, unless an audit stands behind the draw", **_ALL)
def asks_for_the_type(rows: list[float], rng: Any) -> Any:
    draw = rng.random()
    return len(rows) if type(draw) is float else draw < 0.5


@broken(_ROWS, "the count, unless an audit stands behind the noise", **_ALL)
def asks_noise_for_its_type(rows: list[float], rng: Any) -> Any:
    noise = rng.laplace(scale=1e-3)
    return len(rows) + noise if type(noise) is float else 0.0


@broken(_ROWS, "the error tells whether there are rows", **_ALL)
def error_that_tells(rows: list[float], rng: Any) -> Any:
    import numpy as np

    if np.sqrt(rng.random()) < 0.9:
        raise ValueError(f"{len(rows)} rows are too few")
    return 0.0


@broken(_ROWS, "prints the number of rows beside noise that no replay follows", **_ALL)
def logarithm_that_prints(rows: list[float], rng: Any) -> Any:
    import numpy as np

    print(len(rows))
    return np.log(rng.random())
