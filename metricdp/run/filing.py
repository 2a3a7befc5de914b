"""A release as a record to file: fields in a fixed order, as JSON and as Markdown.

The fields are those that NIST SP 800-226 and registries of deployments ask for.  Conversions read
the printed cost, which is rounded up, so they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

from metricdp.errors import MetricdpError
from metricdp.expr import decimal_up
from metricdp.run import derived

if TYPE_CHECKING:
    from metricdp.run.draws import Drawn
    from metricdp.run.release import Release

#: Delta at which a rho, or a pure epsilon that is composed, is also stated.
STATED_DELTA = Fraction(1, 10**6)
#: Bits of the integers that every reader of JSON reads.
_JSON_BITS = 2048
#: Outputs that are computed from draws and are named one by one.
_NAMED = 100
_MEASURES = {
    ("epsilon",): "pure differential privacy",
    ("delta", "epsilon"): "approximate differential privacy",
    ("rho",): "zero-concentrated differential privacy",
    ("delta", "rho"): "approximate zero-concentrated differential privacy",
}


def filed(release: Release) -> dict[str, Any]:
    """Every field of the record, in texts, numbers, lists and dictionaries."""
    about = release.about
    facts: dict[str, Any] = {
        "release": _portable(release.as_dict()["value"]),
        "function": release.function,
        "time": about.time if about else "",
        "guarantee": {
            "measure": measure(release.privacy),
            "parameters": dict(release.privacy),
            "conversions": conversions(release.privacy),
        },
        "unit of privacy": release.unit,
        "not covered by the unit": list(about.not_covered) if about else [],
        "unprotected quantities": list(about.unprotected) if about else [],
        "mechanisms": [mechanism(draw) for draw in release.draws],
        "derivation": list(about.derivation) if about else [],
        "public parameters": [
            {"name": name, "value": value, "origin": origin}
            for name, (value, origin) in release.parameters.items()
        ],
        "conditions that were enforced": list(release.requires),
        "composition": dict(about.composition) if about else {},
        "post-processing": post_processing(release),
        "error": errors(release),
        "assumptions": list(about.assumptions) if about else [],
        "rests on": list(release.rests_on),
        "answers": list(release.answers),
        "versions": dict(about.versions) if about else {},
        "fingerprint": release.fingerprint,
    }
    if release.test_only:
        facts["warning"] = "test only: seeded noise protects nobody"
    return facts


def _portable(value: Any) -> Any:
    """A value with what JSON lacks as text: infinities, NaN and integers of thousands of digits."""
    if isinstance(value, list):
        return [_portable(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _portable(item) for name, item in value.items()}
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > _JSON_BITS:
        return hex(value)
    return value


def measure(privacy: Mapping[str, str]) -> str:
    """The native measure of a cost, in words."""
    stated = tuple(sorted(k for k, v in privacy.items() if not (k == "delta" and v == "0")))
    return _MEASURES.get(stated, ", ".join(stated))


def conversions(privacy: Mapping[str, str]) -> list[str]:
    """What the stated cost implies in the other measures."""
    from metricdp.accounting.orders import epsilon_at
    from metricdp.accounting.renyi import LinearCurve, response_rho

    try:
        if "rho" in privacy:
            found = epsilon_at(LinearCurve(Fraction(privacy["rho"])), STATED_DELTA).value
            # A failure of its own probability comes on top.
            delta = STATED_DELTA + Fraction(privacy.get("delta", "0"))
            return [f"epsilon = {decimal_up(found)} at delta = {decimal_up(delta)}"]
        epsilon = Fraction(privacy.get("epsilon", "oo"))
        if Fraction(privacy.get("delta", "0")):
            return []
        return [f"rho = {decimal_up(response_rho(epsilon))}", "delta = 0 at this epsilon"]
    except (ValueError, MetricdpError):
        return []


def mechanism(draw: Drawn) -> dict[str, Any]:
    """One draw: law, scale, sensitivity and grid."""
    return {
        "mechanism": draw.mechanism,
        "noise": noise_law(draw),
        "sensitivity": decimal_up(draw.bound) if draw.bound else "see the derivation",
        "sensitivity norm": _norm(draw),
        "output grid": f"multiples of 2**{draw.exponent}",
        "site": draw.site,
    }


def _norm(draw: Drawn) -> str:
    if draw.family.relative:
        return "half of how far scores move apart"
    return draw.norm or "absolute value"


def noise_law(draw: Drawn) -> str:
    """The law of the noise in words."""
    return draw.family.words(draw.noise_scale, draw.extra)


def post_processing(release: Release) -> str:
    """Which outputs are draws themselves, and which are computed from them."""
    if release.outputs is None:
        return "none recorded"
    parts = [*release.parts()]
    computed = [name for name, at, _ in parts if at is None]
    if not computed:
        return "none: every output is a draw itself"
    if len(parts) == 1:
        return "the output is computed from the draws; that costs nothing"
    more = f" and {len(computed) - _NAMED} more" if len(computed) > _NAMED else ""
    numbers = ", ".join(computed[:_NAMED])
    return f"outputs {numbers}{more} are computed from the draws; that costs nothing"


def errors(release: Release) -> list[str]:
    """The 95% interval of each output that is a draw, or arithmetic with draws."""
    parts = [*release.parts()]
    if release.outputs is None:
        parts = [(str(i + 1), draw, None) for i, draw in enumerate(release.draws)]
    own, computed = [], []
    for name, draw, text in parts:
        width = None if draw is None else draw.half_width()
        if draw is not None and width is not None:
            own.append(
                f"output {name}: {noise_law(draw)}; within {width:.6g} with probability 0.95"
            )
        elif draw is None and text is not None:
            between = derived.interval(text, release.draws, 0.95)
            said = derived.NO_INTERVAL
            if between is not None:
                said = f"between {between[0]:.6g} and {between[1]:.6g} with probability 0.95"
            computed.append(f"output {name}: {text} of the draws d0, d1, ...; {said}")
    return own + computed


def markdown(release: Release) -> str:
    """The record as a Markdown document."""
    facts = filed(release)
    lines = [f"# Release of {facts.pop('function') or 'a measurement'}", ""]
    for name, value in facts.items():
        if value in ("", [], {}, None):
            continue
        lines += [f"## {name[0].upper()}{name[1:]}", "", *_block(value), ""]
    return "\n".join(lines).rstrip() + "\n"


def _block(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"- {name}: {_inline(item)}" for name, item in value.items()]
    if isinstance(value, list):
        return [f"- {_inline(item)}" for item in value]
    return [str(value)]


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_inline(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_inline, value)) or "none"
    return str(value).replace("\n", " ")
