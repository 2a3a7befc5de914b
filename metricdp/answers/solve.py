"""The public parameter that meets a budget.

The value is checked where it is used: the cost at the printed decimal, and at the double that
Python reads from it, is at most the budget, whatever the search did.  `ask` is the same for
`function.solve(...)`: numbers as Python callers give them, remedies as they write them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Rational
from typing import Any

import msgspec

from metricdp.answers.accounted import Accountant
from metricdp.answers.boundary import Boundary, boundary
from metricdp.answers.budget import Constraint, CostTarget, Way, ways
from metricdp.answers.errors import (
    AnswerError,
    BudgetUnreachable,
    CostIndependent,
    MissingValue,
    UnknownParameter,
    WrongBudget,
    WrongValue,
)
from metricdp.answers.required import answer_holds, given_values_hold
from metricdp.answers.solution import Solution, safe, text
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.check.verdicts.held import beside
from metricdp.check.verdicts.verify import Outcome
from metricdp.errors import NotProvedError
from metricdp.expr import num
from metricdp.measures.implications import zcdp_epsilon
from metricdp.plain import scalar

_RULES = {
    "pure": "basic composition",
    "zcdp": "zCDP",
    "approx": "basic composition",
}


def solve(
    function: Any,
    for_: str,
    *,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    set: Mapping[str, Any] | None = None,
    distance: Mapping[str, Any] | None = None,
) -> Solution:
    """The largest (or least) positive value of `for_` whose cost stays within the budget.

    Args:
        function: a checked measurement, or its `Outcome`.
        for_: a public parameter, or a size that the cost mentions.
        epsilon, delta, rho: the budget: epsilon, epsilon at delta, or rho.  Texts and integers are
            exact, floats are the decimals that Python prints.
        set: the other public parameters on which the cost depends; defaults of the function
            apply.
        distance: private parameter -> distance at which the budget has to be met (1 each).

    Raises:
        AnswerError: see `metricdp.answers.errors`.
        NotProvedError: the function was not proved.
    """
    outcome: Outcome = function if isinstance(function, Outcome) else function.outcome
    guarantee = _proved(outcome)
    if guarantee.tree is None:
        raise AnswerError(
            f"`{guarantee.name}` is a transformation and spends nothing", place=guarantee.name,
            remedy="ask about a function decorated with @dp.measurement",
        )  # fmt: skip
    budget = CostTarget(_fraction(epsilon), _fraction(rho), _fraction(delta))
    given = {name: _number(value) for name, value in (set or {}).items()}
    far = {name: _number(value) for name, value in (distance or {}).items()}
    found = ways(guarantee, budget, far)
    whole = _parameter(guarantee, for_, given, far, found)
    values = {**_defaults(outcome.declared.node, for_), **given}
    given_values_hold(guarantee, values)
    fixed = {name: value for name, value in values.items() if name != for_}
    here = guarantee.at_numbers(fixed)
    found = found if here is guarantee else ways(here, budget, far)
    names = {name: num(value) for name, value in fixed.items()}
    found = [
        Way(
            w.measure,
            tuple(Constraint(c.input, c.cost.subs(names), c.limit) for c in w.constraints),
        )
        for w in found
    ]
    _complete(guarantee, for_, found)
    answers = [answer for way in found if (answer := _answer(way, for_, whole)) is not None]
    if not answers:
        raise _unreachable(guarantee, for_, budget)
    way, at = answers[0]
    for other, there in answers[1:]:
        if at.direction == there.direction and (there.value > at.value) == (at.direction == "most"):
            way, at = other, there
    meets: Callable[[Fraction], bool] = partial(_meets, way, for_)
    accountant = None
    if budget.delta is not None:
        accountant = Accountant(guarantee, for_, values, far, budget)
        better = accountant.beyond(at, whole)
        if better is not None:
            at, meets = better, accountant.meets
        else:
            accountant = None
    value = _printed(guarantee, meets, at, for_, whole)
    answer_holds(guarantee, {**values, for_: value}, for_)
    costs, rule = _costs(way, budget, for_, value), _RULES[way.measure]
    if accountant is not None:
        costs, rule = _certified(accountant, value, costs)
    return Solution(
        guarantee.name, guarantee.file, guarantee.line, for_, value, text(value), at.direction,
        at.monotone, at.closed, rule, budget.parts(), costs,
        {i.label: i.unit for i in guarantee.units()},
        _beside(guarantee, {**values, for_: value}),
    )  # fmt: skip


def _beside(guarantee: FunctionGuarantee, values: Mapping[str, Fraction]) -> tuple[str, ...]:
    """The requirements; those that lack a number say so."""
    missing = guarantee.held(values).undecided
    texts = guarantee.requirement_texts()
    return tuple(beside(text, missing[text]) if text in missing else text for text in texts)


def _proved(outcome: Outcome) -> FunctionGuarantee:
    if outcome.guarantee is None or outcome.verdict != "proved":
        name = outcome.declared.name
        raise NotProvedError(
            f"`{name}` was {outcome.verdict}, so it has no cost", place=name,
            remedy=f"metricdp check {outcome.declared.module.path}",
        )  # fmt: skip
    return outcome.guarantee


def _fraction(value: Any) -> Fraction | None:
    return None if value is None else _number(value)


def _number(value: Any) -> Fraction:
    return Fraction(float.__repr__(value)) if isinstance(value, float) else Fraction(value)


def _parameter(
    guarantee: FunctionGuarantee,
    name: str,
    given: Mapping[str, Fraction],
    far: Mapping[str, Fraction],
    found: list[Way],
) -> bool:
    """Whether the parameter is an integer; every name that was given means something."""
    public = {i.name: i.type for i in guarantee.inputs if i.space is None}
    private = {i.name for i in guarantee.private()}
    used = {symbol for way in found for c in way.constraints for symbol in c.cost.symbols}
    sizes = used | {n for a, _, b in guarantee.requires for n in a.symbols | b.symbols}
    for asked in (name, *given):
        if asked not in public.keys() | sizes:
            known = ", ".join(sorted(public)) or "none"
            raise UnknownParameter(
                f"`{guarantee.name}` has no public parameter `{asked}`", place=guarantee.name,
                remedy=f"one of its public parameters: {known}",
            )  # fmt: skip
    for asked in far:
        if asked not in private:
            raise UnknownParameter(
                f"`{guarantee.name}` has no private parameter `{asked}`", place=guarantee.name,
                remedy=f"one of its private parameters: {', '.join(sorted(private))}",
            )  # fmt: skip
    if name in given:
        raise UnknownParameter(
            f"`{name}` is both given and asked for", place=guarantee.name,
            remedy=f"leave out --set {name}=...",
        )  # fmt: skip
    if name not in used:
        raise CostIndependent(
            f"the cost of `{guarantee.name}` does not depend on `{name}`", place=guarantee.name,
            remedy=" or ".join(f"--for {used_name}" for used_name in sorted(used))
            or "metricdp check prints the cost, which is a number",
        )  # fmt: skip
    return public.get(name, "int") == "int"


def _defaults(node: ast.FunctionDef, asked: str) -> dict[str, Fraction]:
    """Parameters with a literal number as default, other than `asked`."""
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(positional[::-1], spec.defaults[::-1], strict=False)]
    pairs += [(a, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d]
    found = {}
    for argument, default in pairs:
        value = default.value if isinstance(default, ast.Constant) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and argument.arg != asked:
            found[argument.arg] = _number(value)
    return found


def _complete(guarantee: FunctionGuarantee, asked: str, found: list[Way]) -> None:
    missing = sorted({s for w in found for c in w.constraints for s in c.cost.symbols} - {asked})
    if missing:
        raise MissingValue(
            f"the cost also depends on {', '.join(f'`{m}`' for m in missing)}",
            place=guarantee.name, remedy=" ".join(f"--set {m}=..." for m in missing),
        )  # fmt: skip


def _answer(way: Way, name: str, whole: bool) -> tuple[Way, Boundary] | None:
    """The boundary of all constraints together; None when no value meets them."""
    found = [boundary(c.cost, name, c.limit, whole) for c in way.constraints]
    if any(b.direction == "none" for b in found):
        return None
    most = [b for b in found if b.direction == "most"]
    least = [b for b in found if b.direction == "least"]
    if not most and not least:
        raise CostIndependent(
            f"every positive `{name}` that was tried meets the budget", remedy="a smaller budget"
        )
    monotone = all(b.monotone for b in found)
    top = min(most, key=lambda b: b.value) if most else None
    bottom = max(least, key=lambda b: b.value) if least else None
    if top is not None and bottom is not None and bottom.value > top.value:
        return None
    chosen = top or bottom
    assert chosen is not None
    return way, msgspec.structs.replace(chosen, monotone=monotone)


def _printed(
    guarantee: FunctionGuarantee,
    meets: Callable[[Fraction], bool],
    at: Boundary,
    name: str,
    whole: bool,
) -> Fraction:
    """The boundary as a decimal that meets the budget, also as the double that it is read as."""
    target = whole or name in guarantee.targets
    step = Fraction(0)
    for _ in range(4):
        value = safe(at.value + step, at.direction, whole)
        if value > 0 and all(meets(v) for v in _readings(value, target)):
            return value
        step += (abs(at.value) / 10**9) * (-1 if at.direction == "most" else 1)
    raise BudgetUnreachable(
        f"no {'whole' if whole else 'positive'} `{name}` meets the budget", place=guarantee.name,
        remedy="a larger budget",
    )  # fmt: skip


def _readings(value: Fraction, exact: bool) -> tuple[Fraction, ...]:
    return (value,) if exact else (value, Fraction(float(value)))


def _meets(way: Way, name: str, value: Fraction) -> bool:
    return all(c.cost.upper({name: value}) <= c.limit for c in way.constraints)


def _costs(
    way: Way, budget: CostTarget, name: str, value: Fraction
) -> dict[str, dict[str, Fraction]]:
    out: dict[str, dict[str, Fraction]] = {}
    for constraint in way.constraints:
        into = out.setdefault(constraint.input, {})
        part = Fraction(constraint.cost.upper({name: value}))
        if way.measure == "zcdp" and budget.rho is None:
            assert budget.delta is not None
            into.update(epsilon=zcdp_epsilon(part, budget.delta).value, delta=budget.delta)
        elif way.measure == "zcdp":
            into["rho"] = part
        else:
            into["delta" if "epsilon" in into else "epsilon"] = part
    return out


def _certified(
    accountant: Accountant, value: Fraction, known: Mapping[str, Mapping[str, Fraction]]
) -> tuple[dict[str, dict[str, Fraction]], str]:
    """What every input pays by the accountant, and the rules that say so."""
    assert accountant.budget.delta is not None
    found = accountant.costs(value) or {}
    out = {name: dict(cost) for name, cost in known.items()}
    for name, (epsilon, _) in found.items():
        out[name] = {"epsilon": epsilon, "delta": accountant.budget.delta}
    return out, ", ".join(dict.fromkeys(rule for _, rule in found.values()))


def _unreachable(guarantee: FunctionGuarantee, name: str, budget: CostTarget) -> BudgetUnreachable:
    asked = ", ".join(f"{k} = {text(v)}" for k, v in budget.parts().items())
    return BudgetUnreachable(
        f"no positive `{name}` brings the cost down to {asked}", place=guarantee.name,
        remedy="a larger budget, or change what else is spent",
    )  # fmt: skip


_OPTION = re.compile(r"--(?:set |distance )?(\w+)(?:=| (?=[\w.]))")


def ask(
    function: Any,
    for_: str,
    budget: Mapping[str, Any],
    fixed: Mapping[str, Any],
    distance: Mapping[str, Any],
) -> Solution:
    """`solve` for a checked function; see there.

    Args:
        budget: "epsilon", "delta", "rho" -> number or None.

    Raises:
        AnswerError: as `solve`; `WrongValue` or `WrongBudget` for what is no finite number.
        NotProvedError: the function was not proved.
    """
    if not isinstance(for_, str):
        raise UnknownParameter(
            "the parameter to find is given by its name", remedy='function.solve("scale", ...)'
        )
    numbers = {n: _exact(n, v, WrongBudget) for n, v in budget.items() if v is not None}
    if ("epsilon" in numbers) == ("rho" in numbers):
        raise WrongBudget("the budget is either epsilon or rho", remedy="epsilon=1   or   rho=0.1")
    given = {name: _exact(name, value, WrongValue) for name, value in fixed.items()}
    far = {name: _exact(name, value, WrongValue) for name, value in distance.items()}
    if negative := [name for name, value in far.items() if value < 0]:
        raise WrongValue(f"the distance of `{negative[0]}` is negative", remedy="0 or more")
    try:
        return solve(function, for_, **numbers, set=given, distance=far)
    except AnswerError as error:
        # The same answer on the command line names its options.
        remedy = _OPTION.sub(r"\1=", error.remedy).replace("--", "")
        raise type(error)(error.fact, place=error.place, remedy=remedy) from None


def _exact(name: str, value: Any, wrong: type[AnswerError]) -> Fraction:
    """An exact number: floats are the decimals that Python prints."""
    known, value = None, scalar(value)
    if isinstance(value, str | int | Rational | Decimal) and not isinstance(value, bool):
        known = value
    elif isinstance(value, float):
        known = float.__repr__(value)
    try:
        if known is not None:
            return Fraction(known)
    except (ValueError, OverflowError, ZeroDivisionError):
        pass
    raise wrong(f"`{name}` is no finite number", remedy=f"{name}=0.5, {name}='1/3', {name}=2")
