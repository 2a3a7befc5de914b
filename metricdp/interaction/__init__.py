"""Composition of measurements, fixed and interactive: budgets, odometers, filters, queryables."""

from __future__ import annotations

from metricdp.interaction.budget import Budget
from metricdp.interaction.filters import Filter
from metricdp.interaction.odometer import Odometer

__all__ = ["Budget", "Filter", "Odometer"]
