# ruff: noqa: F403, F405
"""Supporting elements of 2021: typing, relations, approximate privacy, substitutions."""

import pytest

from metricdp.errors import ParameterError
from metricdp.opendp.meas import *
from metricdp.opendp.mod import binary_search_chain, enable_features
from metricdp.opendp.trans import *
from metricdp.opendp.typing import *

enable_features("floating-point")
clamp = make_clamp(bounds=(1, 10))
assert clamp.check(d_in=3, d_out=4) and not clamp.check(d_in=3, d_out=2)

whole = make_bounded_sum(bounds=(0, 1))
assert whole.input_domain == VectorDomain[BoundedDomain((0, 1))]
assert whole.output_domain == AllDomain[int]
assert repr(whole.output_domain) == "AtomDomain(T=i32)"
sized = make_sized_bounded_sum(4, (0.0, 2.0))
assert sized.input_domain == SizedDomain(VectorDomain[BoundedDomain((0.0, 2.0))], 4)
assert SizedDomain[VectorDomain[AllDomain[float]]] == VectorDomain[AllDomain[float]]

noise = make_base_gaussian(scale=20.0)
assert repr(noise.output_measure) == "SmoothedMaxDivergence"
assert noise.check(3.0, (1.0, 1e-6)) and not noise.check(3.0, (0.1, 1e-6))
assert not make_base_gaussian(scale=5.0).check(3, (1.0, 1e-6))
vector = make_base_gaussian(20.0, D=VectorDomain[AllDomain[float]])
assert vector.check(3.0, (1.0, 1e-6)) and vector.input_domain == VectorDomain[AllDomain[float]]
assert make_base_laplace(2.0, D="VectorDomain<AllDomain<f64>>").check(2, 1.0)

total = make_clamp((0.0, 10.0)) >> make_bounded_sum((0.0, 10.0))
chain = binary_search_chain(
    lambda scale: total >> make_base_gaussian(scale), d_in=3, d_out=(1.0, 1e-6)
)
assert chain.check(3, (1.0, 1e-6)) and not chain.check(4, (1.0, 1e-6))

replaced = make_cast_metric(SubstituteDistance, SymmetricDistance, float)
assert replaced.check(1, 2) and not replaced.check(1, 1)
assert (replaced >> total).check(1, 20.0) and not (replaced >> total).check(1, 19.0)
for metrics in (("SymmetricDistance", "SubstituteDistance"), (AbsoluteDistance, L1Distance)):
    with pytest.raises(ParameterError):
        make_cast_metric(*metrics, "f64")
for wrong in (lambda: VectorDomain[float], lambda: SizedDomain(AllDomain[int], 3)):
    with pytest.raises(ParameterError):
        wrong()
RESULTS: dict[str, float] = {}
