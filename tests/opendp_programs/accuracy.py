"""Utilities: scales and accuracies, searches, selection and randomized response."""

import metricdp.opendp as dp

dp.enable_features("contrib", "honest-but-curious")
response = dp.m.make_randomized_response_bool(prob=0.75)
choice = dp.m.make_randomized_response(categories=["x", "y", "z"], prob=0.5)
assert choice("x") in ("x", "y", "z")
scores = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
best = scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=2.0)
assert best([1, 2, 50]) == 2
top = scores >> dp.m.then_noisy_top_k(dp.max_divergence(), k=2, scale=2.0)
assert sorted(top([1, 90, 80])) == [1, 2]
low = dp.binary_search(lambda x: x >= 5.0, bounds=(0.0, 10.0))
whole = dp.binary_search(lambda x: x <= 5, bounds=(0, 10))
assert abs(low - 5.0) < 1e-9 and whole == 5
scale = 3.0
accuracy = dp.laplacian_scale_to_accuracy(scale, alpha=0.05)
assert abs(dp.accuracy_to_laplacian_scale(accuracy, alpha=0.05) - scale) < 1e-9
assert dp.discrete_laplacian_scale_to_accuracy(1.0, 0.05) > 3
assert dp.gaussian_scale_to_accuracy(1.0, 0.05) > 1.9
RESULTS = {
    "bool": response.map(1),
    "choice": choice.map(1),
    "best": best.map(1),
    "top": top.map(1),
    "accuracy": accuracy,
    "gaussian": dp.gaussian_scale_to_accuracy(2.0, alpha=0.1),
}
