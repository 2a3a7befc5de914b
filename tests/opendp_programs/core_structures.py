"""Core structures: transformations, measurements, what they are made of, and chains."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
count = dp.t.make_count(*space)
assert count.input_domain == space[0] and count.input_metric == space[1]
assert count([1, 2, 3]) == count.invoke([1, 2, 3]) == count.function([1, 2, 3]) == 3
assert count.check(d_in=2, d_out=2) and not count.check(d_in=2, d_out=1)

laplace = dp.m.make_laplace(count.output_domain, count.output_metric, scale=2.0)
noisy_count = count >> laplace
assert noisy_count.output_measure == dp.max_divergence()
assert isinstance(noisy_count([1, 2, 3]), int)
assert noisy_count.check(d_in=1, d_out=0.5) and not noisy_count.check(d_in=1, d_out=0.49)

partial = space >> dp.t.then_clamp((0, 9)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=18.0)
found = dp.binary_search_param(
    lambda s: space >> dp.t.then_clamp((0, 9)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=s),
    d_in=1,
    d_out=0.5,
)
doubled = noisy_count >> (lambda release: 2 * release)
assert doubled([1, 2]) % 2 == 0
try:
    count >> dp.t.make_count(*space)
except Exception:
    refused = True
RESULTS = {
    "count": count.map(1),
    "noisy count": noisy_count.map(1),
    "sum": partial.map(2),
    "scale": found,
    "post-processing": doubled.map(3),
    "refused": refused,
}
