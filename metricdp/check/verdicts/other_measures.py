"""Costs in measures that no rule states itself: read from those it states, or from the curves.

`renyi:ALPHA` is D_alpha (order 8 unless said otherwise); `tcdp:OMEGA` is rho for orders up to
omega; `gdp` is mu of programs that only add Gaussian noise; `profile:EPSILON` is delta at an
epsilon.  Formulas come from the cost in rho (or a pure one); numbers from the accountant's curves,
where every public name has a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from metricdp.check.values.findings import Stop
from metricdp.diagnostics import Diagnostic, Span
from metricdp.errors import ExpressionError, MetricdpError
from metricdp.expr import INF, Expr, num, root
from metricdp.measures.events import (
    Choice,
    Parallel,
    Repeat,
    Sampled,
    Sequence,
    Spent,
    Tree,
    nodes,
)  # fmt: skip
from metricdp.measures.readings import available, leaves
from metricdp.spaces.records import adjacency

if TYPE_CHECKING:
    from metricdp.check.verdicts.guarantee import FunctionGuarantee, Input
    from metricdp.measures.accounted import AccountedStep
    from metricdp.spaces.metrics import Adjacency

#: Numbers after the colon where none is typed.
DEFAULTS = {"renyi": "8", "tcdp": "oo", "profile": "1"}
#: The least positive number that is written as a fraction.
_LEAST = Fraction(1, 10**40)

Cost = dict[str, Expr]
Numbers = dict[str, Any]


def in_measure(
    guarantee: FunctionGuarantee, entry: Input, distance: Fraction, wanted: str,
    values: Mapping[str, Fraction],
) -> tuple[Cost, Numbers]:  # fmt: skip
    """The cost of one input as formulas and, where all names are known, as numbers.

    Args:
        wanted: "renyi:8" and so on, as typed.

    Raises:
        Stop: no bound in this measure is known for the program.
        ParameterError: a requirement fails at these numbers.
    """
    values = guarantee.held(values)
    name, _, text = wanted.partition(":")
    text = text or DEFAULTS.get(name, "")
    found = {"renyi": _renyi, "tcdp": _tcdp, "gdp": _gdp, "profile": _profile}[name](
        guarantee, entry, distance, text, values
    )
    if found is None:
        raise _not_yet(guarantee, wanted, *_missing(guarantee, name, text, values))
    return found


def _renyi(
    g: FunctionGuarantee,
    entry: Input,
    distance: Fraction,
    text: str,
    values: Mapping[str, Fraction],
) -> tuple[Cost, Numbers] | None:
    alpha = Fraction(text)
    if alpha <= 1:
        return None
    cost: Cost = {}
    assert g.tree is not None
    if "zcdp" in available(g.tree):
        rho = g.cost(entry.name, num(distance), "zcdp")["rho"]
        cost = {"alpha": num(alpha), "epsilon": alpha * rho}
    elif "pure" in available(g.tree):
        from metricdp.measures.implications import pure_to_renyi

        pure = g.cost(entry.name, num(distance), "pure")["epsilon"]
        cost = {"alpha": num(alpha), "epsilon": pure_to_renyi(pure, alpha)}
    curve = _curve(g, entry, distance, values)
    if curve is None or (curve.largest is not None and alpha > curve.largest):
        return (cost, _numbers(cost, values)) if cost else None
    value = curve.divergence(alpha)[1]
    return (
        cost or {"alpha": num(alpha), "epsilon": num(_shown(value))},
        {"alpha": alpha, "epsilon": value},
    )


def _tcdp(
    g: FunctionGuarantee,
    entry: Input,
    distance: Fraction,
    text: str,
    values: Mapping[str, Fraction],
) -> tuple[Cost, Numbers] | None:
    """Every rho holds for all orders, so for those up to omega; in numbers, the curve's own."""
    assert g.tree is not None
    omega = INF if text == "oo" else num(Fraction(text))
    if "zcdp" not in available(g.tree) or (text != "oo" and Fraction(text) <= 1):
        return None
    cost = {"rho": g.cost(entry.name, num(distance), "zcdp")["rho"], "omega": omega}
    if cost["rho"].is_infinite:
        return None
    numbers = _numbers({"rho": cost["rho"]}, values)
    if numbers:
        numbers["omega"] = float("inf") if text == "oo" else Fraction(text)
    curve = None if text == "oo" else _curve(g, entry, distance, values)
    if curve is not None:
        from metricdp.accounting.orders import rho_up_to

        rho = rho_up_to(curve, Fraction(text))
        numbers = {"rho": min(rho, numbers.get("rho", rho)), "omega": Fraction(text)}
        if not cost["rho"].symbols:
            cost["rho"] = num(_shown(numbers["rho"]))
    return cost, numbers


def _gdp(
    g: FunctionGuarantee,
    entry: Input,
    distance: Fraction,
    text: str,
    values: Mapping[str, Fraction],
) -> tuple[Cost, Numbers] | None:
    """mu = sqrt(2 rho) of Gaussian steps; the discrete noise has this profile to within 1e-9."""
    assert g.tree is not None
    if not _adds_gaussians(g.tree) or "zcdp" not in available(g.tree):
        return None
    cost = {"mu": root(2 * g.cost(entry.name, num(distance), "zcdp")["rho"])}
    return cost, _numbers(cost, values)


def _adds_gaussians(tree: Tree) -> bool:
    """Whether a tree is Gaussian noise alone, in sequence, in branches or on disjoint rows."""
    if isinstance(tree, Spent):
        return tree.event.family.has_mu
    if isinstance(tree, Sequence | Choice):
        return all(map(_adds_gaussians, tree.items))
    # Of a sample or of a private selection the trade-off is not Gaussian.
    return isinstance(tree, Repeat | Parallel) and _adds_gaussians(tree.body)


def _profile(
    g: FunctionGuarantee,
    entry: Input,
    distance: Fraction,
    text: str,
    values: Mapping[str, Fraction],
) -> tuple[Cost, Numbers] | None:
    """delta at epsilon: in numbers only."""
    from metricdp.measures.accountant import profile

    epsilon = Fraction(text)
    try:
        steps, kind = _own_steps(g, entry, distance, values)
        delta = profile(steps, epsilon, kind)
    except (ExpressionError, MetricdpError):
        return None
    shown = {"epsilon": num(epsilon), "delta": num(_shown(delta))}
    return shown, {"epsilon": epsilon, "delta": delta}


def _own_steps(
    g: FunctionGuarantee, entry: Input, distance: Fraction, values: Mapping[str, Fraction]
) -> tuple[list[AccountedStep], Adjacency]:
    """What the input pays, and what one unit of its distance is."""
    from metricdp.measures.steps import steps

    assert g.tree is not None
    return steps(g.tree, entry.source, distance, values), adjacency(entry.space)


def _steps(
    g: FunctionGuarantee, entry: Input, distance: Fraction, values: Mapping[str, Fraction]
) -> list[AccountedStep] | None:
    """Steps with their sampling paid, or None where they are not known."""
    from metricdp.measures.accountant import unsampled

    try:
        return unsampled(*_own_steps(g, entry, distance, values))
    except (ExpressionError, MetricdpError):
        return None


def _curve(
    g: FunctionGuarantee, entry: Input, distance: Fraction, values: Mapping[str, Fraction]
) -> Any:
    from metricdp.accounting.renyi import ComposedCurve

    steps = _steps(g, entry, distance, values)
    if steps is None or any(step.leak for step in steps):
        return None
    return ComposedCurve(tuple((step.curve, step.count) for step in steps))


def _numbers(cost: Cost, values: Mapping[str, Fraction]) -> Numbers:
    if not all(e.symbols <= values.keys() for e in cost.values()):
        return {}
    return {name: e.upper(values) for name, e in cost.items()}


def _shown(value: Fraction) -> Fraction:
    """Six significant digits, rounded up; nothing between 0 and `_LEAST`, which no one reads."""
    if value <= 0:
        return value
    value = max(value, _LEAST)
    digits = Fraction(1)
    while value * digits < 10**5:
        digits *= 10
    return Fraction(ceil(value * digits)) / digits


def _samples(tree: Tree) -> bool:
    return any(isinstance(node, Sampled) for node in nodes(tree))


def _missing(
    g: FunctionGuarantee, name: str, text: str, values: Mapping[str, Fraction]
) -> tuple[str, str, str]:
    """The fact for want of which there is no bound, what is needed, and an edit."""
    assert g.tree is not None
    found = leaves(g.tree)
    if name == "gdp":
        other = next((e.event.mechanism for e in found if not e.event.family.has_mu), "")
        if not other and _samples(g.tree):
            return "noise on a sample has no mu", "Gaussian noise on all rows", "--measure renyi:8"
        if other:
            return (
                f"`{other}` has no mu: its trade-off is not Gaussian",
                "Gaussian noise only",
                ("--measure profile:1"),
            )
    if name in ("renyi", "tcdp") and Fraction(0 if text == "oo" else text) <= 1 and text != "oo":
        return f"there is no order {text}", "an order above 1", f"--measure {name}:8"
    failing = [
        e.event.mechanism for e in found if not {"pure", "zcdp"} & e.event.privacy.keys()
    ]  # fmt: skip
    costs = [e for i in g.private() for e in g.cost(i.name).values()]
    names = {n for e in costs for n in e.symbols}
    unset = sorted(names - values.keys())
    if name in ("renyi", "tcdp", "gdp") and failing:
        return (
            f"`{failing[0]}` has an (epsilon, delta), which may fail openly with probability delta",
            "mechanisms with an epsilon or a rho", "--measure approx",
        )  # fmt: skip
    if unset and name in ("profile", "renyi", "tcdp"):
        return (
            f"this reading is a number, and `{unset[0]}` has none",
            f"numbers for {', '.join(unset)}", " ".join(f"--set {n}=1" for n in unset),
        )  # fmt: skip
    return (
        "its steps have no curve that composes at this distance", "mechanisms that have one",
        "--delta 1e-6, or --set NAME=VALUE for every public name",
    )  # fmt: skip


def _not_yet(guarantee: FunctionGuarantee, wanted: str, fact: str, need: str, help: str) -> Stop:
    span = Span(guarantee.file, guarantee.line, 1, guarantee.line, 1)
    return Stop(
        Diagnostic(
            "mixed-measures", span,
            f"no bound of `{guarantee.name}` in the measure `{wanted}` is known: {fact}",
            need, help,
        )
    )  # fmt: skip
