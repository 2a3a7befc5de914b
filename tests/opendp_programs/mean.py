"""Applying DP: the mean, with a size that is known, guessed or released."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
ages = [float(20 + i % 50) for i in range(1000)]
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
known = (
    (dp.vector_domain(dp.atom_domain(T=float, nan=False), size=1000), dp.symmetric_distance())
    >> dp.t.then_clamp((0.0, 120.0))
    >> dp.t.then_mean()
)
guessed = (
    space
    >> dp.t.then_clamp((0.0, 120.0))
    >> dp.t.then_resize(size=500, constant=40.0)
    >> dp.t.then_mean()
)
assert abs(known(ages) - sum(ages) / 1000) < 1e-9
scale = dp.binary_search_param(lambda s: known >> dp.m.then_laplace(s), d_in=2, d_out=1.0)
release = known >> dp.m.then_laplace(scale)
assert release.check(2, 1.0) and isinstance(release(ages), float)
total = space >> dp.t.then_clamp((0.0, 120.0)) >> dp.t.then_sum()
count = space >> dp.t.then_count()
both = dp.c.make_composition(
    [
        dp.binary_search_chain(lambda s: total >> dp.m.then_laplace(s), d_in=1, d_out=0.5),
        dp.binary_search_chain(lambda s: count >> dp.m.then_laplace(s), d_in=1, d_out=0.5),
    ]
)
dp_sum, dp_count = both(ages)
assert dp_count > 900 and 0 < dp_sum / dp_count < 120
RESULTS = {
    "known": known.map(2),
    "guessed": guessed.map(1),
    "scale": scale,
    "release": release.map(2),
    "two releases": both.map(1),
}
