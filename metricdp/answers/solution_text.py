"""A solution for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from metricdp.answers.rounding import text
from metricdp.answers.solve import Solution
from metricdp.diagnostics.result import SCHEMA, round_up
from metricdp.expr import decimal_up

_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}


def solution_lines(found: Solution) -> list[str]:
    """The value first, then what it costs and what it rests on."""
    bound = "largest" if found.direction == "most" else "least"
    budget = _measures({k: text(v) for k, v in found.budget.items()})
    kind = f"the {bound} that meets {budget}" if found.best else f"meets {budget}"
    lines = [f"{found.parameter} = {found.text}   {kind}"]
    lines.append(f"   {found.function}   {found.file}:{found.line}")
    for name, cost in found.cost.items():
        parts = {k: decimal_up(v) for k, v in cost.items()}
        lines.append(f"   {name}: {_measures(parts)}   {found.units[name]}, by {found.rule}")
    if found.requires:
        lines.append(f"   requires   {'; '.join(found.requires)}")
    if not found.best:
        lines.append("   found by bisection; that no value beyond meets the budget is not proved")
    return lines


def solution_json(found: Solution) -> dict[str, Any]:
    """The solution in schema 1; numbers of the cost are rounded up."""
    return {
        "schema": SCHEMA,
        "file": found.file,
        "function": found.function,
        "line": found.line,
        "parameter": found.parameter,
        "value": found.text,
        "direction": found.direction,
        "best": found.best,
        "closed_form": found.closed,
        "rule": found.rule,
        "budget": {k: text(v) for k, v in found.budget.items()},
        "inputs": [
            {"name": name, "unit": found.units[name], "cost": _numbers(cost)}
            for name, cost in found.cost.items()
        ],
        "requires": list(found.requires),
    }


def _numbers(cost: Mapping[str, Fraction]) -> dict[str, float | int | str]:
    return {name: round_up(value) for name, value in cost.items()}


def _measures(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{_SIGNS.get(name, name)} = {value}" for name, value in parts.items())
