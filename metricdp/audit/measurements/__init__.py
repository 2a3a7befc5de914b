"""Audits of privacy claims: exact laws, samples, supports; see `metricdp.audit`."""

from __future__ import annotations

from metricdp.audit.measurements.audited import assert_private, audited
from metricdp.audit.measurements.concrete import measurement
from metricdp.audit.measurements.exact import finite
from metricdp.audit.measurements.neighbours import Pair
from metricdp.audit.measurements.sampled import sampled
from metricdp.audit.measurements.verdicts import (
    PrivacyClaim,
    PrivacyRefuted,
    PrivacySurvived,
    Verdict,
)

__all__ = [
    "Pair",
    "PrivacyClaim",
    "PrivacyRefuted",
    "PrivacySurvived",
    "Verdict",
    "assert_private",
    "audited",
    "finite",
    "measurement",
    "sampled",
]
