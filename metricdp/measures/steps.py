"""A composition tree at numbers, as the steps of the accountant: what one input pays, as curves.

The tree is read as `readings.spent` reads it, but every event keeps its Renyi curve in place of one
cost: the one that its family knows, which for many a mechanism is that of its cost.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting.renyi import (
    Curve,
    DiscreteGaussianCurve,
    GaussianCurve,
    LaplaceCurve,
    PureCurve,
)
from metricdp.errors import ParameterError
from metricdp.expr import ONE, Expr, compose, linear_coefficient, num
from metricdp.families.spent import Numbers, SpentNoise, lower, upper
from metricdp.measures.accounted import AccountedStep
from metricdp.measures.events import (
    Choice,
    Event,
    Parallel,
    Reach,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    Tree,
    apart,
    no_node,
    noise_bound,
    two_parts,
)
from metricdp.measures.joint import cancels
from metricdp.measures.paid import gaussian_total, paid, whole, worst
from metricdp.measures.readings import (
    APPROX_ZCDP,
    BOUND,
    MOVED,
    RATIO,
    available,
    leaves,
    read_together,
    spent,
)
from metricdp.measures.replaced import coupled, replacing_body

#: Rounds whose cost depends on the loop variable are read one by one up to this many.
_MOST_ROUNDS = 10_000


def steps(
    tree: Tree, source: Any, distance: Fraction | int, numbers: Numbers
) -> list[AccountedStep]:
    """The steps that `source` pays when it moves by `distance`.

    Args:
        source: a source of movement, as the events name it.
        distance: in the input's metric, >= 0.
        numbers: a value for every public name in the tree.

    Raises:
        ParameterError: an infinite cost, or a tree that has no reading at this distance.
        ExpressionError: a public name without a value.
    """
    distance = Fraction(distance)
    if isinstance(tree, Spent):
        return _event_step(tree, source, distance, numbers)
    if isinstance(tree, Sequence):
        return [step for item in tree.items for step in steps(item, source, distance, numbers)]
    if isinstance(tree, Choice):
        return worst([steps(item, source, distance, numbers) for item in tree.items])
    if isinstance(tree, Repeat):
        return _rounds(tree, source, distance, numbers)
    if isinstance(tree, Sampled):
        return _sampled(tree, source, distance, numbers)
    if isinstance(tree, Selected):
        from metricdp.measures.renyi_selected import selected_step

        stop, shape = (lower(tree.stop, numbers), upper(tree.shape, numbers))
        return selected_step(steps(tree.body, source, distance, numbers), stop, shape)
    if not isinstance(tree, Parallel):
        raise no_node(tree)
    rest = steps(tree.body, source, distance, numbers)
    if source != tree.parent:
        return rest
    try:
        return rest + _rows(tree, distance, numbers)
    except ParameterError:
        if not tree.each:
            raise
    return steps(apart(tree), source, distance, numbers)


def _rounds(tree: Repeat, source: Any, distance: Fraction, numbers: Numbers) -> list[AccountedStep]:
    count = int(upper(tree.count, numbers))
    if count <= 0:
        return []
    if not tree.index:
        return [_times(step, count) for step in steps(tree.body, source, distance, numbers)]
    if count > _MOST_ROUNDS:
        raise ParameterError(f"{count} rounds of different cost are too many", place="loop")
    found: dict[AccountedStep, int] = {}
    for i in range(count):
        for step in steps(tree.body, source, distance, {**numbers, tree.index: i}):
            found[step] = found.get(step, 0) + 1
    return [_times(step, times) for step, times in found.items()]


def _sampled(
    tree: Sampled, source: Any, distance: Fraction, numbers: Numbers
) -> list[AccountedStep]:
    """All that reads one sample as one step, amplified by the accountant."""
    direct = steps(tree.body, source, distance, numbers)
    if source != tree.parent or not distance:
        return direct
    base = _of_sample(tree, 1, numbers, tree.body)
    if not base:
        return direct
    if distance.denominator != 1:
        raise ParameterError(f"rows do not differ by {distance} of them", place="sample")
    curve, leak = _leaking(base)
    known: Any = tree.adjacency
    sampled = AccountedStep(
        curve, 1, leak, tree.scheme.at(numbers), None, known,
        int(distance), _far(tree, distance, numbers), replaced=_replaced(tree, numbers),
    )  # fmt: skip
    if "pure" in available(tree) and cancels(tree):
        # Sums of what each source moves would not know that they cancel.
        (joint,) = spent(tree, "pure", source, num(distance))
        return [AccountedStep(PureCurve(upper(joint, numbers)))]
    if direct and read_together(tree):
        return [msgspec.structs.replace(sampled, beside=tuple(direct))]
    return [sampled, *direct]


def _of_sample(
    tree: Sampled, rows: Fraction | int, numbers: Numbers, body: Tree
) -> list[AccountedStep]:
    """Steps of the body when its sample differs in these rows; samples of the sample are paid."""
    found = steps(body, tree.row, rows, numbers)
    return paid(found, None, Fraction(0))


def _leaking(found: list[AccountedStep]) -> tuple[Curve, Fraction]:
    return _together(found), sum((step.count * step.leak for step in found), Fraction(0))


def _replaced(tree: Sampled, numbers: Numbers) -> tuple[Curve, Fraction] | None:
    """The body when one row of its sample is replaced; None where that is two steps."""
    body = replacing_body(tree)
    try:
        return None if body is None else _leaking(_of_sample(tree, 1, numbers, body))
    except ParameterError:
        return None


def _together(base: list[AccountedStep]) -> Curve:
    if all(step.curve.gaussian_rho is not None for step in base):
        return GaussianCurve(gaussian_total(base))
    if len(base) == 1 and base[0].count == 1:
        return base[0].curve
    return whole(base)


def _far(
    tree: Sampled, distance: Fraction, numbers: Numbers
) -> tuple[Curve, Fraction] | None:  # fmt: skip
    """The body on samples that differ as much as coupled ones may: divergences of mixtures are at
    most the largest of their parts, so this holds without amplification."""
    try:
        body, rows = coupled(tree, num(distance))
        return _leaking(_of_sample(tree, upper(rows, numbers), numbers, body))
    except ParameterError:
        return None


def _rows(tree: Parallel, distance: Fraction, numbers: Numbers) -> list[AccountedStep]:
    """Rows whose distances add up to `distance`: discrete rows each move by 1, at most."""
    if tree.reach is not None:
        return _reached(tree, tree.reach, distance, numbers)
    distance *= Fraction(upper(tree.factor, numbers))
    if tree.unit:
        each = steps(tree.body, tree.row, 1, numbers)
        return [_times(step, int(distance)) for step in each]
    if tree.whole and distance == 1:  # one row moves
        return steps(tree.body, tree.row, 1, numbers)
    for leaf in leaves(tree.body):
        moved = leaf.moved.get(tree.row)
        if moved is not None and linear_coefficient(moved) is None:
            raise ParameterError("rows may share their distance in any way", place="rows")
    found = [_by_rho(step) for step in steps(tree.body, tree.row, distance, numbers)]
    # Divergences that are convex in the movement and 0 at 0 are largest when one row has it all,
    # and so are the laws of Gaussian and Laplace noise (`Curve.losses`).  A sample in each
    # row is another matter: two rows have two samples.
    if all(
        isinstance(step.curve, (GaussianCurve, LaplaceCurve)) and not step.leak and step.whole
        for step in found
    ):
        return found
    raise ParameterError("rows may share their distance in any way", place="rows")


def _reached(
    tree: Parallel, reach: Reach, distance: Fraction, numbers: Numbers
) -> list[AccountedStep]:
    """Rows of which a unit moves some, each by at most as much as it reaches."""
    touched = Fraction(upper(reach.touched, numbers))
    most, total = (Fraction(upper(each, numbers)) for each in (reach.most, tree.factor))
    if distance == 1 and total == touched * most and touched == 2:
        return steps(two_parts(tree), tree.row, most, numbers)
    if distance == 1 and total == touched * most and touched.denominator == 1:
        return [_times(step, int(touched)) for step in steps(tree.body, tree.row, most, numbers)]
    for leaf in leaves(tree.body):
        moved = leaf.moved.get(tree.row)
        if moved is not None and linear_coefficient(moved) is None:
            raise ParameterError("rows may share their distance in any way", place="rows")
    shares = total / most if most else Fraction(0)
    found = [_by_rho(s) for s in steps(tree.body, tree.row, most * distance, numbers)]
    # mu^2 of Gaussian noise is the square of a movement, whose ratio to it rises.
    gaussian = all(isinstance(s.curve, GaussianCurve) and not s.leak and s.whole for s in found)
    if gaussian and shares.denominator == 1:
        return [_times(step, int(shares)) for step in found]
    raise ParameterError("rows may share their distance in any way", place="rows")


def _by_rho(step: AccountedStep) -> AccountedStep:
    """Discrete Gaussian noise known by its rho alone: its law is that of one number that moves."""
    if not isinstance(step.curve, DiscreteGaussianCurve):
        return step
    return msgspec.structs.replace(step, curve=GaussianCurve(step.curve.rho, fine=False))


def _times(step: AccountedStep, count: int) -> AccountedStep:
    return msgspec.structs.replace(step, count=step.count * count)


def _event_step(
    leaf: Spent, source: Any, distance: Fraction, numbers: Numbers
) -> list[AccountedStep]:
    moved = leaf.moved.get(source)
    if moved is None or moved.is_zero or not distance:
        return []
    here = upper(compose(moved, ONE * distance), numbers)
    if not here:
        return []
    bound = upper(noise_bound(leaf), numbers)
    at = {**numbers, MOVED: here, BOUND: bound, RATIO: here / bound if bound else Fraction(0)}
    if not bound and any(RATIO in part.symbols for cost in _costs(leaf) for part in cost):
        raise ParameterError("the noise was set for an input that does not move", place="target")
    slope = linear_coefficient(moved)
    if slope is not None and slope == noise_bound(leaf):
        at[RATIO] = distance
    return [_curve_of(leaf.event, at)]


def _costs(leaf: Spent) -> list[tuple[Expr, ...]]:
    """Every cost of the event."""
    return list(leaf.event.privacy.values())


def _curve_of(event: Event, at: Numbers) -> AccountedStep:
    family, moved = event.family, Fraction(at[MOVED])
    spent = SpentNoise(event.norm, moved, event.noise, event.privacy, at)
    if (pure := spent.cost("pure")) is not None:
        return AccountedStep(family.pure_curve(pure[0], spent))
    if (rho := spent.cost("zcdp")) is not None:
        return AccountedStep(family.rho_curve(rho[0], spent))
    if (leaking := spent.cost(APPROX_ZCDP)) is not None:
        return AccountedStep(family.rho_curve(leaking[0], spent), 1, leaking[1])
    if (approx := spent.cost("approx")) is None:
        raise ParameterError(f"what {event.mechanism} costs is not stated", place="target")
    epsilon, delta = approx
    curve = family.noise_curve(spent)
    if curve is None:
        return AccountedStep(PureCurve(epsilon), 1, delta)
    return AccountedStep(curve, pair=(epsilon, delta))
