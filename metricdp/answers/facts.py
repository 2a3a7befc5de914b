"""Expressions compared under the requirements of the guarantees that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metricdp.expr import INF, Expr, compare, sym

Requirement = tuple[Expr, str, Expr]


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
