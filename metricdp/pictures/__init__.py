"""Pictures: privacy profiles, trade-off curves, audits, converging laws, ledgers, previews.

Every function draws on matplotlib axes and returns them: give `ax=` to draw into a figure of your
own, and save with `ax.figure.savefig(...)`.  Needs the extra: pip install "metricdp[plots]".
"""

from __future__ import annotations

from metricdp.pictures.audits import audited
from metricdp.pictures.converging import convergence
from metricdp.pictures.curves import profile, tradeoff
from metricdp.pictures.previews import preview
from metricdp.pictures.spending import ledger

__all__ = ["audited", "convergence", "ledger", "preview", "profile", "tradeoff"]
