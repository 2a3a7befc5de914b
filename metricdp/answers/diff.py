"""How the guarantee of each function changed between two versions of a program.

Bounds are compared only where they speak of the same thing: the same unit and metric of the input,
the same measure and the same delta, and under the requirements of both guarantees.  Everything else
is said to be incomparable, and why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from metricdp.check.domain.requirements import in_words
from metricdp.check.verdicts.guarantee import FunctionGuarantee, Input
from metricdp.check.verdicts.verify import Outcome
from metricdp.diagnostics.result import SCHEMA
from metricdp.expr import INF, Expr, compare, sym

#: Kinds of change, from good to bad.
GRADES = ("better", "same", "note", "incomparable", "worse")
_GRADE = {
    "equal": "same", "smaller": "better", "at most": "better", "larger": "worse",
    "at least": "worse", "incomparable": "incomparable",
}  # fmt: skip
#: What may have become of a function, in the order in which it is printed.
STATUSES = ("worse", "incomparable", "removed", "added", "better", "same")
_MARKS = {"better": "+", "worse": "-", "incomparable": "?", "note": " ", "same": " "}
Requirement = tuple[Expr, str, Expr]


class Change(msgspec.Struct, frozen=True):
    """One difference.

    Attributes:
        what: "verdict", "kind", "input", "unit", "space", "stability", "privacy", "output",
            "requires", "assumes" or "rests on".
        grade: one of `GRADES`; a "note" changes nothing in the promise.
        text: one line.
        input: the parameter, or "".
        old, new: both sides as printed, "" where there is none.
    """

    what: str
    grade: str
    text: str
    input: str = ""
    old: str = ""
    new: str = ""


class Difference(msgspec.Struct, frozen=True):
    """One function: status "better", "same", "worse", "incomparable", "added" or "removed".

    `ok` is False when the promise got worse, or could not be compared.
    """

    name: str
    file: str
    line: int
    status: str
    changes: tuple[Change, ...]
    ok: bool


def differences(
    old: Sequence[Outcome], new: Sequence[Outcome], roots: tuple[str, str] = ("", "")
) -> list[Difference]:
    """Every function of either side, matched by name (and path below `roots`, for directories)."""
    before = {_key(o, roots[0]): o for o in old}
    after = {_key(o, roots[1]): o for o in new}
    found = []
    for key, outcome in after.items():
        known = before.get(key)
        found.append(_added(outcome) if known is None else difference(known, outcome))
    return found + [_removed(outcome) for key, outcome in before.items() if key not in after]


def _key(outcome: Outcome, root: str) -> tuple[str, str]:
    path = str(outcome.declared.module.path)
    return (os.path.relpath(path, root) if root else ""), outcome.declared.name


def difference(old: Outcome, new: Outcome) -> Difference:
    """How one function changed."""
    changes = [c for c in _changes(old, new) if c.grade != "same"]
    grades = {c.grade for c in changes}
    status = next((g for g in ("worse", "incomparable", "better") if g in grades), "same")
    return _named(new, status, tuple(changes), status in ("same", "better"))


def _named(outcome: Outcome, status: str, changes: tuple[Change, ...], ok: bool) -> Difference:
    declared = outcome.declared
    line: int = declared.node.lineno
    return Difference(declared.name, str(declared.module.path), line, status, changes, ok)


def _added(outcome: Outcome) -> Difference:
    grade = "note" if outcome.verdict == "proved" else "worse"
    change = Change("verdict", grade, outcome.verdict, new=outcome.verdict)
    return _named(outcome, "added", (change,), outcome.verdict == "proved")


def _removed(outcome: Outcome) -> Difference:
    """A promise that is gone is nothing to compare: it may go on under another name."""
    change = Change("verdict", "incomparable", "nothing to compare with", old=outcome.verdict)
    return _named(outcome, "removed", (change,), False)


def _changes(old: Outcome, new: Outcome) -> list[Change]:
    a, b = old.guarantee, new.guarantee
    if old.verdict != new.verdict or a is None or b is None:
        grade = "same" if old.verdict == new.verdict else "worse"
        if old.verdict != "proved" and new.verdict == "proved":
            grade = "better"
        elif old.verdict != "proved" and new.verdict != "proved":
            grade = "note" if old.verdict != new.verdict else "same"
        text = f"{old.verdict} -> {new.verdict}"
        if grade == "worse" and (why := [d for d in new.diagnostics if d.severity == "error"]):
            text += f" [{why[0].code}] at line {why[0].span.line}: {why[0].message}"
        return [Change("verdict", grade, text, "", old.verdict, new.verdict)]
    if a.kind != b.kind:
        text = f"was a {a.kind} and is a {b.kind}: not compared"
        return [Change("kind", "incomparable", text, "", a.kind, b.kind)]
    return [*_inputs(a, b), *_output(a, b), *_requires(a, b), *_trust(a, b)]


def _inputs(a: FunctionGuarantee, b: FunctionGuarantee) -> list[Change]:
    before, after = ({i.name: i for i in g.inputs} for g in (a, b))
    found = []
    for name in [*before, *(n for n in after if n not in before)]:
        x, y = before.get(name), after.get(name)
        if x is not None and y is not None and x.space is not None and y.space is not None:
            found += _protected(a, b, x, y)
            continue
        was, now = (_role(i) for i in (x, y))
        if was == now:
            continue
        grade = "note"
        if was == "private":
            grade = "worse"
        elif now == "private":
            grade = "better"
        found.append(Change("input", grade, f"`{name}`: {was} -> {now}", name, was, now))
    return found


def _role(entry: Input | None) -> str:
    if entry is None:
        return "no parameter"
    return "public" if entry.space is None else "private"


def _protected(a: FunctionGuarantee, b: FunctionGuarantee, x: Input, y: Input) -> list[Change]:
    """A parameter that is private on both sides."""
    assert x.space is not None and y.space is not None
    name, found = x.name, []
    if x.space.unit != y.space.unit:
        text = f"`{name}`: one counts {x.space.unit}, the other {y.space.unit}: not compared"
        return [Change("unit", "incomparable", text, name, x.space.unit, y.space.unit)]
    if _metric(x) != _metric(y):
        text = f"`{name}`: distances in {x.space} and in {y.space} differ: not compared"
        return [Change("space", "incomparable", text, name, str(x.space), str(y.space))]
    if str(x.space) != str(y.space):
        text = f"`{name}`: {x.space} -> {y.space}"
        found.append(Change("space", "note", text, name, str(x.space), str(y.space)))
    known = facts([*a.requires, *b.requires])
    if a.kind == "transformation":
        assert x.stability is not None and y.stability is not None
        if _codomain(a) != _codomain(b):
            text = f"`{name}`: results in {a.output} and in {b.output} are not compared"
            return [*found, Change("stability", "incomparable", text, name)]
        # At distance 0 every map is 0.
        known["d_in"] = sym("d_in", positive=True)
        how = order(x.stability, y.stability, known)
        return [*found, _ordered("stability", name, "stability", x.stability, y.stability, how)]
    return [*found, *_costs(a, b, name)]


def _costs(a: FunctionGuarantee, b: FunctionGuarantee, name: str) -> list[Change]:
    if a.measure != b.measure and {a.measure, b.measure} & {"zcdp", "approx_zcdp"}:
        text = f"`{name}`: costs in {_spoken(a)} and in {_spoken(b)} are not compared"
        return [Change("privacy", "incomparable", text, name, _spoken(a), _spoken(b))]
    known = facts([*a.requires, *b.requires])
    was, now = a.cost(name), b.cost(name)
    d, e = was.get("delta"), now.get("delta")
    if d is not None and e is not None and order(d, e, known) != "equal":
        text = f"`{name}`: costs at delta = {d} and at delta = {e} are not compared"
        return [Change("privacy", "incomparable", text, name, str(d), str(e))]
    measure = "rho" if "rho" in was else "epsilon"
    how = order(was[measure], now[measure], known)
    return [_ordered("privacy", name, measure, was[measure], now[measure], how)]


def _ordered(what: str, name: str, measure: str, old: Expr, new: Expr, how: str) -> Change:
    said = {"at most": "not larger", "at least": "not smaller"}.get(how, how)
    text = f"`{name}`: {measure} {old} -> {new} ({said})"
    if how == "incomparable":
        text = f"`{name}`: {measure} {old} -> {new} (neither is proved smaller)"
    return Change(what, _GRADE[how], text, name, str(old), str(new))


def _metric(entry: Input) -> tuple[object, ...]:
    """What d_in means, apart from refinements."""
    space = entry.space
    fields = ("element", "norm", "metric", "parts")
    return (type(space).__name__, *(str(getattr(space, field, "")) for field in fields))


def _codomain(g: FunctionGuarantee) -> tuple[object, ...]:
    space = g.output_space
    if space is None:
        return (g.output,)
    return (type(space).__name__, *(str(getattr(space, f, "")) for f in ("norm", "metric")))


def _spoken(g: FunctionGuarantee) -> str:
    spoken = {"zcdp": "rho", "approx": "(epsilon, delta)", "approx_zcdp": "(rho, delta)"}
    return {"pure": "epsilon", **spoken}.get(g.measure, g.measure)


def _output(a: FunctionGuarantee, b: FunctionGuarantee) -> list[Change]:
    if a.output == b.output:
        return []
    return [Change("output", "note", f"result {a.output} -> {b.output}", "", a.output, b.output)]


def _requires(a: FunctionGuarantee, b: FunctionGuarantee) -> list[Change]:
    found = []
    for r in b.requires:
        if not follows(r, a.requires):
            text = in_words(*r)
            found.append(Change("requires", "worse", f"also requires {text}", new=text))
    for r in a.requires:
        if not follows(r, b.requires):
            text = in_words(*r)
            found.append(Change("requires", "better", f"no longer requires {text}", old=text))
    return found


def _trust(a: FunctionGuarantee, b: FunctionGuarantee) -> list[Change]:
    found = []
    for what, before, after in (
        ("assumes", a.assumptions, b.assumptions),
        ("rests on", a.rests_on, b.rests_on),
    ):
        for fact in after:
            if fact not in before:
                found.append(Change(what, "worse", f"also {what}: {fact}", new=fact))
        for fact in before:
            if fact not in after:
                found.append(Change(what, "better", f"no longer {what}: {fact}", old=fact))
    return found


def facts(requirements: Iterable[Requirement]) -> dict[str, Expr]:
    """Symbols that a requirement such as `eps > 0` or `n >= 1` makes positive, with that fact."""
    known: dict[str, Expr] = {}
    for left, op, right in requirements:
        (name,) = left.symbols if len(left.symbols) == 1 else ("",)
        if not name or str(left) != name or right.symbols:
            continue
        sign = right.sign()
        if (op == ">" and sign in ("0", "+", ">=0")) or (op == ">=" and sign == "+"):
            known[name] = sym(name, positive=True, integer=bool(left.is_integer()))
    return known


def order(old: Expr, new: Expr, known: Mapping[str, Expr]) -> str:
    """ "equal", "smaller" (new is), "larger", "at most", "at least" or "incomparable"; proved."""
    if old == new:
        return "equal"
    a, b = old.subs(known), new.subs(known)
    if a == b or compare(b, "==", a) is True:
        return "equal"
    if compare(b, "<", a) is True:
        return "smaller"
    if compare(b, ">", a) is True:
        return "larger"
    if compare(b, "<=", a) is True:
        return "at most"
    if compare(b, ">=", a) is True:
        return "at least"
    return "incomparable"


def follows(requirement: Requirement, others: Iterable[Requirement]) -> bool:
    """Whether a requirement is among the others, or follows from them."""
    left, op, right = requirement
    given = list(others)
    if any((str(a), o, str(b)) == (str(left), op, str(right)) for a, o, b in given):
        return True
    if op in ("<", "<=") and right.is_number and left != INF:
        tighter = [b for a, o, b in given if a == left and o in ("<", "<=") and b.is_number]
        if any(compare(b, "<", right) is True for b in tighter):
            return True
    known = facts(given)
    return compare(left.subs(known), op, right.subs(known)) is True


def difference_lines(found: Sequence[Difference]) -> list[str]:
    """One block per function, what got worse first; unchanged functions are only counted."""
    lines = []
    for status in STATUSES[:-1]:
        for entry in found:
            if entry.status == status:
                lines.append(f"{status:<12} {entry.name}   {entry.file}:{entry.line}")
                lines += [f"   {_MARKS[c.grade]} {c.text}" for c in entry.changes]
    counts = [(s, sum(d.status == s for d in found)) for s in STATUSES]
    total = f"{len(found)} program" + ("" if len(found) == 1 else "s")
    parts = ", ".join(f"{number} {status}" for status, number in counts if number)
    return [*lines, f"{total}: {parts}" if parts else total]


def difference_json(found: Sequence[Difference]) -> dict[str, Any]:
    """The differences in schema 1."""
    return {
        "schema": SCHEMA,
        "summary": {status: sum(d.status == status for d in found) for status in STATUSES},
        "functions": [
            {
                "name": entry.name,
                "file": entry.file,
                "line": entry.line,
                "status": entry.status,
                "ok": entry.ok,
                "changes": [
                    {
                        "what": c.what, "grade": c.grade, "input": c.input or None,
                        "old": c.old or None, "new": c.new or None, "text": c.text,
                    }
                    for c in entry.changes
                ],
            }
            for entry in found
        ],
    }  # fmt: skip
