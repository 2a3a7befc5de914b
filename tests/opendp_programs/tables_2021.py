# ruff: noqa: F403, F405
"""Chains of 2021 from text: split, cast, impute, clamp, count by categories and by keys."""

import metricdp.opendp as dp
from metricdp.opendp.comb import make_basic_composition, make_chain_mt
from metricdp.opendp.meas import *
from metricdp.opendp.trans import *

TEXT = "1,x\n3,y\nnan,x\n12,z\n"
column = make_split_dataframe(",", col_names=["a", "b"]) >> make_select_column("a", TOA=str)
numbers = column >> make_cast_default(TIA=str, TOA=float) >> make_clamp((0.0, 10.0))
total = numbers >> make_bounded_sum((0.0, 10.0))
assert total(TEXT) == 14.0 and total.map(1) == 10.0  # NaN is read as 0, and 12 is clamped
assert (total >> make_base_laplace(10.0)).map(1) == 1.0
counts = column >> make_count_by_categories(["1", "3"], MO=dp.L1Distance[int], TIA=str)
assert counts(TEXT) == [1, 1, 2] and counts.map(2) == 2
noisy = counts >> make_base_geometric(1.0, D="VectorDomain<AllDomain<i32>>")
assert noisy.map(1) == 1.0 and len(noisy(TEXT)) == 3
whole = make_cast(TIA=str, TOA=int) >> make_impute_constant(0) >> make_clamp((0, 9))
assert (whole >> make_bounded_sum((0, 9)))(["3", "x", "11"]) == 12
free = make_clamp((0.0, 1.0)) >> make_unclamp((0.0, 1.0)) >> make_count(TIA=float)
assert free.map(3) == 3 and free([5.0, 6.0]) == 2
keys = make_count_by(4, dp.L1Distance[int], TIA=str)
assert keys(["x", "y", "x", "z"]) == {"x": 2, "y": 1, "z": 1}
seen = keys >> make_base_stability(4, 2.0, 20.0, dp.L1Distance[int], str)
assert seen.map(2)[0] == 1.0 and seen.map(1) == (0.0, 0.0)
both = make_basic_composition(make_base_laplace(1.0), make_base_laplace(2.0))
assert both.map(1.0) == 1.5
assert make_chain_mt(make_base_laplace(1.0), make_clamp((0.0, 1.0)) >> make_bounded_sum((0.0, 1.0)))
assert make_sized_bounded_variance(10, (0.0, 1.0)).map(2) == 0.1
RESULTS: dict[str, float] = {}
