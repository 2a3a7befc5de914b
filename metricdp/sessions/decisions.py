"""What a ledger does with a spend: it is refused, it waits for an approval, or it is written."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from shlex import quote
from typing import Any

from metricdp.errors import ApprovalError, BudgetError, LedgerError, ParameterError
from metricdp.sessions.budget import amounts, costs, left_of
from metricdp.sessions.chain import Account
from metricdp.sessions.limits import Limit
from metricdp.sessions.shares import Asker, SpendRefusal

#: Who asks without a name.
NOBODY = Asker()
#: What there is to do where the budget is used up.
NOTHING = "nothing is left for these tables"


def known(account: Account | None, dataset: str) -> Account:
    """The account of a data set.

    Raises:
        LedgerError: it was never opened.
    """
    if account is None:
        raise LedgerError(f"the data set {dataset!r} was never opened", place="ledger")
    return account


def most(account: Account, limits: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """A limit that the caller holds never widens the one that the rows hold."""
    return {unit: min(limit, limits[unit]) for unit, limit in account.limits.items()}


def decided(
    account: Account, limits: Mapping[str, Fraction], cost: Mapping[str, Fraction], asker: Asker,
    name: str, now: str,
) -> tuple[SpendRefusal | None, int | None]:  # fmt: skip
    """Whether a spend waits for an approval, and the request whose approval it uses up.

    What may be spent in a part of a table is what is left, and what other parts have spent before.

    Raises:
        BudgetError: it is refused.
    """
    left = left_of(most(account, limits), account.total)
    if asker.part is not None:
        free = account.parts.free(asker.part)
        left = {unit: value + free[unit] for unit, value in left.items()}
    if any(cost[unit] > left[unit] or cost[unit] < 0 for unit in left):
        remedy = "ask for less, or stop here" if any(left.values()) else NOTHING
        raise _over(f"this costs {costs(cost)}, and {amounts(left)} is left", left, name, remedy)
    shares = account.shares
    refusal = shares.refusal(cost, left, asker, now, None)
    if refusal is None:
        return None, None
    if refusal.waits and asker.key and asker.analyst is not None:
        used = shares.approval(asker, cost)
        if used is None:
            return refusal, None
        refusal = shares.refusal(cost, left, asker, now, shares.requests[used])
        if refusal is None or refusal.waits:
            return refusal, used
    elif refusal.waits:
        why = "nothing tells it from other questions" if asker.analyst else "nobody says who asks"
        refusal = SpendRefusal(f"{refusal.fact}; {why}", refusal.remedy, refusal.left)
    fact = f"this costs {costs(cost)}, and {refusal.fact}"
    raise _over(fact, dict(refusal.left), name, refusal.remedy)


def _over(fact: str, left: Mapping[str, Fraction], name: str, remedy: str) -> BudgetError:
    error = BudgetError(fact, place=name or "ledger", remedy=remedy)
    error.left = dict(left)
    return error


def waits(
    refusal: SpendRefusal, row: int, dataset: str, name: str, path: str | None
) -> ApprovalError:
    command = f"ledger.approve({dataset!r}, {row}, by=...)"
    if path is not None:
        command = f"metricdp ledger approve {quote(path)} {quote(dataset)} {row} --by NAME"
    error = ApprovalError(
        f"{refusal.fact}; row {row} waits",
        place=name or "ledger",
        remedy=f"have it approved, then ask again: {command}",
    )
    error.left, error.row = dict(refusal.left), row
    return error


def names(asker: Asker) -> dict[str, Any]:
    """Who asks, and which part, as a row says it."""
    part = None if asker.part is None else asker.part.as_json()
    found = {"analyst": asker.analyst, "purpose": asker.purpose, "part": part}
    return {field: name for field, name in found.items() if name is not None}


def require_no_likeness(limit: Limit, account: Account) -> None:
    """Raises ParameterError for a name that differs from another limit's by capitals alone."""
    for other in account.shares.limits.values():
        for field in ("analyst", "purpose"):
            ours, theirs = getattr(limit, field), getattr(other, field)
            alike = ours is not None and theirs is not None and ours.casefold() == theirs.casefold()
            if alike and ours != theirs:
                raise ParameterError(
                    f"{ours!r} could be taken for {theirs!r}, who has a limit", place=field,
                    remedy="write one name in one way",
                )  # fmt: skip


def is_same(found: Mapping[str, str] | None, before: Mapping[str, str], dataset: str) -> bool:
    """Whether data are those whose fingerprint was noted.

    Raises:
        LedgerError: the key is missing, or another one, so that nobody can tell.
    """
    if found is None or found["key"] != before["key"]:
        fact = "this is another data_key than before"
        if found is None:
            fact = "without the data_key nobody can tell whether the data changed"
        raise LedgerError(fact, place=dataset, remedy="give the data_key that was given before")
    return found["of"] == before["of"]


def require_change(changed: bool, dataset: str) -> bool:
    """True where it was said that data changed.

    Raises:
        LedgerError: nobody said so.
    """
    if not changed:
        raise LedgerError(
            "the data are not those that were counted under this name", place=dataset,
            remedy="name them anew, which begins another budget for the same persons; or "
            "changed=True: the same budget goes on, and questions are answered anew",
        )  # fmt: skip
    return True
