"""The value of one parameter that meets a budget: for people, as JSON, and on the safe side."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.diagnostics.result import SCHEMA, round_up
from metricdp.expr import decimal_down, decimal_up

#: Digits of a value that is printed.
DIGITS = 10
_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}
#: Input -> measure -> number, rounded up.
Costs = Mapping[str, Mapping[str, Fraction]]


class Solution(msgspec.Struct, frozen=True):
    """The value of one parameter that meets a budget.

    Attributes:
        value: a decimal fraction; `text` is how it is typed.
        direction: "most": larger values spend more than the budget; "least": smaller ones do.
        best: the cost is proved monotone, so nothing but the rounding to 10 digits is given away.
        closed: the cost is c * p**k in the parameter, solved exactly before rounding.
        rule: the rule of composition under which the budget is met.
        cost: what every private input pays at `value`.
    """

    function: str
    file: str
    line: int
    parameter: str
    value: Fraction
    text: str
    direction: str
    best: bool
    closed: bool
    rule: str
    budget: Mapping[str, Fraction]
    cost: Costs
    units: Mapping[str, str]
    requires: tuple[str, ...]


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


def safe(value: Fraction, direction: str, whole: bool, digits: int = DIGITS) -> Fraction:
    """`value` as a decimal of at most `digits` digits.

    Rounded down for "most", up for "least"; to an integer when `whole`.
    """
    if whole:
        return Fraction(value.__floor__() if direction == "most" else value.__ceil__())
    return Fraction((decimal_down if direction == "most" else decimal_up)(value, digits))


def text(value: Fraction) -> str:
    """A decimal fraction as it is typed."""
    return decimal_up(value, 40) if value else "0"
