"""Requirements of a guarantee at given values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from metricdp.answers.errors import RequirementViolated
from metricdp.answers.solution import text
from metricdp.check.domain.requirements import in_words
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.check.verdicts.held import decided
from metricdp.expr import Relation


def broken(
    guarantee: FunctionGuarantee, values: Mapping[str, Fraction], about: str = ""
) -> Relation | None:
    """The first requirement that the values decide and that does not hold.

    `about`: only requirements that mention this name.
    """
    for left, op, right in guarantee.requires:
        if about and about not in left.symbols | right.symbols:
            continue
        if decided((left, op, right), values) is False:
            return Relation(left, op, right)
    return None


def given_values_hold(guarantee: FunctionGuarantee, values: Mapping[str, Fraction]) -> None:
    """A cost at values that break a requirement means nothing.

    Raises:
        RequirementViolated: a requirement fails, or an integer parameter is given a fraction.
    """
    if (relation := broken(guarantee, values)) is not None:
        raise RequirementViolated(
            f"{_shown(relation, values)}: `{guarantee.name}` requires {_words(relation)}",
            place=guarantee.name, remedy="another value",
        )  # fmt: skip
    for entry in guarantee.inputs:
        value = values.get(entry.name)
        if entry.type == "int" and value is not None and value.denominator != 1:
            raise RequirementViolated(
                f"`{entry.name}` is an integer, and {value} is none", place=guarantee.name,
                remedy=f"--set {entry.name}={value.__floor__()}",
            )  # fmt: skip


def answer_holds(guarantee: FunctionGuarantee, values: Mapping[str, Fraction], name: str) -> None:
    """The value found for `name`, among the others, breaks no requirement.

    Raises:
        RequirementViolated: it does.
    """
    if (relation := broken(guarantee, values, name)) is not None:
        here = _shown(relation, values)
        raise RequirementViolated(
            f"{here} meets the budget, but `{guarantee.name}` requires {_words(relation)}",
            place=guarantee.name, remedy="another budget",
        )  # fmt: skip


def _words(relation: Relation) -> str:
    return in_words(relation.left, relation.op, relation.right)


def _shown(relation: Relation, values: Mapping[str, Fraction]) -> str:
    names = sorted((relation.left.symbols | relation.right.symbols) & values.keys())
    return ", ".join(f"{name} = {text(values[name])}" for name in names)
