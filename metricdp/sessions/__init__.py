"""sessions: data, a unit of privacy and a budget; every spend goes through one ledger.

>>> import metricdp as dp
>>> session = dp.Session(
...     {"visits": (dp.Records[float], [1.0, 0.0, 4.0])}, budget=dp.Budget(epsilon=1)
... )
>>> total = dp.sum(dp.clamp(session["visits"], 0, 20))
>>> str(total.bound)
'20*d_in'
>>> session.left()
{'epsilon': Fraction(1, 1)}
"""

from __future__ import annotations

from metricdp.sessions.budget import Budget
from metricdp.sessions.ledger import Ledger
from metricdp.sessions.limits import Limit
from metricdp.sessions.session import Session
from metricdp.sessions.tracked import Tracked
from metricdp.sessions.unit import Unit

__all__ = ["Budget", "Ledger", "Limit", "Session", "Tracked", "Unit"]
