"""The rejection of a function whose check came to a limit: of time, of size or of depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.check.values.findings import report
from metricdp.diagnostics import Diagnostic, Note
from metricdp.effort import Exhausted

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState
    from metricdp.check.source.declared import Declaration


def exhausted(
    declared: Declaration, spent: Exhausted | RecursionError, state: CheckState | None
) -> Diagnostic:
    """What a function is rejected with that was not read to its end.

    Args:
        state: where the reading stopped; None if the function was not begun.
    """
    if isinstance(spent, RecursionError):
        spent = Exhausted(
            "too-large", "what `{}` does is nested too deep to be read",
            "expressions, branches and calls that are nested less than a thousand levels deep",
            "give parts of it names of their own", local=True,
        )  # fmt: skip
    places = [(declared.module, declared.node)]
    if state is not None and state.stopped:
        places = state.stopped
    (module, node), (inner, innermost) = places[-1], places[0]
    if spent.local:
        module, node = inner, innermost
    notes: tuple[Note, ...] = ()
    if innermost is not node:
        notes = (Note(inner.span(innermost), "reading stopped here"),)
    message = spent.message.replace("{}", declared.name)
    return report(module, node, spent.code, message, spent.need, spent.help, notes=notes)
