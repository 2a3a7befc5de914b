"""How a mechanism is drawn, by the name of its record: one table, read by all, without a default.

A mechanism is drawn in one of four ways: noise of a family is added to numbers, a category is
answered at random, a position among scores is chosen, or its record draws by itself
(`run.extended`).  A name that is in none of the tables has no sampler: nothing is drawn for it,
because noise of another family would have another cost than the one that was proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from metricdp.errors import InternalError
from metricdp.run.extended import EXTENDED

Family = Literal["laplace", "gaussian"]
Way = Literal["added", "answered", "chosen", "by its record"]


class Noise(msgspec.Struct, frozen=True):
    """Noise that is added to numbers.

    Attributes:
        family: its family.
        whole: on the integers, around the nearest integer; else continuous, and the sum is rounded
            to a public grid afterwards (`noise.rounded`).
    """

    family: Family
    whole: bool = False


#: Samplers that add noise.
ADDED: Mapping[str, Noise] = {
    "laplace": Noise("laplace"),
    "gaussian": Noise("gaussian"),
    "discrete_laplace": Noise("laplace", whole=True),
    "discrete_gaussian": Noise("gaussian", whole=True),
}
#: Samplers that answer one of several categories.
ANSWERED = ("randomized_response",)
#: Samplers that release a position among several scores; see `run.selections`.
SELECTIONS = ("exponential_mechanism", "permute_and_flip", "report_noisy_max", "above_threshold")
#: Samplers of one scale -> the parameter of their events that states it.
PARAMETER: Mapping[str, str] = {
    "laplace": "scale",
    "discrete_laplace": "scale",
    "gaussian": "sigma",
    "discrete_gaussian": "sigma",
    "exponential_mechanism": "scale",
    "permute_and_flip": "scale",
    "report_noisy_max": "scale",
    "above_threshold": "threshold_scale",
}
#: Records whose sampler has another name.
SPELLED: Mapping[str, str] = {"laplacian_mechanism": "laplace", "gaussian_mechanism": "gaussian"}
#: Records that add noise to numbers.
ADDITIVE = (*ADDED, *SPELLED)


def sampler_of(record: str) -> str:
    """The sampler of a record.

    Raises:
        InternalError: a mechanism without a sampler.
    """
    sampler = SPELLED.get(record, record)
    way_of(sampler)
    return sampler


def way_of(sampler: str, place: str = "") -> Way:
    """How a sampler draws.

    Raises:
        InternalError: a name that no table has.
    """
    if sampler in ADDED:
        return "added"
    if sampler in ANSWERED:
        return "answered"
    if sampler in SELECTIONS:
        return "chosen"
    if sampler in EXTENDED:
        return "by its record"
    raise InternalError(
        f"no sampler for {sampler}",
        place=place,
        remedy="say how it is drawn, in `metricdp.run.samplers` or in `metricdp.run.extended`",
    )


def no_choice(sampler: str, place: str = "") -> InternalError:
    """The error of a choice that is in the table and that a reader does not know."""
    return InternalError(f"how {sampler} chooses is not known here", place=place)


def is_laplace(sampler: str, place: str = "") -> bool:
    """Whether the noise that a sampler adds is Laplace noise; Gaussian noise if not.

    Raises:
        InternalError: a sampler that adds no noise, or noise of a third family.
    """
    family = ADDED[sampler].family if sampler in ADDED else None
    if family == "laplace":
        return True
    if family == "gaussian":
        return False
    raise InternalError(f"{sampler} adds neither Laplace nor Gaussian noise", place=place)
