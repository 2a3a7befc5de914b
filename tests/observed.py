"""What a law says of the outcome of one check, kept in place of the outcome, which is large."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from evaluation_order import wrong_in

from metricdp.check.language.recovery import Recovering
from metricdp.check.verdicts import api
from metricdp.check.verdicts.verify import Outcome


class Observed(NamedTuple):
    """One function: its line, whether it is proved, and what is wrong with the outcome itself."""

    line: int
    proved: bool
    wrong: tuple[str, ...]


def observed(outcome: Outcome) -> Observed:
    """Errors are told in order and once; every call of what runs is there once, in its order."""
    found = [d for d in outcome.diagnostics if d.severity == "error"]
    places = [(d.span.line, d.span.column) for d in found]
    proved = outcome.verdict == "proved"
    laws = {
        "errors out of order": places == sorted(places),
        "an error twice": len({(d.code, d.span) for d in found}) == len(found),
        "errors of what is proved": bool(found) != proved,
        "a program that went on after an error": not isinstance(outcome.program, Recovering),
        "a guarantee without a program": (outcome.program is None) == (outcome.guarantee is None),
    }
    wrong = [what for what, holds in laws.items() if not holds]
    return Observed(outcome.declared.node.lineno, proved, (*wrong, *wrong_in(outcome)))


@contextmanager
def observing(kept: list[Outcome]) -> Iterator[list[Observed]]:
    """What is checked inside the block, as it is checked.

    Args:
        kept: filled with the outcomes themselves.
    """
    seen: list[Observed] = []

    def verify(*args: object) -> Outcome:
        outcome = real(*args)  # type: ignore[arg-type]
        if outcome.declared.kind != "black_box":
            seen.append(observed(outcome))
        kept.append(outcome)
        return outcome

    real = api.verify
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "verify", verify)
        yield seen
