"""The part of a composition tree that can happen at given public numbers.

A branch whose condition fails at these numbers spends nothing.  Its cost may have no value there:
the noise of `if n == 0: ... else: x / n` is infinite at n = 0 in the branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from metricdp.errors import ExpressionError
from metricdp.expr import Relation
from metricdp.measures.events import Choice, Sequence, Tree, with_parts

Numbers = Mapping[str, int | Fraction | float]


def taken(tree: Tree, numbers: Numbers) -> Tree:
    """The tree without the branches that cannot be taken; all others stay as they are."""
    if isinstance(tree, Choice):
        known = tree.conditions or ((),) * len(tree.items)
        kept = [
            (taken(item, numbers), relations)
            for item, relations in zip(tree.items, known, strict=True)
            if not any(_fails(relation, numbers) for relation in relations)
        ]
        if not kept:
            return Sequence()
        items, conditions = zip(*kept, strict=True)
        return Choice(items, conditions)
    return with_parts(tree, lambda part: taken(part, numbers))


def _fails(relation: Relation, numbers: Numbers) -> bool:
    """Whether a relation is known to fail; one with other names than these may hold."""
    if not relation.left.symbols | relation.right.symbols <= numbers.keys():
        return False
    try:
        if relation.holds(numbers):
            return False
        # `holds` is False as well where two sides are too close to be told apart.
        return Relation(relation.left, _OPPOSITE[relation.op], relation.right).holds(numbers)
    except ExpressionError:
        return False


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
