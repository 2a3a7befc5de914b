"""The part of a composition tree that can happen at given public numbers.

Of a choice, an item whose condition fails at these numbers happens nowhere, and costs nothing.  Its
cost may have no value there: the noise of `if n == 0: ... else: x / n` is infinite at n = 0 in the
branch that is not taken.  What is stated of such a part holds at these numbers alone: neighbours
share their public numbers, and a run has exactly those at which its cost was read.

Rounds whose conditions depend on their number are decided one by one, where it is known how many
there are.  Round i of a repetition is an instance of its body at i; with the choices of i made and
nothing else left in it that depends on i, it is one of a few trees, and all rounds together are the
sequence of these trees, each as often as it is met.  The order does not matter to a reading: every
reading of a sequence adds, or composes laws, and the number of a round is fixed before the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from metricdp.errors import ExpressionError
from metricdp.expr import Expr, Relation, num
from metricdp.measures.events import (
    Choice,
    Repeat,
    Sequence,
    Tree,
    nodes,
    numbers_in,
    with_parts,
)

Numbers = Mapping[str, int | Fraction | float]
#: Most rounds that are decided one by one, those of loops inside of each other multiplied.
_MOST_ROUNDS = 1000
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def taken(tree: Tree, *numbers: Numbers) -> Tree:
    """The tree without the branches that cannot be taken; all others stay as they are.

    Args:
        numbers: values of public names, not all of them needed.  Where several readings of the same
            numbers are given, a branch is left out if it cannot be taken under any of them.
    """
    return _taken(tree, numbers or ({},), _MOST_ROUNDS)


def deciding(tree: Tree) -> frozenset[str]:
    """The names that decide which branches are taken: those in conditions, and in the number of
    rounds of loops whose rounds decide."""
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, Choice):
            found.update(name for each in numbers_in(node) for name in each.symbols)
        elif isinstance(node, Repeat) and _decides(node):
            found |= node.count.symbols
    return frozenset(found)


def left_open(tree: Tree) -> bool:
    """Whether a tree is a loop whose rounds decide by their number, and it stays open how: their
    number is not known, or their noise depends on it."""
    found = taken(tree) if isinstance(tree, Repeat) and _decides(tree) else None
    return isinstance(found, Repeat)


def _taken(tree: Tree, at: tuple[Numbers, ...], most: int) -> Tree:
    if isinstance(tree, Choice) and tree.conditions:
        return _chosen(tree, at, most)
    if isinstance(tree, Repeat) and _decides(tree):
        found = _round_by_round(tree, at, most)
        if found is not None:
            return found
    return with_parts(tree, lambda part: _taken(part, at, most))


def _chosen(tree: Choice, at: tuple[Numbers, ...], most: int) -> Tree:
    kept: list[tuple[Tree, tuple[Relation, ...]]] = []
    for item, relations in zip(tree.items, tree.conditions, strict=True):
        known = [[_holds(relation, numbers) for numbers in at] for relation in relations]
        if not any(all(holds is False for holds in each) for each in known):
            left = (r for r, each in zip(relations, known, strict=True) if not all(each))
            kept.append((_taken(item, at, most), tuple(left)))
    if not kept:
        return Sequence()
    items, conditions = zip(*kept, strict=True)
    return items[0] if conditions == ((),) else Choice(items, conditions)


def _holds(relation: Relation, numbers: Numbers) -> bool | None:
    """Whether a relation holds at these numbers; None where that is not known."""
    if not relation.left.symbols | relation.right.symbols <= numbers.keys():
        return None
    try:
        if relation.holds(numbers):
            return True
        # `holds` is False as well where two sides are too close to be told apart.
        fails = Relation(relation.left, _OPPOSITE[relation.op], relation.right).holds(numbers)
    except ExpressionError:
        return None
    return False if fails else None


def _asked(tree: Tree, index: str) -> bool:
    """Whether the number of a round decides something inside, by itself or by how often an inner
    loop runs."""
    return any(
        (isinstance(node, Choice) and any(index in each.symbols for each in numbers_in(node)))
        or (isinstance(node, Repeat) and index in node.count.symbols and _decides(node))
        for node in nodes(tree)
    )


def _decides(tree: Repeat) -> bool:
    return bool(tree.index) and _asked(tree.body, tree.index)


def _round_by_round(tree: Repeat, at: tuple[Numbers, ...], most: int) -> Tree | None:
    """The rounds with their branches decided; None where they are too many, or their number is not
    known, or a round that is decided still depends on its number."""
    count = _count(tree.count, at)
    if count is None or count > most or _varies(tree.body, tree.index):
        return None
    found: list[tuple[Tree, int]] = []
    for i in range(count):
        try:
            round_ = _in_round(tree.body, {tree.index: num(i)})
        except ExpressionError:  # a condition has no value in this round
            return None
        body = _taken(round_, at, most // count)
        place = next((n for n, (known, _) in enumerate(found) if known == body), None)
        if place is None:
            found.append((body, 1))
        else:
            found[place] = body, found[place][1] + 1
    return Sequence(tuple(Repeat(num(times), body) for body, times in found))


def _count(count: Expr, at: tuple[Numbers, ...]) -> int | None:
    """A number of rounds, if every reading of the numbers gives the same one."""
    found: set[Fraction | None] = set()
    for numbers in at:
        try:
            found.add(count.exact(numbers) if count.symbols <= numbers.keys() else None)
        except ExpressionError:
            return None
    (value, *others) = found
    if value is None or others or value.denominator != 1:
        return None
    return max(0, int(value))


def _varies(tree: Tree, index: str) -> bool:
    """Whether anything depends on the number of a round but branches and rounds of inner loops."""
    return any(
        index in each.symbols
        for node in nodes(tree)
        if not isinstance(node, Choice | Repeat)
        for each in numbers_in(node)
    )


def _in_round(tree: Tree, at: Mapping[str, Expr]) -> Tree:
    """The body of one round: its number in all branches and counts."""
    change, found = msgspec.structs.replace, with_parts(tree, lambda part: _in_round(part, at))
    if isinstance(found, Repeat):
        return change(found, count=found.count.subs(at))
    if not isinstance(found, Choice):
        return found
    known = tuple(
        tuple(Relation(r.left.subs(at), r.op, r.right.subs(at)) for r in relations)
        for relations in found.conditions
    )
    return change(found, conditions=known)
