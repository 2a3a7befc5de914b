"""Plug-ins: a transformation and a measurement of the user in a chain."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
repeated = dp.t.make_user_transformation(
    *space, *space, function=lambda rows: [*rows, *rows], stability_map=lambda d_in: 2 * d_in
)
assert list(repeated([1, 2])) == [1, 2, 1, 2]
count = repeated >> dp.t.then_count() >> dp.m.then_laplace(scale=2.0)
constant = dp.m.make_user_measurement(
    *space,
    output_measure=dp.max_divergence(),
    function=lambda rows: 27,
    privacy_map=lambda d_in: 0.0,
)
assert constant([1]) == 27
after = count >> dp.new_function(lambda x: x + 1, TO="i32")
RESULTS = {"repeated": repeated.map(1), "count": count.map(1), "constant": constant.map(1)}
RESULTS |= {"after": after.map(2)}
