"""Law: reference functions are deterministic and total, leave their arguments alone, stay in the
space of the conclusion, and equal the array form where there is one."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from laws.helpers import cases, concluded

from metricdp.audit.values import plain
from metricdp.record import Instance, Record


def samples(instance: Instance) -> list[dict[str, Any]]:
    """Extremes and samples of the private arguments."""
    rng = Random(3)
    found = [{n: s.sample(rng) for n, s in instance.private.items()} for _ in range(6)]
    extremes = {n: s.extremes() for n, s in instance.private.items()}
    longest = max((len(e) for e in extremes.values()), default=0)
    for i in range(longest):
        found.append({n: e[i % len(e)] for n, e in extremes.items()})
    return found


@pytest.mark.parametrize(("record", "instance"), cases("transformation"))
def test_run_is_a_function(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    for values in samples(instance):
        before = deepcopy(values)
        first = plain(record.run(**values, **instance.public))
        assert values == before, "changed its argument"
        assert plain(record.run(**deepcopy(values), **instance.public)) == first
        if conclusion.space is not None:
            assert conclusion.space.contains(first), (values, first, conclusion.space.describe())


@pytest.mark.parametrize(
    ("record", "instance"), [c for c in cases() if c.values[0].array is not None] or [(None, None)]
)
def test_array_form_equals_run(record: Record | None, instance: Instance | None) -> None:
    if record is None or instance is None:
        pytest.skip("no record has an array form yet")
    for values in samples(instance):
        expected = plain(record.run(**values, **instance.public))
        assert plain(record.array(**values, **instance.public)) == expected  # type: ignore[misc]
