"""Events as text, as they are written on the command line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr.decimals import decimal_up
from metricdp.measures.accounting.additive import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)
from metricdp.measures.accounting.combined import Composed, Group, Repeated, Selection
from metricdp.measures.accounting.curves import ZCDP
from metricdp.measures.accounting.event import Event
from metricdp.measures.accounting.fixed_size import WithoutReplacement, WithReplacement
from metricdp.measures.accounting.private import (
    Approximate,
    ExponentialMechanism,
    NoisyMax,
    PermuteAndFlip,
    Pure,
    RandomizedResponse,
    SparseVector,
)
from metricdp.measures.accounting.sampled import Poisson, TruncatedPoisson

#: Name -> event; `Renyi` and `Finite` take tables, which a line of text has no room for.
NAMES: dict[str, type[Event]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "discrete-gaussian": DiscreteGaussian,
    "discrete-laplace": DiscreteLaplace,
    "randomized-response": RandomizedResponse,
    "exponential-mechanism": ExponentialMechanism,
    "permute-and-flip": PermuteAndFlip,
    "noisy-max": NoisyMax,
    "sparse-vector": SparseVector,
    "pure": Pure,
    "approximate": Approximate,
    "zcdp": ZCDP,
    "poisson": Poisson,
    "truncated-poisson": TruncatedPoisson,
    "without-replacement": WithoutReplacement,
    "with-replacement": WithReplacement,
    "selection": Selection,
    "group": Group,
}


def spelled(event: Event) -> str:
    """The event as text; a table or a law is shortened."""
    if isinstance(event, Composed):
        return ", ".join(spelled(each) for each in event.events) or "nothing"
    if isinstance(event, Repeated):
        inner = spelled(event.event)
        several = isinstance(event.event, Composed) and len(event.event.events) > 1
        return f"({inner}) x {event.count}" if several else f"{inner} x {event.count}"
    name = next((n for n, kind in NAMES.items() if kind is type(event)), event.place.lower())
    if name in ("renyi", "finite"):
        return f"{name}(...)"
    shown = []
    fields, values = event.__struct_fields__, type(event).__struct_defaults__
    defaults = dict(zip(fields[len(fields) - len(values) :], values, strict=True))
    for field in fields:
        value = getattr(event, field)
        if field in defaults and value == defaults[field]:
            continue
        text = spelled(value) if isinstance(value, Event) else _number(value)
        shown.append(f"{field}={text}" if field in defaults else text)
    return f"{name}({', '.join(shown)})"


def _number(value: Any) -> str:
    if isinstance(value, Fraction):
        short = f"{float(value):.6g}"
        if value and not Fraction(short):
            return decimal_up(value, 6)
        return str(value) if value.denominator < 1000 and Fraction(short) != value else short
    return str(value).lower() if isinstance(value, bool) else str(value)
