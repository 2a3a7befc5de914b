"""Enclosures of exp and ln that are asked for again and again, kept.

For laws and accountants, whose questions are about public numbers.  Samplers ask `enclose` itself:
what they ask depends on what they drew, and is not to be kept.
"""

from __future__ import annotations

from functools import lru_cache

from metricdp.noise import enclose

_LATEST = 4096

exp_bounds = lru_cache(_LATEST)(enclose.exp_bounds)
exp_decimal = lru_cache(_LATEST)(enclose.exp_decimal)
ln_above = lru_cache(_LATEST)(enclose.ln_above)
ln_below = lru_cache(_LATEST)(enclose.ln_below)
ln_bounds = lru_cache(_LATEST)(enclose.ln_bounds)
