"""The spends of a ledger against the budget of its data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricdp.errors import LedgerError, ParameterError
from metricdp.pictures.axes import COLOURS, GREY, axes
from metricdp.sessions.budget import SIGNS
from metricdp.sessions.chain import OPEN, SPEND, fractions

if TYPE_CHECKING:
    from metricdp.sessions.ledger import Ledger


def ledger(ledger: Ledger, dataset: str | None = None, *, ax: Any = None) -> Any:
    """Spends one after another, as shares of the budget, with what is left.

    Args:
        ledger: of a session, or `Ledger(path, create=False)`.
        dataset: which one, when the ledger counts several.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        LedgerError: a chain that is broken.
        MissingExtraError: matplotlib is not installed.
        ParameterError: no ledger; no such data set, or several and none was named.
    """
    if not hasattr(ledger, "verify"):
        raise ParameterError(
            f"{type(ledger).__name__} is no ledger",
            place="ledger",
            remedy='ledger(session.ledger), or ledger(Ledger("ledger.db", create=False))',
        )
    ledger.verify()
    rows = list(ledger.rows())
    names = list(dict.fromkeys(row.dataset for row in rows if row.kind == OPEN))
    if dataset is None and len(names) == 1:
        dataset = names[0]
    if dataset not in names:
        known = ", ".join(map(repr, names)) or "none"
        raise ParameterError(
            f"the ledger counts {known}", place="dataset", remedy="name one of them"
        )
    limits = ledger.limits(dataset)
    if not limits:
        raise LedgerError("a data set without a budget", place=dataset)
    units = [unit for unit in SIGNS if unit in limits]
    ax = axes(ax, f"Budget of {dataset!r}", height=1.2 + 0.7 * len(units))
    spends = [row.data() for row in rows if row.dataset == dataset and row.kind == SPEND]
    for y, unit in enumerate(units):
        start = 0.0
        for i, body in enumerate(spends):
            cost = fractions(body["cost"]).get(unit)
            share = float(cost / limits[unit]) if cost and limits[unit] else 0.0
            if not share:
                continue
            colour = COLOURS[i % len(COLOURS)]
            ax.barh(y, share, left=start, height=0.5, color=colour, edgecolor="white")
            if share > 0.08:
                name = str(body.get("name", ""))
                ax.text(start + share / 2, y, _short(name, share), ha="center", va="center",
                        color="white", fontsize=8)  # fmt: skip
            start += share
        ax.barh(
            y, 1 - start, left=start, height=0.5, color="#EFEFEF", edgecolor=GREY, linewidth=0.6
        )
        ax.text(1.01, y, f"{1 - start:.0%} left", va="center", fontsize=9, color=GREY)
    ax.set_yticks(range(len(units)), [f"{SIGNS[u]} of {_number(limits[u])}" for u in units])
    ax.set(xlim=(0, 1.15), ylim=(-0.6, len(units) - 0.4))
    ax.set_xlabel("share of the budget")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %"])
    ax.grid(False, axis="y")
    return ax


def _short(name: str, share: float) -> str:
    """A name that fits into its bar: about 64 letters fill the whole width."""
    room = max(3, int(share * 64))
    return name if len(name) <= room else name[: room - 1] + "…"


def _number(value: Any) -> str:
    return f"{float(value):.6g}"
