"""Applying DP: counts by public categories, by bins, and by keys that nobody knows."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
people = ["a", "b", "a", "c", "a", "z"] * 50
texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
known = texts >> dp.t.then_count_by_categories(categories=["a", "b", "c"])
assert list(known(people)) == [150, 50, 50, 50]
without = texts >> dp.t.then_count_by_categories(categories=["a", "b"], null_category=False)
assert list(without(people)) == [150, 50]
laplace = known >> dp.m.then_laplace(scale=1.0)
assert len(laplace(people)) == 4
euclid = texts >> dp.t.then_count_by_categories(
    categories=["a", "b"], MO=dp.L2Distance[float], TOA="f64"
)
gauss = euclid >> dp.m.then_gaussian(scale=2.0)
numbers = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
bins = (
    numbers
    >> dp.t.then_find_bin(edges=[0, 10, 20])
    >> dp.t.then_count_by_categories(categories=[0, 1, 2, 3], null_category=False)
)
assert list(bins([-5, 0, 3, 10, 25])) == [1, 2, 1, 1]
unknown = texts >> dp.t.then_count_by() >> dp.m.then_laplace_threshold(scale=2.0, threshold=40)
released = unknown(people)
assert set(released) <= {"a", "b", "c", "z"} and released["a"] > 40
epsilon, delta = unknown.map(1)
RESULTS = {
    "categories": known.map(1),
    "laplace": laplace.map(1),
    "euclid": euclid.map(4),
    "gauss": gauss.map(1),
    "bins": bins.map(1),
    "threshold epsilon": epsilon,
    "threshold delta": delta,
}
