"""Law: reference functions are deterministic and total, leave their arguments alone, stay in the
space of the conclusion, and equal the form for tables where rows become rows."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from laws.helpers import at_every_instance, cases, concluded

from metricdp.audit.values import plain
from metricdp.columns.table import Table
from metricdp.record import Instance, Record
from metricdp.run.applied import applied
from metricdp.run.guards import admit
from metricdp.run.pins import pinned
from metricdp.spaces import Owned, Records
from metricdp.values import wrap


def samples(instance: Instance) -> list[dict[str, Any]]:
    """Extremes and samples of the private arguments."""
    rng = Random(3)
    found = [{n: s.sample(rng) for n, s in instance.private.items()} for _ in range(6)]
    extremes = {n: s.extremes() for n, s in instance.private.items()}
    longest = max((len(e) for e in extremes.values()), default=0)
    for i in range(longest):
        found.append({n: e[i % len(e)] for n, e in extremes.items()})
    return found


@at_every_instance("transformation")
def test_run_is_a_function(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    for values in samples(instance):
        before = deepcopy(values)
        first = plain(record.run(**values, **instance.public))
        assert values == before, "changed its argument"
        assert plain(record.run(**deepcopy(values), **instance.public)) == first
        if conclusion.space is not None:
            assert conclusion.space.contains(first), (values, first, conclusion.space.describe())


def of_tables() -> list[Any]:
    """Cases that make tables of tables, of records with a form for them."""
    found = []
    for case in cases("transformation"):
        record, instance = case.values
        formed = record.columnar is not None or record.tabular is not None
        spaces = [*instance.private.values(), concluded(record, instance).space]
        # What functions of rows do is written with records: programs test them.
        formed = formed and not any(map(callable, instance.public.values()))
        if formed and all(isinstance(space, Records | Owned) for space in spaces):
            found.append(case)
    return found


@pytest.mark.parametrize(("record", "instance"), of_tables())
def test_columns_of_a_table_are_its_rows(record: Record, instance: Instance) -> None:
    for values in samples(instance):
        held = {n: admit(n, instance.private[n], x) for n, x in values.items()}
        expected = wrap(record.run(**{n: list(x) for n, x in held.items()}, **instance.public))
        slow: list[str] = []
        found = applied(record.name, pinned(record), (), {**held, **instance.public}, slow.append)
        assert plain(list(found)) == plain(expected)
        assert isinstance(found, Table) and not slow
