"""Objects as people read them: maps in the distances of their own metrics, tables, explanations."""

from __future__ import annotations

from typing import Any

from metricdp.expr import D
from metricdp.maps import Explanation
from metricdp.maps.steps import Explained, number
from metricdp.report.cards import card, table

_HALVED = "two tables of one size are an even distance apart: half as many rows are replaced"
_DOUBLED = "a replaced row is one removed and one added"


def maps_of(item: Any) -> dict[str, str]:
    """Name of a distance -> map from `d_in` under the object's own metric."""
    before = item.before
    if hasattr(item, "output_metric"):
        return {"map": str(item.after.after(item.core.stability.after(before)))}
    reading = item.output_measure.reading
    parts = item.core.privacy.get(reading, ())
    if not parts:
        return {"map": "a curve (epsilon, delta)" if "profile" in reading else "see explain()"}
    return {"map": ", ".join(str(part.after(before)) for part in parts)}


def html(item: Any) -> str:
    """A table for notebooks."""
    output = (
        {"output domain": repr(item.output_domain), "output metric": repr(item.output_metric)}
        if hasattr(item, "output_metric")
        else {"output measure": repr(item.output_measure)}
    )
    facts = {
        "steps": item.core.name,
        "input domain": repr(item.input_domain),
        "input metric": repr(item.input_metric),
        **output,
        **maps_of(item),
        "rests on": "; ".join(map(str, item.rests_on)),
    }
    return card(type(item).__name__.lower(), inside=table(facts.items()))


def explained(item: Any, d_in: Any, inner: Any) -> Explanation:
    """The steps at a distance, between the conversions of distances on either side."""
    lines = list(item.core.explain(inner).lines)
    if item.before.expr != D:
        formula = str(item.before)
        why = _HALVED if "floor" in formula else "no more rows are replaced than there are"
        ends = number(d_in), number(inner)
        lines.insert(0, Explained(repr(item.input_metric), *ends, formula, why))
    after = getattr(item, "after", None)
    if after is not None and after.expr != D:
        last = item.core.map(inner)
        ends = number(last), number(after(last))
        lines.append(Explained(repr(item.output_metric), *ends, str(after), _DOUBLED))
    return Explanation(lines)
