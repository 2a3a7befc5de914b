"""Applying DP: quantiles by scores, and by trees of counts."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
ages = [20 + i % 60 for i in range(600)]
ints = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
candidates = list(range(0, 101, 10))
scores = ints >> dp.t.then_quantile_score_candidates(candidates, alpha=0.5)
assert len(scores(ages)) == 11
median = ints >> dp.m.then_private_quantile(dp.max_divergence(), candidates, 0.5, 1.0)
assert 20 <= median(ages) <= 80
index = scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=float(scores.map(1)) * 4)
assert 0 <= index(ages) <= 10

edges = list(range(10, 100, 10))
bins = list(range(len(edges) + 1))
b = dp.t.choose_branching_factor(size_guess=len(bins))
counts = (
    ints
    >> dp.t.then_find_bin(edges=edges)
    >> dp.t.then_count_by_categories(categories=bins, null_category=False)
)
tree = counts >> dp.t.then_b_ary_tree(leaf_count=len(bins), branching_factor=b)
noisy = tree >> dp.m.then_laplace(scale=1.0)
leaves = dp.t.make_consistent_b_ary_tree(branching_factor=b)
smooth = noisy >> leaves
assert len(smooth(ages)) == len(bins)
quantiles = dp.t.make_quantiles_from_counts(edges, alphas=[0.25, 0.5, 0.75])
found = (counts >> dp.m.then_laplace(scale=1.0) >> quantiles)(ages)
assert 25 <= found[0] <= found[1] <= found[2] <= 75
cdf = dp.t.make_cdf(TA=float)
assert abs(cdf([1.0, 2.0, 3.0])[1] - 0.5) < 1e-9
RESULTS = {
    "private quantile": median.map(1),
    "index": index.map(1),
    "branching factor": b,
    "tree": tree.map(1),
    "noisy": noisy.map(1),
    "smooth": smooth.map(1),
}
