"""Supporting elements: domains and members, metrics, measures, distances."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
bounded = dp.atom_domain(bounds=(0, 1))
vector = dp.vector_domain(bounded)
assert vector.member([0, 1, 1]) and not vector.member([0, 2])
assert dp.vector_domain(bounded, size=2).member([0, 1])
assert not dp.vector_domain(bounded, size=2).member([0])
assert not dp.atom_domain(T=float, nan=False).member(float("nan"))
assert dp.atom_domain(T=float, nan=True).member(float("nan"))
assert str(dp.symmetric_distance()) == "SymmetricDistance()"
assert str(dp.l1_distance(T=float)) == "L1Distance(f64)"
assert str(dp.max_divergence()) == "MaxDivergence"

clamp = dp.t.make_clamp(
    dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance(), bounds=(1, 10)
)
assert clamp.check(d_in=3, d_out=4)
total = dp.t.make_sum(dp.vector_domain(dp.atom_domain(bounds=(0, 10))), dp.symmetric_distance())
sized = dp.t.make_sum(
    dp.vector_domain(dp.atom_domain(bounds=(0, 10)), size=50), dp.symmetric_distance()
)
pure = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), 4.0)
zcdp = dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), 4.0)
RESULTS = {
    "clamp": clamp.map(3),
    "sum": total.map(3),
    "sized sum": sized.map(3),
    "pure": pure.map(1.0),
    "zcdp": zcdp.map(1.0),
    "curve at epsilon 1": dp.c.make_zCDP_to_approxDP(zcdp).map(1.0).delta(1.0),
    "epsilon at 1e-6": dp.c.make_zCDP_to_approxDP(zcdp).map(1.0).epsilon(1e-6),
    "fixed": dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(zcdp), delta=1e-6).map(1.0)[0],
}
