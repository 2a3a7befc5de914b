"""Constructors under their names in OpenDP, with the errors that mypy --strict must find."""

import metricdp.opendp as dp
from metricdp.opendp.trans import make_clamp as make_clamp_2021


def program() -> None:
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=150), dp.symmetric_distance()
    chain = space >> dp.t.then_clamp((0.0, 100.0)) >> dp.t.then_mean()
    found: dp.Measurement = dp.binary_search_chain(lambda s: chain >> dp.m.then_laplace(s), 3, 1.0)
    one: dp.Transformation = dp.t.make_clamp(*space, bounds=(0.0, 1.0))
    old: dp.Transformation = make_clamp_2021((0.0, 1.0))
    text: str = dp.serialize(one)
    print(found, old, text)
    dp.t.make_clamp(*space, bound=(0.0, 1.0))  # type: ignore[call-arg]  # error
    dp.t.make_clamps(*space)  # type: ignore[attr-defined]  # error
    dp.m.make_laplace(*space, scale="2")  # type: ignore[arg-type]  # error
    wrong: dp.Measurement = dp.t.make_count(*space)  # type: ignore[assignment]  # error
    print(wrong)
