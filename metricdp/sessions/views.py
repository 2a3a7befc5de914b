"""Views of ledgers: text for a terminal, HTML for a notebook, data; and two of them compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import LedgerError
from metricdp.report.cards import BAD, GOOD, boxed, table
from metricdp.sessions.budget import SIGNS, amounts, costs, left_of
from metricdp.sessions.chain import (
    LIMIT,
    MOVED,
    OPEN,
    RELEASE,
    SPEND,
    LedgerRow,
    asker_of,
    texts,
)
from metricdp.sessions.limits import EVER, PERIODS, limit_of, period_of
from metricdp.sessions.shares import Shares

if TYPE_CHECKING:
    from metricdp.sessions.ledger import Ledger


HEAD = ("row", "time", "what", "reads", "cost", "left", "hash")


def shown(text: object) -> str:
    """A text on one line: whatever is not printed as itself is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


class _Account:
    """What a table says of one data set."""

    def __init__(self, row: LedgerRow) -> None:
        body = row.data()
        self.dataset, self.unit = shown(row.dataset), shown(body.get("unit", ""))
        self.budget = shown(body.get("counted", ""))
        self.limits = row.numbers("limits")
        self.total = row.numbers("total")
        self.lines: list[tuple[str, ...]] = []
        self.sums = Shares(self.limits)
        self.named = False

    def add(self, row: LedgerRow, released: set[int]) -> None:
        body = row.data()
        self.sums.see(body.get("time"))
        if row.kind == LIMIT:
            limit = limit_of(body["limit"])
            self.sums.limits[limit.scope] = limit
        if row.kind != SPEND:
            return
        self.total = row.numbers("total")
        asker = asker_of(row.key, body)
        self.sums.spend(asker, row.asked())
        left = left_of(self.limits, self.total)
        what = shown(body.get("name", ""))
        if row.number not in released:
            what += " (no release)"
        if asker.analyst is not None or asker.purpose is not None:
            self.named = True
            what += f", {_who(asker.analyst, asker.purpose)}"
        if body.get("approval") is not None:
            what += f", approved (row {body['approval']})"
        if asker.part is not None:
            what += f", in {shown(asker.part.describe())}"
        self.lines.append(
            (
                str(row.number),
                shown(body.get("time", "")).replace("+00:00", "Z"),
                what,
                ", ".join(map(shown, body.get("scope") or ())),
                costs(row.asked()),
                amounts(left),
                row.hash[:8],
            )
        )

    def shares(self) -> Iterable[tuple[str, float]]:
        """Unit -> share of the budget that is spent, in [0, 1]."""
        for unit in SIGNS:
            if unit in self.limits:
                limit = self.limits[unit]
                yield unit, float(self.total[unit] / limit) if limit else 1.0

    def parts(self) -> list[str]:
        """What limits leave in the period of the last row, and who spent how much."""
        found, latest = [], self.sums.latest
        for limit in self.sums.limits.values():
            text = f"limit {shown(limit.describe())}"
            if limit.per in PERIODS and latest is not None:
                spent = costs(self.sums.spent(limit, latest))
                text += f": {period_of(limit.per, latest)}: {spent}"
            elif limit.per == EVER and latest is not None:
                text += f": {costs(self.sums.spent(limit, latest))}"
            found.append(text)
        for name, total in self.sums.by_name.items() if self.named else ():
            found.append(f"{shown(_who(*name))}: {costs(total)}")
        if self.named:
            found.append(f"one person loses to all of them together: {costs(self.total)}")
        return found

    def summary(self) -> str:
        return f"spent {costs(self.total)}; left {amounts(left_of(self.limits, self.total))}"


def _who(analyst: str | None, purpose: str | None) -> str:
    name = "nobody named" if analyst is None else analyst
    return name if purpose is None else f"{name} for {purpose}"


def accounts(ledger: Ledger) -> list[_Account]:
    """One account per data set, in the order of their opening."""
    rows = list(ledger.rows())
    released = {r.data()["spend"] for r in rows if r.kind == RELEASE}
    found: dict[str, _Account] = {}
    for row in rows:
        if row.kind == OPEN:
            found[row.dataset] = _Account(row)
        elif row.kind != MOVED:
            found[row.dataset].add(row, released)
    return list(found.values())


def verdict(ledger: Ledger) -> str:
    """One line: whether the chain is whole."""
    try:
        count = ledger.verify()
    except LedgerError as error:
        return f"BROKEN: {error.fact}"
    moved = ledger.moved
    if moved:
        return f"{count} rows, chain whole, moved to {shown(moved)}, head {ledger.head[:16]}"
    return f"{count} rows, chain whole, head {ledger.head[:16]}"


def ledger_text(ledger: Ledger) -> str:
    """The ledger as text."""
    parts = []
    for account in accounts(ledger):
        head = [f"{account.dataset}: {account.budget}", f"  unit: {account.unit}"]
        lines = [f"  {line}" for line in _columns(HEAD, account.lines)] if account.lines else []
        below = [f"  {line}" for line in (*account.parts(), account.summary())]
        parts.append("\n".join([*head, *lines, *below]))
    return "\n\n".join([*parts, verdict(ledger)])


def ledger_json(ledger: Ledger) -> dict[str, Any]:
    """The ledger as data: every row as it was written, and what each data set has left."""
    rows = [{**msgspec.structs.asdict(row), "body": row.data()} for row in ledger.rows()]
    left = {a.dataset: texts(left_of(a.limits, a.total)) for a in accounts(ledger)}
    return {"whole": True, "head": ledger.head, "left": left, "rows": rows}


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def ledger_html(ledger: Ledger) -> str:
    """The ledger as a self-contained box: a bar per unit of each budget, then its spends."""
    parts = [_account_html(account) for account in accounts(ledger)]
    line = verdict(ledger)
    colour = BAD if line.startswith("BROKEN") else GOOD
    parts.append(f'<div style="color:{colour}"><small>{escape(line)}</small></div>')
    return boxed("".join(parts))


def _account_html(account: _Account) -> str:
    bars = "".join(_bar(unit, share) for unit, share in account.shares())
    spends = table(account.lines, HEAD) if account.lines else ""
    return (
        f"<div><b>{escape(account.dataset)}</b> {escape(account.budget)}</div>"
        f"<div><small>unit: {escape(account.unit)}</small></div>{bars}{spends}"
        + "".join(f"<div><small>{escape(line)}</small></div>" for line in account.parts())
        + f'<div style="margin-bottom:.6em">{escape(account.summary())}</div>'
    )


def _bar(unit: str, share: float) -> str:
    width = f"{100 * min(share, 1):.1f}%"
    return (
        f'<div style="margin:.3em 0"><small>{escape(SIGNS[unit])} spent: {width}</small>'
        '<div style="background:#8883;border-radius:3px;height:.6em;max-width:24em">'
        f'<div style="background:#0969da;border-radius:3px;height:.6em;width:{width}"></div>'
        "</div></div>"
    )


class Compared(msgspec.Struct, frozen=True):
    """What two ledgers have in common.

    Attributes:
        common: how many rows, from the first one on.
        first, second: how many rows each has beyond them.
        together: data set of both -> unit -> what was spent in either; empty unless they parted.
    """

    common: int
    first: int
    second: int
    together: Mapping[str, Mapping[str, Fraction]]

    @property
    def parted(self) -> bool:
        """Whether each has rows that the other lacks."""
        return bool(self.first and self.second)

    def lines(self) -> list[str]:
        """As text."""
        if not self.parted:
            if not self.first and not self.second:
                return [f"the same {self.common} rows"]
            longer = "the first" if self.first else "the second"
            return [f"the same {self.common} rows; {longer} has {self.first + self.second} more"]
        if not self.common:
            return ["two ledgers: no row in common"]
        spent = [f"{name}: spent in either {costs(total)}" for name, total in self.together.items()]
        return [f"parted after row {self.common}: {self.first} rows and {self.second} rows", *spent]


def compare(first: Ledger, second: Ledger) -> Compared:
    """Hold two ledgers against each other.

    Raises:
        LedgerError: one of them is not whole.
    """
    one, other = first.hashes(), second.hashes()
    common = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    lengths = len(one) - common, len(other) - common
    together: dict[str, dict[str, Fraction]] = {}
    if common and all(lengths):
        for row in chain(first.rows(), (r for r in second.rows() if r.number > common)):
            if row.kind == SPEND:
                total = together.setdefault(row.dataset, {})
                # Whose part was the largest after both is not known: each costs all that it cost.
                for unit, cost in row.asked().items():
                    total[unit] = total.get(unit, Fraction(0)) + cost
    return Compared(common, *lengths, together)
