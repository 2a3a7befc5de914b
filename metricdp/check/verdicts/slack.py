"""`slack=`: a guarantee by advanced composition, or by conversion of rho, at a larger delta."""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from metricdp.check.domain.requirements import tidied
from metricdp.check.values.findings import stop
from metricdp.check.verdicts.claims import parsed_claim
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.check.verdicts.held import Place, Required, places_of
from metricdp.expr import ONE, ZERO, Expr, compare
from metricdp.measures.readings import APPROX_ZCDP, available


def apply_slack(
    guarantee: FunctionGuarantee, declared: Any, given: str | None
) -> FunctionGuarantee:
    """The guarantee in (epsilon, delta) with advanced composition; unchanged without a slack.

    Steps in rho beside steps in (epsilon, delta), and steps in (rho, delta), are converted at the
    slack (`measures.mixed`); of the former it is the sum of the deltas, if none is given.

    Args:
        given: the slack of the command line; None: that of the decorator, if any.

    Raises:
        Stop: the slack is no expression in the public parameters or outside (0, 1), a mechanism has
            no cost in (epsilon, delta), or the total delta is 1 or more.
    """
    module, node = declared.module, declared.options.get("slack", declared.node)
    text = given if given is not None else _text(declared)
    if guarantee.tree is None:
        return guarantee
    known = available(guarantee.tree)
    if text is None and known:
        return guarantee
    if known and "approx" not in known and APPROX_ZCDP not in known:
        raise stop(
            module, node, "mixed-measures",
            "advanced composition needs every cost in (epsilon, delta), and one here is in rho",
            "mechanisms with epsilon, or epsilon and delta",
            "--delta 1e-6 composes rho better; or give the Gaussian noise as epsilon= and delta=",
        )  # fmt: skip
    from metricdp.measures.mixed import given_up, with_slack

    sources = [entry.source for entry in guarantee.units()]
    if text is None:
        slack = given_up(guarantee.tree, list(sources))
        text = str(slack)
    else:
        slack = parsed_claim(text, node, guarantee, module)
    requires = list(guarantee.requires)
    added: list[tuple[Required, Place]] = []

    def needed(left: Expr, op: str, right: Expr) -> None:
        verdict = compare(left, op, right)
        if verdict is False:
            raise stop(
                module, node, "vacuous-guarantee",
                f"the slack {text} needs {left} {op} {right}, which does not hold",
                "a slack between 0 and 1, and a total delta below 1", 'slack="delta/2"',
            )  # fmt: skip
        if verdict is None:
            requires.append((left, op, right))
            added.append(((left, op, right), Place(module.span(node))))

    needed(slack, ">", ZERO)
    for source in sources:
        found = with_slack(guarantee.tree, source, ONE, slack)
        for relation in found.requires:
            needed(relation.left, relation.op, relation.right)
        needed(found.delta, "<", ONE)
    return msgspec.structs.replace(
        guarantee, slack=slack, measure="approx", requires=tuple(tidied(requires)),
        places={**places_of(added), **guarantee.places},
    )  # fmt: skip


def _text(declared: Any) -> str | None:
    node = declared.options.get("slack")
    if node is None or declared.kind != "measurement":
        return None
    if isinstance(node, ast.Constant) and not isinstance(node.value, bool | type(None)):
        return str(node.value)
    raise stop(
        declared.module, node, "claim-syntax", "the slack is no text",
        "an expression in the public parameters, in quotes", 'slack="delta/2"',
    )  # fmt: skip
