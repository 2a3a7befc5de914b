"""What a query may cost, and which part of it each draw has."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.sql.parts import GroupKey, GroupNumber, Output
from metricdp.sql.plan import Asking, Options, exact
from metricdp.sql.tables import SqlTable


def budget_of(
    query: Asking, options: Options, groups: Sequence[GroupKey]
) -> tuple[str, Fraction, Fraction | None]:
    if (options.epsilon is None) == (options.rho is None):
        raise ParameterError("a query needs epsilon or rho", place="sql", remedy="epsilon=1")
    private = any(group.keys is None for group in groups)
    delta = None if options.delta is None else exact(options.delta, "delta")
    if delta is not None and delta >= 1:
        raise ParameterError("delta is below 1", place="delta", remedy="delta=1e-6")
    if not private:
        delta = None
    if options.rho is not None:
        return "rho", exact(options.rho, "rho"), delta
    return "eps", exact(options.epsilon, "epsilon"), delta


def require_findable(
    query: Asking, groups: Sequence[GroupKey], private: GroupKey, unit: str, delta: Fraction | None
) -> None:
    """Private keys are found for one group, with a delta."""
    remedy = f'keys={{"{private.name}": [...]}}'
    in_sql = f"--keys {private.name}=a,b, or WHERE ... IN (...)"
    if len(groups) > 1 or private.value.kind not in ("int", "str"):
        query.fail(private.node, f"the keys of {private.name} are not known", remedy, in_sql)
    if query.clause.options.get("group_selection_strategy", "").upper() == "PUBLIC_GROUPS":
        query.fail(private.node, "PUBLIC_GROUPS without public keys", remedy, in_sql)
    if unit == "rho":
        query.fail(private.node, f"the keys of {private.name} are not known, and are found with "
                   "epsilon and delta", remedy, in_sql)  # fmt: skip
    if delta is None:
        fact = f"the keys of {private.name} are not known, and finding them needs a delta"
        query.fail(private.node, fact, f"delta=1e-6; or {remedy}", in_sql)


def is_count_of_keys(
    output: Output, table: SqlTable, most: int | None, rows: int | None
) -> bool:  # fmt: skip
    """Whether the counts by which keys are found are this output."""
    if output.form != "{0}":
        return False
    part = output.parts[0]
    if part.kind == "persons":
        return most is not None
    if part.kind != "count" or part.tests:
        return False
    return not table.unit or part.rows == (rows if most is None else 1)


def split(
    query: Asking, drawn: Sequence[Output], counted: Sequence[Output], private: bool,
    options: Options, table: SqlTable, most: int | None,
) -> tuple[dict[GroupNumber, Fraction], Fraction, tuple[str, ...]]:  # fmt: skip
    """Part -> share of the budget that one draw of it has; the share of the keys; words."""
    weights = {name.lower(): exact(value, "shares") for name, value in options.shares.items()}
    known = {output.name.lower() for output in (*drawn, *counted)}
    if weights.keys() - known:
        raise ParameterError(f"no output is called {min(weights.keys() - known)}", place="shares",
                             remedy=f"outputs: {', '.join(sorted(known))}")  # fmt: skip
    parts: dict[GroupNumber, Fraction] = {}
    for output in drawn:
        for part in output.parts:
            weight = weights.get(output.name.lower(), Fraction(1))
            parts[part] = max(weight, parts.get(part, Fraction(0)))
    of_keys = Fraction(0)
    if private:
        asked = [weights.get(o.name.lower(), Fraction(1)) for o in counted]
        of_keys = max(asked, default=Fraction(1))
    total = sum(parts.values(), of_keys)
    words = [f"the keys of the groups: {of_keys / total} of the budget"] if private else []
    found: dict[GroupNumber, Fraction] = {}
    for part, weight in parts.items():
        free = part.kind == "persons" and not most
        many = 1 if free else (most or 1)
        found[part] = weight / total / many
        names = ", ".join(o.name for o in drawn if part in o.parts)
        each = f", for each of {most} groups of a person {found[part]}" if many > 1 else ""
        words.append(f"{part.kind} for {names}: {_part(weight / total)} of the budget{each}")
    return found, of_keys / total, tuple(words)


def require_gaussian(query: Asking, drawn: Sequence[Output]) -> None:
    for output in drawn:
        for part in output.parts:
            if part.kind == "quantile":
                query.fail(part.node, "quantiles are chosen with epsilon, and not with rho",
                           "epsilon=1 in place of rho")  # fmt: skip


def _part(share: Fraction) -> str:
    return "all" if share == 1 else str(share)
