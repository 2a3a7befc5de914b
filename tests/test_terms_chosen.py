"""Terms of choices ask every condition once, and mean in every row what was written."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

from metricdp.check.values.choices import chosen
from metricdp.check.values.regions import Term
from metricdp.expr import num

FIELDS: list[Term] = [("row", (0,), i, 1) for i in range(4)]


def value(term: Term, row: tuple[int, ...]) -> Any:
    """What a term is in a row."""
    if term[0] == "row":
        return row[term[2]]
    if term[0] == "number":
        return int(term[1].as_fraction())
    if term[0] == "either":
        return value(term[2] if value(term[1], row) else term[3], row)
    if term[1] == "logical_not":
        return int(not value(term[2][1], row))
    return hash((term[1], *(value(part, row) for _, part in term[2:]))) % 3


def written(rng: random.Random, depth: int) -> Term:
    kind = rng.choice(("field", "number", "rule", "not", "either", "either")) if depth else "field"
    if kind == "field":
        return rng.choice(FIELDS)
    if kind == "number":
        return ("number", num(rng.randrange(3)))
    if kind == "not":
        return ("rule", "logical_not", ("x", written(rng, depth - 1)))
    if kind == "rule":
        return ("rule", "f", ("x", written(rng, depth - 1)), ("y", written(rng, depth - 1)))
    return ("either", *(written(rng, depth - 1) for _ in range(3)))


def size(term: Any) -> int:
    return 1 + sum(size(part) for part in term if isinstance(part, tuple))


def test_a_simpler_term_means_the_same_in_every_row() -> None:
    rng, shorter = random.Random(7), 0
    for _ in range(400):
        parts = test, a, b = tuple(written(rng, 4) for _ in range(3))
        found, whole = chosen(*parts), ("either", *parts)
        shorter += size(found) < size(whole)
        for row in product(range(3), repeat=len(FIELDS)):
            assert value(found, row) == value(a if value(test, row) else b, row), parts
    assert shorter > 100


def test_a_loop_that_stops_has_one_condition_for_each_round() -> None:
    """As `joins` reads a loop that stops: first whether it has, then whether it does now."""
    one, zero = ("number", num(1)), ("number", num(0))
    stopped, result = zero, ("none",)
    for at in range(24):
        test = ("rule", "ge", ("x", FIELDS[0]), ("y", ("number", num(at))))
        now, name = chosen(test, one, stopped), ("text", str(at))
        found = chosen(test, name, result)
        stopped, result = chosen(stopped, stopped, now), chosen(stopped, result, found)
    assert size(result) < 24 * 12 and size(chosen(stopped, result, ("text", "rest"))) < 24 * 12
