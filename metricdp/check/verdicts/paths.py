"""Under a bound that surprises: the lines that made it, from the first to the last."""

from __future__ import annotations

import msgspec

from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.check.verdicts.trace import Link, Trace
from metricdp.check.verdicts.verify import Outcome
from metricdp.diagnostics.result import FunctionReport, InputReport
from metricdp.expr import Expr

#: Words of a path that nobody reads off the table of steps.
_SURPRISING = ("the loop of", "any amount", ", made ")


def with_paths(report: FunctionReport, outcome: Outcome) -> FunctionReport:
    """The report of a transformation, with the path of every surprising bound.

    A bound surprises when it is infinite, comes from a loop or from several uses of the input, or
    is no multiple of the bound before it.
    """
    guarantee, state = outcome.guarantee, outcome.state
    if guarantee is None or state is None or outcome.result is None or guarantee.tree is not None:
        return report
    if not any(entry.private for entry in report.inputs):
        return report
    trace = Trace(state, report.file)
    wanted = {i.name: i.stability for i in guarantee.inputs}
    inputs = tuple(_explained(e, outcome.result, trace, wanted[e.name]) for e in report.inputs)
    return msgspec.structs.replace(report, inputs=inputs)


def _explained(entry: InputReport, result: Obj, trace: Trace, bound: Expr | None) -> InputReport:
    if bound is None or bound.is_zero:
        return entry
    source = Source("param", entry.name)
    lines: list[str] = []
    if isinstance(result, TupleValue):
        for position, item in enumerate(result.items):
            lines += _lines(trace, item, source, f"[{position}]: ")
    else:
        lines = _lines(trace, result, source, "", bound)
    return msgspec.structs.replace(entry, path=tuple(lines)) if lines else entry


def _lines(
    trace: Trace, value: Obj, source: Source, head: str, bound: Expr | None = None
) -> list[str]:
    step = trace.latest(value.step) if isinstance(value, Value) and value.step else None
    found = trace.bounds(step).get(source) if step is not None else None
    # Read in another norm, the result has another bound than its last step.
    if step is None or found is None or (bound is not None and found != bound):
        return []
    links = trace.path(step, source)
    if not _surprising(links):
        return []
    return [f"{'   ' * link.depth}{head if link is links[0] else ''}{link.text}" for link in links]


def _surprising(links: list[Link]) -> bool:
    return len(links) > 1 or any(word in links[0].text for word in _SURPRISING)
