"""Odometers and filters: what was spent, and a bound on what may be."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
count = space >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0)
total = space >> dp.t.then_clamp((0, 10)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=5.0)
odometer = dp.c.make_fully_adaptive_composition(
    input_domain=space[0], input_metric=space[1], output_measure=dp.max_divergence()
)
queryable = odometer([1, 2, 3, 4])
losses = [queryable.privacy_loss(1)]
queryable(total)
losses.append(queryable.privacy_loss(1))
queryable(count)
losses.append(queryable.privacy_loss(1))

bounded = dp.c.make_privacy_filter(odometer, d_in=1, d_out=2.0)
filtered = bounded([1, 2, 3, 4])
filtered(count)
filtered(count)
try:
    filtered(total)
except Exception:
    refused = True
tenths = dp.c.make_privacy_filter(odometer, d_in=1, d_out=1.0)([1, 2, 3])
tenth = space >> dp.t.then_count() >> dp.m.then_laplace(scale=10.0)
for _ in range(9):
    tenths(tenth)
RESULTS = {
    "before": losses[0],
    "after the sum": losses[1],
    "after both": losses[2],
    "filter": bounded.map(1),
    "refused": refused,
}
