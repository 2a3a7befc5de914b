"""Readings of one measurement under other measures, and its profile.

Every measurement with an epsilon has a rho, epsilon tanh(epsilon / 2), and is (epsilon, 0); every
one has a (rho, delta); nothing turns a cost with a delta back into an epsilon or a rho without one.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import inf
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.interaction.costs import is_implied, view
from metricdp.interaction.fixed_delta import pair
from metricdp.interaction.profiles import PrivacyProfile
from metricdp.interaction.spending import as_event
from metricdp.maps import Measurement, Step
from metricdp.maps.distances import Number, typed
from metricdp.maps.fixed import Vouched
from metricdp.maps.measurement import SOURCE
from metricdp.measures.events import Tree
from metricdp.measures.readings import APPROX_ZCDP


def in_measure(measurement: Measurement, measure: str) -> Measurement:
    """The measurement with its cost under one measure: "approx" or "zcdp" of an epsilon,
    "approx_zcdp" of anything, or itself.

    The tree stays, so that later compositions are as tight as before.

    Raises:
        ParameterError: a measure that its costs do not imply.
    """
    if not is_implied(measurement.privacy, measure):
        raise ParameterError(
            f"`{measurement.name}` has no {measure} map, and none of "
            f"{', '.join(measurement.privacy)} implies one",
            place=measurement.name,
            remedy="add noise of another kind, or fix a delta",
        )
    maps = view(measurement.privacy, measure)
    return _replaced(measurement, {measure: maps}, f"read as {measure}", measurement.tree)


def profile_at(measurement: Measurement, d_in: int | float | Fraction) -> PrivacyProfile:
    """The privacy profile at a distance: from the tree where there is one, else from the costs.

    Raises:
        ParameterError: a distance that is negative or NaN.
    """
    distance = typed(d_in, "d_in")
    if not distance:
        return PrivacyProfile(steps=())
    tree = measurement.tree
    if tree is not None and distance != inf:
        from metricdp.measures.sampling import adjacency
        from metricdp.measures.steps import steps

        taken = steps(tree, SOURCE, Fraction(distance), {})
        return PrivacyProfile(steps=taken, adjacency=adjacency(measurement.input_space))
    costs = {name: tuple(part(distance) for part in m) for name, m in measurement.privacy.items()}
    for name in ("pure", "zcdp", "approx", "approx_zcdp"):
        if name in costs:
            of = PrivacyProfile.of_rho if "zcdp" in name else PrivacyProfile.of_pair
            return of(*costs[name])
    raise ParameterError("no cost to read a profile from", place=measurement.name)


def profile_beside_delta(
    measurement: Measurement, d_in: int | float | Fraction
) -> tuple[PrivacyProfile, Number]:
    """Of a (rho, delta): the profile but for the open failure, and its probability.

    Raises:
        ParameterError: a distance that is negative or NaN, or a measurement without (rho, delta).
    """
    rho, delta = (part(d_in) for part in in_measure(measurement, APPROX_ZCDP).privacy[APPROX_ZCDP])
    distance = typed(d_in, "d_in")
    if measurement.tree is not None and distance and distance != inf:
        from metricdp.measures.steps import steps

        with suppress(ParameterError):
            taken = steps(measurement.tree, SOURCE, Fraction(distance), {})
            if all(step.whole for step in taken):
                sound = [msgspec.structs.replace(step, leak=Fraction(0)) for step in taken]
                return PrivacyProfile(steps=sound), delta
    return PrivacyProfile.of_rho(rho), delta


def fix_delta(measurement: Measurement, delta: int | float | Fraction) -> Measurement:
    """The (epsilon, delta) of a measurement at one delta; compositions of such are read together.

    Raises:
        ParameterError: delta outside (0, 1), or a measurement whose costs are no formulas.
    """
    share = typed(delta, "delta")
    if not 0 < share < 1:
        raise ParameterError(f"delta is {delta}", place="delta", remedy="choose 0 < delta < 1")
    from metricdp.measures.sampling import adjacency

    tree = measurement.tree or as_event(measurement.name, measurement.privacy)
    if tree is None:
        raise ParameterError(
            f"the cost of `{measurement.name}` is a function, not a formula",
            place=measurement.name,
            remedy="read its profile: profile_at(measurement, d_in).epsilon(delta)",
        )
    maps = pair(tree, Fraction(share), adjacency(measurement.input_space))
    return _replaced(measurement, {"approx": maps}, f"at delta = {delta}", tree)


def _replaced(
    measurement: Measurement, privacy: dict[str, Any], reason: str, tree: Tree | None
) -> Measurement:
    last = Step(reason, None, None, costs={}, reason="another reading of the same releases")
    return Measurement(
        measurement.input_space,
        measurement.function,
        privacy,
        measurement.name,
        steps=Vouched((*measurement.steps, last)),
        enter=measurement.enter,
        tree=tree,
    )
