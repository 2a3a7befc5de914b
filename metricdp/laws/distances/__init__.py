"""Distances between laws: DP, total variation, earth mover, Prokhorov; exact or certified."""

from __future__ import annotations

from metricdp.laws.distances.coupling import Neighbourhood, Transport
from metricdp.laws.distances.distance import Distance, RatioDistance
from metricdp.laws.distances.finite import Event
from metricdp.laws.distances.profile import PrivacyProfile, privacy_profile
from metricdp.laws.distances.public import (
    d_dp,
    d_dp_one_sided,
    d_em,
    d_tv,
    d_wc,
    hockey_stick_at,
)
from metricdp.laws.distances.tradeoff import TradeOff
from metricdp.laws.space import FiniteSpace

__all__ = [
    "Distance",
    "Event",
    "FiniteSpace",
    "Neighbourhood",
    "PrivacyProfile",
    "RatioDistance",
    "TradeOff",
    "Transport",
    "d_dp",
    "d_dp_one_sided",
    "d_em",
    "d_tv",
    "d_wc",
    "hockey_stick_at",
    "privacy_profile",
]
