"""Spellings of the seed system: `MetricVector(E, N)` for `Vector[E, N]`."""

from __future__ import annotations

from metricdp.spaces.markers import element_name, norm_name
from metricdp.spaces.matrices import Matrix
from metricdp.spaces.vectors import Gradient, Vector


def MetricVector(element: object, norm: object) -> Vector:
    """`Vector[element, norm]`."""
    return Vector(element_name(element), norm_name(norm))


def MetricMatrix(element: object, norm: object) -> Matrix:
    """`Matrix[element, norm]`."""
    return Matrix(element_name(element), norm_name(norm))


def MetricGradient(element: object, norm: object) -> Gradient:
    """`Gradient[element, norm]`."""
    return Gradient(element_name(element), norm_name(norm))
