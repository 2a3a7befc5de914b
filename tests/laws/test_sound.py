"""Law: no pair of inputs moves the result further than the rule says.

Neighbours at distances 1, 2 and 3, extremes, empties and hill climbing, in every pair of norms;
distances, movements and bounds are compared exactly.
"""

from __future__ import annotations

from random import Random

from laws.helpers import PAIRS, at_every_instance, concluded

from metricdp.audit.records import attack_record
from metricdp.record import Instance, Record


@at_every_instance("transformation", "control")
def test_survives_the_attack(record: Record, instance: Instance) -> None:
    if concluded(record, instance).space is None:
        _public_result(record, instance)
        return
    result = attack_record(record, instance, seed=1, pairs=PAIRS, seconds=PAIRS / 50, least=PAIRS)
    assert not result.refuted, str(result)


def _public_result(record: Record, instance: Instance) -> None:
    """A public result is the same on neighbours."""
    rng = Random(1)
    for d in (1, 2, 3):
        x = {name: space.sample(rng) for name, space in instance.private.items()}
        y = {name: s.neighbours(x[name], d, rng) for name, s in instance.private.items()}
        assert record.run(**x, **instance.public) == record.run(**y, **instance.public)
