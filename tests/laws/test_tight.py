"""Law: the pair of a record attains its bound, or comes within 1% of it, as the instance
declares."""

from __future__ import annotations

from fractions import Fraction

from laws.helpers import at_every_instance, at_most, cases, claimed, concluded, in_norm, own_norm

from metricdp.audit.records import runner
from metricdp.audit.values import plain
from metricdp.expr import num
from metricdp.record import Instance, Record

TOLERANCE = Fraction(1, 100)


@at_every_instance("transformation", "control", tight=("attained", "approached"))
def test_the_pair_meets_the_bound(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    if conclusion.space is None:
        return
    q = own_norm(conclusion.space)
    run, result = runner(record, instance), in_norm(conclusion.space, q)
    met = 0
    for d in (1, 2, 3):
        pair = record.tight(instance, d, TOLERANCE)
        if pair is None:
            continue
        x, y = pair
        for name, space in instance.private.items():
            assert space.contains(x[name]) and space.contains(y[name]), (d, name)
        distances = {n: s.distance(x[n], y[n]) for n, s in instance.private.items()}
        assert all(at_most(moved, num(d)) for moved in distances.values()), d
        bound = claimed(conclusion, instance.private, pair, q)
        assert not bound.is_infinite
        moved = result.distance(plain(run(x)), plain(run(y)))
        if instance.tight == "attained":
            assert at_most(bound, moved) and at_most(moved, bound), (d, str(moved), str(bound))
        else:
            assert at_most(bound * (1 - TOLERANCE), moved), (d, str(moved), str(bound))
        met += 1
    assert met, "no pair at all: declare the instance unknown"


def test_the_declarations_are_known_words() -> None:
    for case in cases():
        assert case.values[1].tight in ("attained", "approached", "unknown"), case.id
