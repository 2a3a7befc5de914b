"""Applying DP: the variance of a clamped column."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
incomes = [float(i % 101) for i in range(200)]
sized = dp.vector_domain(dp.atom_domain(bounds=(0.0, 100.0), nan=False), size=200)
variance = dp.t.make_variance(sized, dp.symmetric_distance(), ddof=1)
mean = sum(incomes) / 200
assert abs(variance(incomes) - sum((x - mean) ** 2 for x in incomes) / 199) < 1e-6
population = dp.t.make_variance(sized, dp.symmetric_distance(), ddof=0)
resized = (
    (dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance())
    >> dp.t.then_clamp((0.0, 100.0))
    >> dp.t.then_resize(size=200, constant=50.0)
    >> dp.t.then_variance()
)
release = dp.binary_search_chain(lambda s: resized >> dp.m.then_laplace(s), d_in=1, d_out=1.0)
assert release.check(1, 1.0)
RESULTS = {
    "one changed": variance.map(2),
    "five changed": variance.map(10),
    "population": population.map(2),
    "resized": resized.map(1),
    "release": release.map(1),
}
