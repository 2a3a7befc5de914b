"""Sites: the address of every mechanism call, and the noise that is proved for it."""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.check.verdicts.addresses import noise_of
from metricdp.check.verdicts.guarantee import SiteNoise
from metricdp.errors import InternalError
from metricdp.measures.events import Tree
from metricdp.measures.readings import leaves


def noise_by_site(
    tree: Tree | None, counted: Mapping[str, str] | None = None
) -> dict[str, SiteNoise]:
    """The noise of every site.

    Args:
        counted: symbol of a round on which noise depends -> address of its loop.

    Raises:
        InternalError: two noises for one site.
    """
    found: dict[str, SiteNoise] = {}
    for leaf in leaves(tree) if tree is not None else []:
        noise = noise_of(leaf, counted or {})
        if found.setdefault(leaf.event.site, noise) != noise:
            raise InternalError(f"two noises are proved for the call at {leaf.event.site}")
    return found
