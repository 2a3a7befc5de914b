"""Refutation of a claim: the hook through which check asks the auditor for a counterexample.

The auditor stands above check, so it is called by name, and only when a claim was not proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metricdp.expr import Expr

if TYPE_CHECKING:
    from metricdp.check.verdicts.verify import Outcome


def refute(outcome: Outcome, claimed: Mapping[str, Expr]) -> Mapping[str, Any] | None:
    """A counterexample on synthetic inputs, or None if none was found.

    A program that fails on synthetic inputs, 7 % 0 for example, shows none.
    """
    search = import_module("metricdp.audit.refute").refute
    try:
        found: Mapping[str, Any] | None = search(outcome, claimed)
    except Exception:
        return None
    return found
