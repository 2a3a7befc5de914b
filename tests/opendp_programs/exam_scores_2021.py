# ruff: noqa: F403, F405
"""The exam scores of 2021: three tests a student, so a student moves three rows."""

from fractions import Fraction

from metricdp.opendp.meas import *
from metricdp.opendp.mod import binary_search_chain, binary_search_param, enable_features
from metricdp.opendp.trans import *

enable_features("floating-point")
assert make_clamp(bounds=(1, 10)).check(d_in=3, d_out=4)
num_tests = 3
num_students = 50
size = num_students * num_tests
bounds = (0.0, 100.0)
epsilon = 1.0
aggregator = (
    make_clamp(bounds)
    >> make_bounded_resize(size, bounds, 0.0)
    >> make_sized_bounded_mean(size, bounds)
)
# The release of that year said 4/3: a resize may replace as many rows as were added.
assert aggregator.exact_map(3) == 2 and aggregator.map(3) == 2.0
assert not aggregator.check(3, Fraction(2) - Fraction(1, 10**12))
moved = aggregator([100.0] * 3 + [0.0] * 147) - aggregator([0.0] * 147)
assert moved == 2.0
scale = binary_search_param(
    lambda s: aggregator >> make_base_laplace(s), d_in=num_tests, d_out=epsilon
)
assert abs(scale - 2.0) <= 1e-12
meas = binary_search_chain(
    lambda s: aggregator >> make_base_laplace(s), d_in=num_tests, d_out=epsilon
)
assert meas.check(num_tests, epsilon) and meas.map(num_tests) == 1.0
assert isinstance(meas([80.0, 90.0, 70.0]), float)
RESULTS: dict[str, float] = {}
