"""Claims: proved, rejected, or refuted by a concrete pair that the auditor finds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.check.domain.requirements import cases, facts
from metricdp.check.values.findings import report, stop
from metricdp.diagnostics.result import ClaimReport
from metricdp.errors import ExpressionError, MetricdpError
from metricdp.expr import ONE, ZERO, D, Expr, compare, maximum, parse, sym

if TYPE_CHECKING:
    from metricdp.check.verdicts.verify import Outcome


def decide(outcome: Outcome, claimed: dict[str, tuple[str, Any]], module: Any) -> None:
    """Compare the claims with the guarantee; sets verdict, diagnostics and claim reports."""
    guarantee = outcome.guarantee
    if not claimed or guarantee is None:
        return
    exprs: dict[str, Expr] = {}
    for key, (text, node) in claimed.items():
        exprs[key] = parsed_claim(text, node, guarantee, module)
    node = next(iter(claimed.values()))[1]
    _measurable(guarantee, exprs, module, node)
    verdict = _holds(guarantee, exprs)
    if verdict is None and (asked := _of_costs(exprs, guarantee.requires)):
        willing = msgspec.structs.replace(guarantee, requires=(*guarantee.requires, *asked))
        if (verdict := _holds(willing, exprs)) is True:
            outcome.guarantee = guarantee = willing
    if verdict is not True:
        _dispute(outcome, exprs, claimed, module, node)
    result = "proved" if verdict is True else outcome.verdict
    texts = {key: text for key, (text, _) in claimed.items()}
    outcome.guarantee = msgspec.structs.replace(
        guarantee,
        claims=(ClaimReport(texts, result),),  # type: ignore[arg-type]
    )


def _of_costs(
    claimed: Mapping[str, Expr], requires: Iterable[tuple[Expr, str, Expr]]
) -> list[tuple[Expr, str, Expr]]:
    """What a claim asks for by being a cost, which is not below 0: `rounds / sigma**2` is one for
    `rounds >= 0`.  One name whose sign is not known is asked for; of more nothing is.
    """
    found = []
    known = facts(requires)
    for claim in claimed.values():
        if claim.is_infinite or len(claim.terms) != 1:
            continue
        ((monomial, factor),) = claim.subs(known).terms.items()
        odd = [atom for atom, exponent in monomial if exponent % 2 == 1]
        open_ = [each for each in (Expr({((atom, 1),): 1}) for atom in odd) if each.sign() != "+"]
        if factor > 0 and len(open_) == 1 and len(open_[0].symbols) == 1:
            found.append((open_[0], ">=", ZERO))
    return found


def _measurable(guarantee: Any, claimed: dict[str, Expr], module: Any, node: Any) -> None:
    """A claim in rho about steps without a bound in rho is no question of size."""
    if guarantee.tree is None or "rho" not in claimed:
        return
    from metricdp.measures.readings import APPROX_ZCDP, available

    found = available(guarantee.tree)
    if APPROX_ZCDP in found and "delta" not in claimed:
        raise stop(
            module, node, "mixed-measures",
            "the claim is in rho alone, and a mechanism here fails openly with probability delta",
            "a claim in (rho, delta)", 'rho="...", delta="..."',
        )  # fmt: skip
    if "zcdp" not in found and APPROX_ZCDP not in found:
        raise stop(
            module, node, "mixed-measures",
            "the claim is in rho, and a mechanism here has no bound in rho",
            f"a claim in {' or '.join(found)}",
            "claim epsilon= and delta=, or give the noise as rho=",
        )  # fmt: skip


def _with_known(text: str, strange: Iterable[str], names: Iterable[str]) -> str:
    """The claim with a public parameter, or a number, for every name that is none."""
    known = next(iter(names), "1")
    for name in strange:
        text = re.sub(rf"\b{re.escape(name)}\b", known, text)
    return f'"{text}"'


def parsed_claim(text: str, node: Any, guarantee: Any, module: Any) -> Expr:
    """An expression in the public parameters and sizes of a function.

    Raises:
        Stop: it is none.
    """
    names = {
        i.name: sym(i.name, integer=i.type == "int") for i in guarantee.inputs if i.space is None
    }
    lengths = [f"{what}_{name}" for name in names for what in ("len", "different")]
    names |= {length: sym(length, nonneg=True, integer=True) for length in lengths}
    known = {**names, "d_in": D}
    for entry in guarantee.inputs:
        if entry.space is not None:
            for name in size_names(entry.space):
                known[name] = sym(name, nonneg=True, integer=True)
    try:
        expr = parse(text, known)
    except ExpressionError as error:
        raise stop(
            module, node, "claim-syntax", f"the claim `{text}` is no expression: {error.fact}",
            "an expression in the public parameters", 'epsilon="eps"',
        ) from None  # fmt: skip
    strange = sorted(expr.symbols - known.keys())
    if strange:
        raise stop(
            module, node, "claim-syntax",
            f"`{strange[0]}` in the claim `{text}` is no public parameter",
            "public parameters, sizes and d_in", _with_known(text, strange, names),
        )  # fmt: skip
    return expr


def size_names(space: Any) -> set[str]:
    """Names of the sizes of a space."""
    names: set[str] = set()
    for field in ("size", "rows", "cols"):
        expr = getattr(space, field, None)
        if expr is not None:
            names |= expr.symbols
    for part in getattr(space, "parts", ()):
        names |= size_names(part)
    return names


def _holds(guarantee: Any, claimed: dict[str, Expr]) -> bool | None:
    """True if every private input meets the claim; None if it depends or is not known."""
    verdicts: list[bool | None] = []
    requires = guarantee.requires
    for entry in guarantee.private():
        if "stability" in claimed:
            assert entry.stability is not None
            verdicts.append(_at_most(entry.stability, claimed["stability"], requires))
            continue
        from metricdp.measures.readings import APPROX_ZCDP, available

        found = available(guarantee.tree)
        in_rho = "zcdp" if "zcdp" in found else APPROX_ZCDP
        measure = in_rho if "rho" in claimed else guarantee.measure
        if measure not in found and guarantee.slack is None:
            verdicts.append(None)
            continue
        if "rho" not in claimed and _accounted(guarantee, entry, claimed):
            verdicts.append(True)
            continue
        if "rho" not in claimed and measure in ("zcdp", APPROX_ZCDP):
            verdicts.append(None)
            continue
        cost = guarantee.cost(entry.name, ONE, measure)
        if "rho" in claimed:
            verdicts.append(_at_most(cost["rho"], claimed["rho"], requires))
            if "delta" in cost:
                verdicts.append(_at_most(cost["delta"], claimed["delta"], requires))
            continue
        verdicts.append(_at_most(cost["epsilon"], claimed.get("epsilon", ZERO), requires))
        verdicts.append(_at_most(cost["delta"], claimed.get("delta", ZERO), requires))
    if all(v is True for v in verdicts):
        return True
    return False if any(v is False for v in verdicts) else None


def _at_most(cost: Expr, claim: Expr, requires: Any) -> bool | None:
    """Whether the cost is at most the claim wherever the requirements hold."""
    known = facts(requires)
    found = compare(cost.subs(known), "<=", claim.subs(known))
    if found is None:
        split = cases(requires)
        if all(compare(cost.subs(case), "<=", claim.subs(case)) for case in split):
            return True
    return found


def _accounted(guarantee: Any, entry: Any, claimed: dict[str, Expr]) -> bool:
    """Whether the accountant proves a claim in numbers with a positive delta."""
    epsilon = claimed.get("epsilon", ZERO).as_fraction()
    delta = claimed.get("delta", ZERO).as_fraction()
    if epsilon is None or delta is None or not 0 < delta < 1:
        return False
    try:
        best = guarantee.certified(entry.name, delta, {})
    except (ExpressionError, MetricdpError):
        return False
    return bool(best.epsilon <= epsilon)


def _dispute(
    outcome: Outcome, exprs: dict[str, Expr], claimed: Any, module: Any, node: Any
) -> None:
    """Refute the claim with a pair if one is found; otherwise reject it with the true bound."""
    guarantee = outcome.guarantee
    assert guarantee is not None
    # What stands behind a black box is not known, so no pair can speak for it.
    boxed = any(step.rule in ("black_box", "sample") for step in guarantee.derivation)
    found = None if boxed else refute(outcome, exprs)
    texts = ", ".join(f'{key}="{text}"' for key, (text, _) in claimed.items())
    if "stability" in exprs:
        truth = "; ".join(f"{i.label}: {i.stability}" for i in guarantee.units())
        stabilities = [i.stability for i in guarantee.private() if i.stability is not None]
        edit = f'@dp.transformation(stability="{_largest(stabilities)}")'
    else:
        parts = {i.label: guarantee.cost(i.name) for i in guarantee.units()}
        truth = "; ".join(
            f"{name}: "
            + ", ".join(f"{k} = {e}" for k, e in cost.items() if k == "epsilon" or not e.is_zero)
            for name, cost in parts.items()
        )  # fmt: skip
        costs = {k: _largest(cost.get(k, ZERO) for cost in parts.values()) for k in _keys(parts)}
        worst = ", ".join(f'{k}="{e}"' for k, e in costs.items() if not e.is_zero)
        edit = f"@dp.measurement({worst})"
    outcome.verdict = "refuted" if found else "rejected"
    code = "claim-refuted" if found else "claim-not-proved"
    message = (
        f"`{guarantee.name}` does not meet its claim {texts}"
        if found
        else f"the claim {texts} of `{guarantee.name}` could not be proved; proved is {truth}"
    )
    finding = report(module, node, code, message, f"a claim of at least {truth}", edit)
    outcome.diagnostics.append(msgspec.structs.replace(finding, counterexample=found))


def _keys(parts: Mapping[str, Mapping[str, Expr]]) -> list[str]:
    return list(dict.fromkeys(key for cost in parts.values() for key in cost))


def _largest(bounds: Iterable[Expr]) -> Expr:
    """A bound for every private parameter: a claim speaks of each of them."""
    known = list(bounds)
    return maximum(*known) if known else ZERO


def refute(outcome: Outcome, claimed: Mapping[str, Expr]) -> Mapping[str, Any] | None:
    """A counterexample on synthetic inputs, or None if none was found.

    The auditor stands above check, so it is called by name, and only when a claim was not proved.

    A program that fails on synthetic inputs, 7 % 0 for example, shows none.
    """
    search = import_module("metricdp.audit.refute").refute
    try:
        found: Mapping[str, Any] | None = search(outcome, claimed)
    except Exception:
        return None
    return found
