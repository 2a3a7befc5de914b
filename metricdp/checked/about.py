"""What a release says besides its value: the cost of the run, and what is filed with every run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.check.verdicts.guarantee import SHOWN_DELTA, FunctionGuarantee, number
from metricdp.check.verdicts.held import Held, proper
from metricdp.errors import ExpressionError, MetricdpError, ParameterError
from metricdp.expr import decimal_up
from metricdp.measures.events import Sampled, Tree, nodes
from metricdp.run.release import About, not_covered, unprotected, versions

if TYPE_CHECKING:
    from metricdp.checked.arguments import Arguments
    from metricdp.expr import Expr


_Key = tuple[str, str, Fraction, tuple[tuple[str, Fraction], ...]]
#: A search over Renyi orders costs more than a small run: its answers are kept.
_known: dict[_Key, Mapping[str, str]] = {}
#: Formulas of costs, by guarantee; the guarantee is held, so that its identity stays its own.
_closed: dict[int, tuple[FunctionGuarantee, Mapping[str, Mapping[str, Expr]]]] = {}
#: Costs in numbers, by guarantee and by the public numbers of a run; held for the same reason.
_spent: dict[
    tuple[int, tuple[tuple[str, Fraction], ...]], tuple[FunctionGuarantee, Mapping[str, str]]
] = {}
_MOST = 256
#: Guarantee (by fingerprint, file and name) -> its part; a run is too short to print a derivation.
_abouts: dict[tuple[str, str, str], About] = {}


def spent_at(guarantee: FunctionGuarantee, arguments: Arguments) -> Mapping[str, str]:
    """The cost at distance 1 as decimals, the largest over the private inputs, rounded up.

    A rho is not amplified by sampling, so a program in rho that samples shows the accountant's
    epsilon at the claimed delta, or at `SHOWN_DELTA`.
    """
    key = id(guarantee), tuple(arguments.held.items())
    kept = _spent.get(key)
    if kept is None or kept[0] is not guarantee:
        if len(_spent) >= _MOST:
            _spent.clear()
        kept = _spent[key] = guarantee, _spent_at(guarantee, arguments.held)
    return dict(kept[1])  # the caller's own: a release shows it


def _spent_at(guarantee: FunctionGuarantee, numbers: Held) -> Mapping[str, str]:
    held = guarantee.held(numbers, complete=True)
    if guarantee.measure in ("zcdp", "approx_zcdp") and _samples(guarantee.tree):
        delta = _claimed_delta(guarantee) or SHOWN_DELTA
        found = _accounted(guarantee, held, delta)
        if found is not None:
            return found
    worst: dict[str, Fraction | float] = {}
    for entry in guarantee.private():
        for measure, expr in _formulas(guarantee)[entry.name].items():
            value = number(expr, held)
            if value is None:
                raise ParameterError(f"{expr} is not known", place=guarantee.name)
            worst[measure] = max(worst.get(measure, Fraction(0)), value)
    proper(guarantee, worst, f"`{guarantee.name}`")
    return {measure: decimal_up(value) for measure, value in worst.items()}


def _formulas(guarantee: FunctionGuarantee) -> Mapping[str, Mapping[str, Expr]]:
    """The cost of every private input at distance 1, which has no number of a run in it."""
    kept = _closed.get(id(guarantee))
    if kept is None or kept[0] is not guarantee:
        if len(_closed) >= _MOST:
            _closed.clear()
        kept = guarantee, {i.name: guarantee.cost(i.name) for i in guarantee.private()}
        _closed[id(guarantee)] = kept
    return kept[1]


def _accounted(
    guarantee: FunctionGuarantee, env: Held, delta: Fraction
) -> Mapping[str, str] | None:
    key = (guarantee.fingerprint, guarantee.name, delta, tuple(sorted(env.items())))
    if key not in _known:
        try:
            costs = [guarantee.certified(i.name, delta, env) for i in guarantee.private()]
        except (ExpressionError, MetricdpError):
            return None
        epsilon = max((cost.epsilon for cost in costs), default=Fraction(0))
        _known[key] = {"epsilon": decimal_up(epsilon), "delta": decimal_up(delta)}
    return _known[key]


def _claimed_delta(guarantee: FunctionGuarantee) -> Fraction | None:
    for claim in guarantee.claims:
        try:
            delta = Fraction(claim.claim.get("delta", ""))
        except ValueError:
            continue
        if 0 < delta < 1:
            return delta
    return None


def _samples(tree: Tree | None) -> bool:
    return tree is not None and any(isinstance(node, Sampled) for node in nodes(tree))


def about(guarantee: FunctionGuarantee) -> About:
    """Unit, unprotected quantities, derivation, assumptions and versions."""
    key = (guarantee.fingerprint, guarantee.file, guarantee.name)
    found = _abouts.get(key)
    if found is None:
        spaces = {i.name: i.space for i in guarantee.private() if i.space is not None}
        found = _abouts[key] = About(
            not_covered=not_covered(spaces),
            unprotected=unprotected(spaces),
            derivation=tuple(
                f"line {step.line}: {step.detail.get('name') or '_'} = {step.rule}: "
                f"{step.conclusion}"
                for step in guarantee.derivation
            ),
            assumptions=guarantee.assumptions,
            versions=versions(),
            by_row=tuple(map(str, guarantee.by_row)),
        )
    return found
