"""How often each call of a composition tree may happen: what a run is counted against."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, Expr, maximum
from metricdp.measures.events import (
    Choice,
    Parallel,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    Tree,
    apart,
    no_node,
)
from metricdp.measures.readings import over_rounds

#: Addresses of calls, numbers of choices, and (address, source) of samples: one call may draw the
#: rows of several sources.
Most = dict[str | int | tuple[str, Any], Expr]


class Counts(msgspec.Struct):
    """The largest number of calls on any way through a tree.

    Attributes:
        most: address of a call, or number of a choice -> how often it happens at most; what is
            inside of a selection is in `rounds`.
        choices: number of a choice -> per item, how often its calls happen each time at most.
        rounds: address of a selection -> the counts of one of its rounds.
    """

    most: Most = {}
    choices: dict[int, tuple[Most, ...]] = {}
    rounds: dict[str, Counts] = {}


def counts(tree: Tree) -> Counts:
    """The counts of a whole tree.

    Raises:
        InternalError: no node of a composition tree.
    """
    found = Counts()
    selected: dict[str, list[Tree]] = {}
    found.most = _by_call(_most(tree, found, selected))
    found.choices = {c: tuple(map(_by_call, options)) for c, options in found.choices.items()}
    # Sides of a branch may share the address of a selection.
    found.rounds = {site: counts(Choice(tuple(bodies))) for site, bodies in selected.items()}
    return found


def _most(tree: Tree, into: Counts, selected: dict[str, list[Tree]]) -> Most:
    if isinstance(tree, Spent):
        return {tree.event.site: ONE}
    if isinstance(tree, Sequence):
        total: Most = {}
        for item in tree.items:
            _add(total, _most(item, into, selected))
        return total
    if isinstance(tree, Choice):
        options = tuple(_most(item, into, selected) for item in tree.items)
        number = len(into.choices)
        into.choices[number] = options
        found: Most = {number: ONE}
        for key in dict.fromkeys(key for option in options for key in option):
            found[key] = maximum(*(option[key] for option in options if key in option))
        return found
    if isinstance(tree, Repeat):
        return {
            key: over_rounds(tree, part) for key, part in _most(tree.body, into, selected).items()
        }
    if isinstance(tree, Parallel) and tree.each:
        return _most(apart(tree), into, selected)
    if isinstance(tree, Parallel):
        return {key: tree.count * part for key, part in _most(tree.body, into, selected).items()}
    if isinstance(tree, Sampled):
        return _add({(tree.site, tree.parent): ONE}, _most(tree.body, into, selected))
    if isinstance(tree, Selected):
        selected.setdefault(tree.site, []).append(tree.body)
        return {tree.site: ONE}
    raise no_node(tree)


def _add(total: Most, more: Most) -> Most:
    for key, part in more.items():
        total[key] = total[key] + part if key in total else part
    return total


def _by_call(most: Most) -> Most:
    found: Most = {}
    for key, part in most.items():
        call = key[0] if isinstance(key, tuple) else key
        found[call] = maximum(found[call], part) if call in found else part
    return found


def number(most: Expr, numbers: Mapping[str, Fraction]) -> int | None:
    """A count at public numbers; None where it depends on what only the run knows."""
    if not most.symbols <= numbers.keys():
        return None
    found = most.upper(numbers)
    return None if isinstance(found, float) else max(0, int(found))
