"""Requirements on public parameters, as short as they can be printed and no shorter."""

from __future__ import annotations

from collections.abc import Iterable

from metricdp.check.values import keys
from metricdp.check.values.facts import Fact, above_zero
from metricdp.expr import ZERO, Expr, compare, num, sym
from metricdp.record import Requirement

Relations = list[tuple[Expr, str, Expr]]
#: Most cases that upper ends are split into.
_MOST_CASES = 4
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def all_different(name: str) -> Requirement:
    """No two items of a public parameter are equal, or of one of several (`keys.one_of`)."""
    (first, *others) = keys.named_by(name)
    remedy = f"{name}=sorted(set({name}))"
    if others:
        remedy = f"give {first} no item twice, or make both lists of a dictionary"
    return Requirement(*keys.that_differ(name), remedy=remedy)


def in_words(left: Expr, op: str, right: Expr) -> str:
    """A requirement as it is printed."""
    name = keys.said_of_all(left, op, right)
    if name is None:
        return f"{left} {op} {right}"
    return f"{' or '.join(keys.named_by(name))}: all different"


def tidied(relations: Relations) -> Relations:
    """Factors that do not matter removed, then relations that the others imply."""
    kept = dict(enumerate(dict.fromkeys(part for each in relations for part in parts(each))))
    # What implies a relation is said of one of its names.
    said: dict[str, list[int]] = {}
    for position, (left, _, _) in kept.items():
        if (name := _alone(left)) is not None:
            said.setdefault(name, []).append(position)
    for position, relation in list(kept.items()):
        names = relation[0].symbols | relation[2].symbols
        near = sorted(p for name in names for p in said.get(name, ()) if p != position)
        if _implied(relation, [kept[p] for p in near if p in kept]):
            del kept[position]
    return list(kept.values())


def parts(relation: tuple[Expr, str, Expr]) -> Relations:
    """The relations that stand for one: factors that do not matter removed, products split."""
    return _factors(*_scaled(*relation))


def _scaled(left: Expr, op: str, right: Expr) -> tuple[Expr, str, Expr]:
    """`eps/2 > 0` is `eps > 0`: a rational factor next to 0 is dropped, with its sign."""
    if not right.is_zero or left.inf or len(left.terms) != 1:
        return left, op, right
    (factor,) = left.terms.values()
    if not factor or left.is_number:
        return left, op, right
    return left / num(factor), op if factor > 0 else _FLIPPED[op], ZERO


def _factors(left: Expr, op: str, right: Expr) -> Relations:
    """`eps/k > 0` as `eps > 0` and `k > 0`: nobody wants both to be negative.

    `1/eps > 0` is `eps > 0`, for public numbers are finite.
    """
    if op != ">" or not right.is_zero or left.inf or len(left.terms) != 1:
        return [(left, op, right)]
    ((monomial, factor),) = left.terms.items()
    plain = all(atom.kind == "sym" and exponent % 2 == 1 for atom, exponent in monomial)
    if not plain or factor < 0:
        return [(left, op, right)]
    atoms = sorted((atom for atom, _ in monomial), key=lambda atom: str(atom.label))
    return [(Expr({((atom, 1),): 1}), ">", ZERO) for atom in atoms]


def follows(left: Expr, op: str, right: Expr, known: Iterable[Fact]) -> bool:
    """Whether one of the facts about public parameters makes a relation true."""
    if left.is_infinite or right.is_infinite:
        return False
    wanted = left - right
    for fact in known:
        given = fact.form.constant
        if op == fact.op and op in ("==", "!=") and wanted in (given, -given):
            return True
        low = above_zero(fact)
        if low is None:
            continue
        strict = fact.op in ("<", ">")
        if strict and low.is_integer():
            low, strict = low - 1, False  # whole numbers above 0 are at least 1
        if op in (">", ">=", "!=") and _at_least(wanted, low, strict or op == ">="):
            return True
        if op in ("<", "<=", "!=") and _at_least(-wanted, low, strict or op == "<="):
            return True
    return False


def _at_least(wanted: Expr, low: Expr, equal: bool) -> bool:
    """Whether wanted >= low, or wanted > low; for whole numbers, low > 0 is low >= 1."""
    return compare(wanted, ">=" if equal else ">", low) is True


def facts(relations: Iterable[tuple[Expr, str, Expr]]) -> dict[str, Expr]:
    """Names that the relations make positive, as symbols that are known to be."""
    known: dict[str, Expr] = {}
    for left, op, right in relations:
        name = _alone(left)
        positive = (op == ">" and right.sign() in ("0", "+", ">=0")) or (
            op == ">=" and right.sign() == "+"
        )
        if name is not None and positive:
            known[name] = sym(name, positive=True, integer=bool(left.is_integer()))
    return known


def cases(relations: Relations) -> list[dict[str, Expr]]:
    """What the relations say of their names, as substitutions one of which holds.

    Names that lie between 0 and an upper end c > 0 become c / (1 + t) with t >= 0, or 0 where that
    is not excluded; a name n that is at least as large as a name b >= 0 becomes b + t.
    """
    relations = list(relations)
    known = facts(relations)
    for left, op, right in relations:
        name = _alone(left)
        if name is not None and name not in known and op == ">=" and right.is_zero:
            known[name] = sym(name, nonneg=True, integer=bool(left.is_integer()))
    found = [dict(known)]
    for position, (left, op, right) in enumerate(relations):
        name, end, whole = _alone(left), right.subs(known), bool(left.is_integer())
        above = _alone(right)
        if name not in known or op not in ("<", "<=") or len(found) > _MOST_CASES:
            continue
        more = sym(f"more {position}", nonneg=True, integer=whole)
        if above is not None and right.is_integer() is left.is_integer():
            found = [{**case, above: known[name] + more} for case in found]
        elif end.as_fraction() is not None and end.sign() == "+":
            share = end / (1 + sym(f"more {position}", nonneg=True))
            if known[name].sign() == "+":
                found = [{**case, name: share} for case in found]
            else:
                found = [{**case, name: each} for case in found for each in (share, ZERO)]
    return found


def _implied(relation: tuple[Expr, str, Expr], others: Relations) -> bool:
    """Whether facts such as `n >= 1` and `eps > 0` among the others make it true."""
    left, op, right = relation
    names = left.symbols | right.symbols
    known = {name: fact for name, fact in facts(others).items() if name in names}
    if not known:
        return False
    return compare(left.subs(known), op, right.subs(known)) is True


def _alone(expr: Expr) -> str | None:
    """The name of an expression that is one symbol."""
    names = expr.symbols
    if len(names) != 1 or str(expr) != next(iter(names)):
        return None
    return next(iter(names))
