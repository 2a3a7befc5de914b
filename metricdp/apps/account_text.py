"""The answers of `metricdp account` as text and as JSON."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

_ALONE = (
    "one engine answered alone; `pip install 'metricdp[accounting]'` adds the other, which narrows"
    " the interval"
)
_LABEL = {"rdp": "Renyi orders (RDP)", "basic": "basic composition"}


def account_text(found: dict[str, Any]) -> str:
    """A few lines for people: what was asked, the interval, and cheaper rules beside it."""
    from metricdp.measures.accounted import UNIT

    lines = [f"{found['events']}", f"neighbours: {UNIT[found['relation']]}", ""]
    if "solved" in found:
        return "\n".join([*lines, *_solved(found)]) + "\n"
    answer = found["answer"]
    rows = [("certified", answer.interval, answer.origin)]
    for name, label in _LABEL.items():
        other = found.get(name)
        if other is not None:
            rows.append((label, other.interval, _more(answer, other)))
    lines.append(f"{answer.quantity} at {answer.at}")
    left, middle = (max(len(row[i]) for row in rows) for i in (0, 1))
    lines += [f"   {a:<{left}}   {b:<{middle}}   {c}".rstrip() for a, b, c in rows]
    lines += [f"   note: {note}" for note in answer.notes]
    if find_spec("flint") is None:
        lines.append(f"   note: {_ALONE}")
    return "\n".join(lines) + "\n"


def _more(answer: Any, other: Any) -> str:
    """How much more a cheaper rule asks for."""
    if not answer.upper:
        return "upper bound"
    share = other.upper / answer.upper - 1
    return f"upper bound, {100 * float(share):.1f}% more"


def _solved(found: dict[str, Any]) -> list[str]:
    from metricdp.expr.decimals import decimal_up
    from metricdp.measures.calibration import Rounds

    solved, (epsilon, delta) = found["solved"], found["target"]
    target = f"epsilon = {epsilon} at delta = {delta}"
    if isinstance(solved, Rounds):
        more = "" if solved.too_many is None else f"; {solved.too_many} are proved to be too many"
        return [f"rounds within {target}", f"   {solved.count}{more}"]
    least = (
        "" if not solved.too_little else f"; {float(solved.too_little):.10g} is proved too little"
    )
    return [f"noise for {target}", f"   {decimal_up(solved.noise, 10)}{least}"]


def account_json(found: dict[str, Any]) -> dict[str, Any]:
    """One object; ends of intervals are doubles on their outer sides."""
    from metricdp.measures.accounted import UNIT
    from metricdp.measures.calibration import Rounds

    body: dict[str, Any] = {
        "schema": 1,
        "events": found["events"],
        "relation": found["relation"],
        "unit": UNIT[found["relation"]],
    }
    if "solved" in found:
        solved, (epsilon, delta) = found["solved"], found["target"]
        body["target"] = {"epsilon": epsilon, "delta": delta}
        if isinstance(solved, Rounds):
            body["rounds"] = {"proved": solved.count, "too_many": solved.too_many}
        else:
            body["noise"] = {"proved": float(solved), "too_little": float(solved.too_little)}
        return body
    body["quantity"] = found["answer"].quantity
    body["answer"] = found["answer"].to_dict()
    for name in _LABEL:
        if name in found:
            body[name] = None if found[name] is None else float(found[name])
    return body
