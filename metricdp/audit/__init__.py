"""Attacks: does a map keep its claim on concrete neighbours, does a mechanism on its outputs?

Stability: `attack`.  Privacy: `audited` (all auditors that apply), or one of them: `replay` (two
runs along the same released values), `finite` and `measurement` (exact laws), `sampled`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.audit.boxes import BoxReport, audit_box
from metricdp.audit.measurements import (
    Pair,
    PrivacyClaim,
    PrivacyRefuted,
    PrivacySurvived,
    assert_private,
    audited,
    finite,
    measurement,
    sampled,
)
from metricdp.audit.replaying import Sampler, replay, traced
from metricdp.audit.results import AuditReport, Refuted, Survived
from metricdp.audit.search import search
from metricdp.audit.subject import of_transformation
from metricdp.audit.target import audit_target

if TYPE_CHECKING:
    from metricdp.maps import Transformation

__all__ = [
    "AuditReport",
    "BoxReport",
    "Pair",
    "PrivacyClaim",
    "PrivacyRefuted",
    "PrivacySurvived",
    "Refuted",
    "Sampler",
    "Survived",
    "assert_private",
    "attack",
    "attack_mechanism",
    "attack_record",
    "audit_box",
    "audit_target",
    "audited",
    "finite",
    "measurement",
    "mutants",
    "replay",
    "sampled",
    "traced",
]


def attack(
    transformation: Transformation,
    seed: int = 0,
    pairs: int = 2000,
    seconds: float = 10.0,
    tries: tuple[tuple[Any, Any], ...] = (),
    guarded: bool = False,
) -> Refuted | Survived:
    """Attack a transformation with neighbouring inputs.

    Args:
        seed: the same seed tries the same pairs.
        pairs, seconds: most pairs and time.
        tries: pairs to try first.
        guarded: whatever calls a transformation made by hand guards its inputs; otherwise NaN,
            infinities and unusual texts are tried, too.

    >>> from metricdp.maps import Transformation
    >>> from metricdp.spaces import Scalar
    >>> wrong = Transformation(Scalar("Real"), Scalar("Real"), lambda x: 3 * x, "2*d_in", "triple")
    >>> attack(wrong).refuted
    True
    """
    return search(of_transformation(transformation, "", tries, guarded), seed, pairs, seconds)


def attack_record(
    record: Any, instance: Any, seed: int = 0, pairs: int = 500, mutate: Any = None
) -> Refuted | Survived:
    """Attack the maps of a primitive at one instance; see `audit.records`."""
    from metricdp.audit.records import attack_record as run

    return run(record, instance, seed, pairs, mutate)


def attack_mechanism(
    record: Any, instance: Any, mutate: Any = None, tolerance: Fraction = Fraction(0)
) -> Refuted | Survived:
    """Compare the privacy map of a mechanism with its exact law; see `audit.mechanisms`."""
    from metricdp.audit.mechanisms import attack_mechanism as run

    return run(record, instance, mutate, tolerance)


def mutants(moves: Any) -> dict[str, Any]:
    """Wrong versions of the maps of one argument, by name: each should be refuted by an attack.

    Args:
        moves: {(input norm, output norm): bound in `d_in`}, as a record's conclusion has it.
    """
    from metricdp.audit.wrong_maps import mutants as run

    return run(moves)
