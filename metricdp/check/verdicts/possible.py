"""A guarantee whose requirements no public numbers meet: it never runs, so it says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.check.domain.contradictions import contradictory
from metricdp.check.values.findings import Stop
from metricdp.diagnostics import Diagnostic, Span

if TYPE_CHECKING:
    from metricdp.check.verdicts.guarantee import Guarantee


def possible(guarantee: Guarantee, span: Span) -> None:
    """Some public numbers may meet every requirement of a guarantee.

    Args:
        span: the function, for a requirement without a place of its own.

    Raises:
        Stop: none do; at the place of the last requirement of a smallest impossible set.
    """
    core = list(guarantee.requires)
    if not contradictory(core):
        return
    for relation in list(core):
        rest = [each for each in core if each is not relation]
        if contradictory(rest):
            core = rest
    found = [guarantee.places[each] for each in core if each in guarantee.places]
    last = max((place.span for place in found), key=lambda s: (s.line, s.column), default=span)
    told = " and ".join(f"{left} {op} {right}" for left, op, right in core)
    which = "public numbers meet" if len(core) == 1 else "public numbers meet both"
    which = f"{which} of" if len(core) > 2 else which
    raise Stop(
        Diagnostic(
            "requirement-fails", last, f"no {which} {told}",
            "requirements that some public parameters meet",
            "remove what asks for one of them, or give it a parameter of its own",
        )
    )  # fmt: skip
