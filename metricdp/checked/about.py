"""What is filed with every release of one checked function: the part that no run changes."""

from __future__ import annotations

from metricdp.check.verdicts.guarantee import Guarantee
from metricdp.run.about import About, not_covered, unprotected, versions

#: Guarantee (by fingerprint, file and name) -> its part; a run is too short to print a derivation.
_known: dict[tuple[str, str, str], About] = {}


def about(guarantee: Guarantee) -> About:
    """Unit, unprotected quantities, derivation, assumptions and versions."""
    key = (guarantee.fingerprint, guarantee.file, guarantee.name)
    found = _known.get(key)
    if found is None:
        spaces = {i.name: i.space for i in guarantee.private() if i.space is not None}
        found = _known[key] = About(
            not_covered=not_covered(spaces),
            unprotected=unprotected(spaces),
            derivation=tuple(
                f"line {step.line}: {step.detail.get('name') or '_'} = {step.rule}: "
                f"{step.conclusion}"
                for step in guarantee.derivation
            ),
            assumptions=guarantee.assumptions,
            versions=versions(),
        )
    return found
