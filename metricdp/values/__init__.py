"""values: exact scalars, vectors and matrices, which programs run on."""

from metricdp.values.exact import LARGEST, Exact, divide, exact, to_float
from metricdp.values.forms import in_arrays
from metricdp.values.numbers import NumberMatrix, NumberRows, Numbers, listed
from metricdp.values.sums import exact_sum, sum_of_array
from metricdp.values.vectors import ExactMatrix, ExactVector, position
from metricdp.values.wrapping import wrap

__all__ = [
    "LARGEST",
    "Exact",
    "ExactMatrix",
    "ExactVector",
    "NumberMatrix",
    "NumberRows",
    "Numbers",
    "divide",
    "exact",
    "exact_sum",
    "in_arrays",
    "listed",
    "position",
    "sum_of_array",
    "to_float",
    "wrap",
]
