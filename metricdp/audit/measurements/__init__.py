"""Audits of privacy claims: exact laws, samples, supports; see `metricdp.audit`."""

from __future__ import annotations

from metricdp.audit.measurements.claims import PrivacyClaim
from metricdp.audit.measurements.sampled import sampled
from metricdp.audit.measurements.verdicts import PrivacyRefuted, PrivacySurvived, Verdict

__all__ = ["PrivacyClaim", "PrivacyRefuted", "PrivacySurvived", "Verdict", "sampled"]
