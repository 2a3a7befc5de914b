"""Composition: all at once, one by one, nested, after a transformation, in several measures."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
count = space >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0)
total = space >> dp.t.then_clamp((0, 10)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=5.0)
at_once = dp.c.make_composition([count, total])
assert len(at_once([1, 2, 3])) == 2

adaptive = dp.c.make_adaptive_composition(
    input_domain=space[0],
    input_metric=space[1],
    output_measure=dp.max_divergence(),
    d_in=1,
    d_mids=[2.0, 1.0],
)
queryable = adaptive([1, 2, 3])
first, second = queryable(total), queryable(count)
assert isinstance(first, int) and isinstance(second, int)
try:
    queryable(count)
except Exception:
    exhausted = True

texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
chained = texts >> dp.t.then_cast_default(int) >> adaptive
assert isinstance(chained(["1", "2", "x"])(total), int)
outer = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1, d_mids=[3.0, 1.0])
inner = outer([1, 2, 3])(adaptive)
assert isinstance(inner(total), int)

gauss = space >> dp.t.then_count() >> dp.m.then_gaussian(scale=2.0)
two = dp.c.make_composition([gauss, gauss])
mixed = dp.c.make_composition([dp.c.make_pureDP_to_zCDP(count), gauss])
approximate = dp.c.make_composition([dp.c.make_approximate(count), dp.c.make_approximate(count)])
sample = dp.vector_domain(dp.atom_domain(bounds=(0, 10)), size=10), dp.symmetric_distance()
amplified = dp.c.make_population_amplification(
    sample >> dp.t.then_sum() >> dp.m.then_laplace(scale=10.0), population_size=100
)
RESULTS = {
    "at once": at_once.map(1),
    "adaptive": adaptive.map(1),
    "chained": chained.map(1),
    "outer": outer.map(1),
    "two": two.map(1),
    "mixed": mixed.map(1),
    "approximate": approximate.map(1)[0],
    "amplified": amplified.map(2),
    "exhausted": exhausted,
}
