"""values: exact scalars, vectors, matrices and columns, which programs run on."""

from metricdp.values.column import (
    Column,
    clamp_scalar_to_grid,
    clamp_to_grid,
    count,
    exact_sum,
    grid_exponent,
)
from metricdp.values.exact import LARGEST, Exact, divide, exact, to_float
from metricdp.values.forms import in_arrays
from metricdp.values.masks import accepted
from metricdp.values.missing import MaybeColumn
from metricdp.values.numbers import NumberMatrix, NumberRows, Numbers, listed
from metricdp.values.unread import Unread
from metricdp.values.vectors import ExactMatrix, ExactVector, position
from metricdp.values.wrapping import wrap

__all__ = [
    "LARGEST",
    "Column",
    "Exact",
    "ExactMatrix",
    "ExactVector",
    "MaybeColumn",
    "NumberMatrix",
    "NumberRows",
    "Numbers",
    "Unread",
    "accepted",
    "clamp_scalar_to_grid",
    "clamp_to_grid",
    "count",
    "divide",
    "exact",
    "exact_sum",
    "grid_exponent",
    "in_arrays",
    "listed",
    "position",
    "to_float",
    "wrap",
]
