"""Sites: the address of every mechanism call, and the noise that is proved for it.

An address is the calls that lead to a mechanism, then its own place; a round of an unrolled loop is
`place#position` among them.
"""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.check.verdicts.guarantee import SiteNoise
from metricdp.expr import maximum, minimum
from metricdp.measures.events import Tree
from metricdp.measures.readings import leaves, noise_bound


def noise_by_site(
    tree: Tree | None, counted: Mapping[str, str] | None = None
) -> dict[str, SiteNoise]:
    """The noise of every site; one that is reached in several states draws the widest of them.

    Wider noise costs no more than each state is charged.  `counted` has the address of every loop
    on whose rounds noise depends.
    """
    found: dict[str, list[SiteNoise]] = {}
    for leaf in leaves(tree) if tree is not None else []:
        bound = noise_bound(leaf)
        noise = {k: e.subs({"_bound": bound}) for k, e in leaf.event.noise.items()}
        names = {n for e in (*noise.values(), bound) for n in e.symbols}
        rounds = {n: place for n, place in (counted or {}).items() if n in names}
        one = SiteNoise(leaf.event.mechanism, leaf.event.norm, noise, bound, rounds)
        found.setdefault(leaf.event.site, []).append(one)
    for site in list(found):
        plain = without_rounds(site)
        if plain != site and plain in found:
            found[plain] += found[site]
            found[site] = found[plain]
    return {site: _widest(states) for site, states in found.items()}


#: Noise is wider where these are smaller; every other number is a scale, or grows with one.
_TARGETS = frozenset({"epsilon", "delta", "rho"})


def _widest(states: list[SiteNoise]) -> SiteNoise:
    first = states[0]
    if all(s == first for s in states):
        return first
    noise = {
        key: (minimum if key in _TARGETS else maximum)(*(s.noise[key] for s in states))
        for key in first.noise
    }
    bound = maximum(*(s.bound for s in states))
    rounds = {name: place for s in states for name, place in s.rounds.items()}
    return SiteNoise(first.mechanism, first.norm, noise, bound, rounds)


def without_rounds(site: str) -> str:
    """The address of a call without the rounds of unrolled loops that lead to it."""
    return "/".join(part for part in site.split("/") if "#" not in part)
