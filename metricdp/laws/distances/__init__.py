"""Distances between laws: DP, total variation, earth mover, Prokhorov; exact or certified."""

from __future__ import annotations

from metricdp.laws.distances.distance import Distance, RatioDistance
from metricdp.laws.distances.entropies import kl_divergence, renyi_divergence, zcdp
from metricdp.laws.distances.finite import BestEvent
from metricdp.laws.distances.profile import ExactProfile, TradeOff, privacy_profile
from metricdp.laws.distances.public import (
    d_dp,
    d_dp_one_sided,
    d_em,
    d_tv,
    d_wc,
    hockey_stick_at,
)
from metricdp.laws.distances.samples import (
    AtLeastFromSamples,
    d_dp_from_samples,
    em_from_samples,
    hockey_stick_from_samples,
    tv_from_samples,
)
from metricdp.laws.distances.topologies import (
    TOPOLOGIES,
    Comparison,
    Convergence,
    compare_topologies,
    converges,
)
from metricdp.laws.distances.transport import Neighbourhood, Transport
from metricdp.laws.space import FiniteSpace

__all__ = [
    "TOPOLOGIES",
    "AtLeastFromSamples",
    "BestEvent",
    "Comparison",
    "Convergence",
    "Distance",
    "ExactProfile",
    "FiniteSpace",
    "Neighbourhood",
    "RatioDistance",
    "TradeOff",
    "Transport",
    "compare_topologies",
    "converges",
    "d_dp",
    "d_dp_from_samples",
    "d_dp_one_sided",
    "d_em",
    "d_tv",
    "d_wc",
    "em_from_samples",
    "hockey_stick_at",
    "hockey_stick_from_samples",
    "kl_divergence",
    "privacy_profile",
    "renyi_divergence",
    "tv_from_samples",
    "zcdp",
]
