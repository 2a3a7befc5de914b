"""Refutation of a claim: a concrete pair on which the checked syntax itself breaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metricdp.expr import Expr

if TYPE_CHECKING:
    from metricdp.check.verify import Outcome


def refute(outcome: Outcome, claimed: Mapping[str, Expr]) -> Mapping[str, Any] | None:
    """A counterexample on synthetic inputs, or None if none was found."""
    return None
