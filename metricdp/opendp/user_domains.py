"""Domains of the user: a name, a test of membership, and a description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.errors import ParameterError
from metricdp.opendp.domains import Domain


class UserDomain(Domain, frozen=True, eq=False):
    """Values that pass a test of the user; two are equal by name and description."""

    identifier: str
    test: Callable[[Any], bool]
    descriptor: Any = None

    @property
    def carrier_type(self) -> str:
        return "ExtrinsicObject"

    def member(self, value: Any) -> bool:
        return bool(self.test(value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UserDomain):
            return NotImplemented
        return (self.identifier, self.descriptor) == (other.identifier, other.descriptor)

    def __hash__(self) -> int:
        return hash(self.identifier)

    def __repr__(self) -> str:
        return f"UserDomain({self.identifier})"


def user_domain(
    identifier: str, member: Callable[[Any], bool], descriptor: Any = None
) -> UserDomain:
    """Values that pass a test of the user.

    Args:
        identifier: name; domains of one name and descriptor are equal.
        member: tells whether a value belongs to the domain.
        descriptor: anything more that is to be known of it.

    Raises:
        ParameterError: an empty name, or a test that is no function.
    """
    if not isinstance(identifier, str) or not identifier:
        raise ParameterError("a domain needs a name", place="user_domain", remedy='"ages"')
    if not callable(member):
        raise ParameterError("`member` is a function of a value", place="user_domain")
    return UserDomain(identifier, member, descriptor)
