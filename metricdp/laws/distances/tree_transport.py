"""Cheapest transport along a tree or around a cycle.

On a tree every plan sends at least |P - Q| of the mass below an edge over that edge, and matching
as low as possible sends no more (Evans and Matsen 2012): the cost is the sum of length times
|P - Q| below.  Around a cycle the flow over the arcs is the running sum of P - Q less a constant;
the cheapest constant is a median weighted by the arcs (Werman, Peleg, Melter and Kong 1986), and an
arc that then carries nothing can be cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from metricdp.laws.distances.largest_flow import Flow
from metricdp.laws.space import Cycle, Tree

Plan = tuple[Flow, list[Fraction]]


def along_tree(excess: Sequence[int], tree: Tree) -> Plan:
    """A cheapest flow from surplus to deficit, and a potential that proves it."""
    flow: Flow = {}
    waiting: list[list[tuple[int, int]]] = [[(i, x)] if x else [] for i, x in enumerate(excess)]
    slopes = []
    for child, parent, length in tree.edges:
        below = sum(x for _, x in waiting[child])
        slopes.append((child, parent, length * _sign(below)))
        for item in waiting[child]:
            _meet(item, waiting[parent], flow)
    potential = [Fraction(0)] * len(excess)
    for child, parent, slope in reversed(slopes):
        potential[child] = potential[parent] + slope
    return flow, potential


def _meet(item: tuple[int, int], others: list[tuple[int, int]], flow: Flow) -> None:
    """Match a surplus with the deficits that wait at a node, or the other way round."""
    point, mass = item
    while mass and others and mass * others[-1][1] < 0:
        other, there = others.pop()
        matched = min(abs(mass), abs(there))
        pair = (point, other) if mass > 0 else (other, point)
        flow[pair] = flow.get(pair, 0) + matched
        mass -= matched * _sign(mass)
        if abs(there) > matched:
            others.append((other, there - matched * _sign(there)))
    if mass:
        others.append((point, mass))


def around_cycle(excess: Sequence[int], cycle: Cycle) -> Plan:
    """A cheapest flow from surplus to deficit, and a potential that proves it."""
    sums, size = list(accumulate(excess)), len(excess)
    middle = _weighted_median(sums, cycle.arcs)
    cut = sums.index(middle)
    order = [(cut + 1 + k) % size for k in range(size)]
    steps = [(order[k], order[k - 1], cycle.arcs[order[k - 1]]) for k in range(size - 1, 0, -1)]
    flow, _ = along_tree(excess, Tree(tuple(steps)))
    # The potential falls along arcs that carry mass onwards; the idle arcs make up for the rest.
    falls = [w * _sign(s - middle) for w, s in zip(cycle.arcs, sums, strict=True)]
    idle = sum((w for w, s in zip(cycle.arcs, sums, strict=True) if s == middle), Fraction(0))
    share = sum(falls, Fraction(0)) / idle
    falls = [f if f else -share * w for w, f in zip(cycle.arcs, falls, strict=True)]
    return flow, list(accumulate(falls[:-1], lambda f, fall: f - fall, initial=Fraction(0)))


def _weighted_median(values: Sequence[int], weights: Sequence[Fraction]) -> int:
    """A value with at most half of the weight on either side."""
    half, passed = sum(weights, Fraction(0)) / 2, Fraction(0)
    for value, weight in sorted(zip(values, weights, strict=True)):
        passed += weight
        if passed >= half:
            return value
    raise AssertionError


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)
