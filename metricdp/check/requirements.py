"""Requirements on public parameters, as short as they can be printed and no shorter."""

from __future__ import annotations

from metricdp.expr import ZERO, Expr, compare, num, sym

Relations = list[tuple[Expr, str, Expr]]
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def tidied(relations: Relations) -> Relations:
    """Factors that do not matter removed, then relations that the others imply."""
    left = list(dict.fromkeys(_scaled(*relation) for relation in relations))
    position = 0
    while position < len(left):
        others = left[:position] + left[position + 1 :]
        if _implied(left[position], others):
            left = others
        else:
            position += 1
    return left


def _scaled(left: Expr, op: str, right: Expr) -> tuple[Expr, str, Expr]:
    """`eps/2 > 0` is `eps > 0`: a rational factor next to 0 is dropped, with its sign."""
    if not right.is_zero or left.inf or len(left.terms) != 1:
        return left, op, right
    (factor,) = left.terms.values()
    if not factor or left.is_number:
        return left, op, right
    return left / num(factor), op if factor > 0 else _FLIPPED[op], ZERO


def _implied(relation: tuple[Expr, str, Expr], others: Relations) -> bool:
    """Whether facts such as `n >= 1` and `eps > 0` among the others make it true."""
    left, op, right = relation
    names = left.symbols | right.symbols
    known: dict[str, Expr] = {}
    for a, relation_op, b in others:
        name = _alone(a)
        if name is None or name not in names:
            continue
        positive = (relation_op == ">" and b.sign() in ("0", "+", ">=0")) or (
            relation_op == ">=" and b.sign() == "+"
        )
        if positive:
            known[name] = sym(name, positive=True, integer=bool(a.is_integer()))
    if not known:
        return False
    return compare(left.subs(known), op, right.subs(known)) is True


def _alone(expr: Expr) -> str | None:
    """The name of an expression that is one symbol."""
    names = expr.symbols
    if len(names) != 1 or str(expr) != next(iter(names)):
        return None
    return next(iter(names))
