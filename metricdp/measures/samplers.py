"""What all samplers ask of the event that reads the sample."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.accounting import renyi
from metricdp.errors import ParameterError
from metricdp.measures import sampled_losses, sampling
from metricdp.measures.accounted import Case, Event, NoCurve, Pieces, refuse
from metricdp.measures.step import Step
from metricdp.spaces.metrics import Adjacency


class Sampler(Event, frozen=True):
    """An event that reads a secret, fresh random sample; its field `event` reads the sample."""


def base_pieces(event: Any, kind: Any) -> Pieces:
    """Pieces of what reads the sample, of one round, with one law on either side."""
    inner = event.event
    if isinstance(inner, Sampler):
        raise ParameterError(
            f"{inner.place} inside {event.place}", place=event.place,
            remedy="sample once: only Poisson samples of Poisson samples are supported",
        )  # fmt: skip
    found: Pieces = inner.pieces(Case(kind))
    if found.gap:
        raise ParameterError(f"{inner.place} inside {event.place}", place=event.place)
    return Pieces(
        None if found.upper is None else sampled_losses.merged(found.upper, upper=True),
        sampled_losses.merged(found.lower, upper=False),
    )


def through(base: Pieces, sampler: Any) -> Pieces:
    """The laws of the base, each under the sampler."""
    upper = None if base.upper is None else tuple((sampler(x), 1) for x, _ in base.upper)
    return Pieces(upper, tuple((sampler(x), 1) for x, _ in base.lower))


def one_row(event: Event, case: Case) -> None:
    """RelationError unless the data sets differ in one row."""
    if case.units != 1:
        raise refuse(
            event, case, f"{case.units} rows are in the sample in every number up to that",
            "ask for one row, or use group privacy on the answer",
        )  # fmt: skip


def sampled_step(event: Any, scheme: sampling.Scheme, case: Case, base: Any) -> tuple[Step, ...]:
    """One step: what reads a sample composes first and is amplified once."""
    steps: tuple[Step, ...] = event.steps(Case(base))
    if not steps:
        return ()
    if not all(step.whole for step in steps):
        raise NoCurve  # the curve of a step that samples again is not that of its mechanism
    curves = [(step.curve, step.count) for step in steps]
    gaussians = [(c.rho * k) for c, k in curves if isinstance(c, renyi.GaussianCurve) and c.fine]
    curve: renyi.Curve
    if len(gaussians) == len(curves):
        curve = renyi.GaussianCurve(sum(gaussians, Fraction(0)))
    elif len(curves) == 1 and curves[0][1] == 1:
        curve = curves[0][0]
    else:
        curve = renyi.ComposedCurve(tuple(curves))
    leak = sum((step.leak * step.count for step in steps), Fraction(0))
    kind: Adjacency = "replace" if base == "replace" or case.kind == "replace" else base
    # Coupled samples differ in one row: read as if the sampling amplified nothing.
    near = case.units == 1 and (case.kind != "replace" or base == "replace")
    far = (curve, leak) if near and not isinstance(scheme, sampling.WithReplacement) else None
    return (Step(curve, 1, leak, scheme, adjacency=kind, units=case.units, far=far),)
