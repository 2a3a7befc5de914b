"""Law: a primitive says why it holds, from where, and on what it can be attacked."""

from __future__ import annotations

from fractions import Fraction

import pytest
from laws.helpers import RECORDS

from metricdp.record import Record


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_proof_note(record: Record) -> None:
    note = record.proof
    first = note.strip().splitlines()[0]
    assert first.startswith((f"{record.name}:", f"{record.name} ")), first
    assert "Privacy." in note if record.kind == "mechanism" else "Stability" in note
    assert "Source:" in note
    assert "ight" in note or "pproached" in note or record.kind == "mechanism"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_instances_and_tight_pair(record: Record) -> None:
    instances = list(record.instances())
    assert instances
    for instance in instances:
        assert instance.private
        if instance.tight != "unknown":
            pairs = [record.tight(instance, d, Fraction(1, 100)) for d in (1, 2, 3)]
            assert any(pair is not None for pair in pairs)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_rule_and_run_take_the_same_arguments(record: Record) -> None:
    from inspect import signature

    rule, run = signature(record.rule).parameters, signature(record.run).parameters
    if record.kind == "transformation":
        assert list(rule) == list(run)


def test_mechanisms_have_a_law() -> None:
    for record in RECORDS:
        assert record.kind != "mechanism" or record.law is not None, record.name
