"""Whether a private value is one of several public ones, by the conditions around.

Where it were none of them, Python would raise (`d[key]`, `items.index(value)`, `counts[key] += 1`),
and an exception is seen.  The conditions under which the present code runs, and the filters that
the row has passed, say for which rows it runs (`PrivacyDomain.where`): none of these may be a row
whose value is another one.  A whole number between two bounds needs no condition where every whole
number there is a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil, floor, prod
from typing import Any

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.language.lexicographic import items_of
from metricdp.check.values import public
from metricdp.check.values.forms import Form, best_hi, best_lo
from metricdp.check.values.objects import UNKNOWN, Obj, Value
from metricdp.check.values.regions import EVERYTHING, Region, Term, disjoint, outside_of
from metricdp.check.values.terms import of
from metricdp.expr import ONE, ZERO
from metricdp.spaces import Scalar


def is_one_of(domain: PrivacyDomain, value: Obj, known: Sequence[Any]) -> bool:
    """Whether a value is one of some public ones in every row for which the present code runs."""
    if (items := items_of(value)) is not None:
        return _are_one_of(domain, items, [each for each in known if type(each) is tuple])
    if _all_between(domain, value, known):
        return True
    term, terms = of(value), [of(public.literal(each)) for each in known]
    if term is None or None in terms:
        return False
    if _chosen_among(term) <= {*terms}:
        return True
    return disjoint(domain.where, outside_of(term, [each for each in terms if each is not None]))


def _chosen_among(term: Term) -> set[Term]:
    """What a value is that branches choose: one of these terms."""
    if term[0] == "either":
        return _chosen_among(term[2]) | _chosen_among(term[3])
    return {term}


def _are_one_of(
    domain: PrivacyDomain, items: Sequence[Obj], known: Sequence[tuple[Any, ...]]
) -> bool:
    """Whether values are the items of one of some public tuples, in each of the cases in which the
    present code runs: all that they may be together are among the tuples."""
    keys = {key for key in known if len(key) == len(items)}
    columns = [*zip(*keys, strict=True)]
    cases = EVERYTHING if domain.where is None else domain.where
    if not keys:
        return False
    for case in cases:
        pairs = zip(items, columns, strict=True)
        each = [_among(domain, item, column, frozenset({case})) for item, column in pairs]
        found = [values for values in each if values is not None]
        if len(found) < len(each) or prod(map(len, found)) > len(keys):
            return False
        if not set(product(*found)) <= keys:
            return False
    return True


def _among(
    domain: PrivacyDomain, item: Obj, column: Sequence[Any], case: Region
) -> set[Any] | None:
    """Some of these values, one of which a value is wherever a case holds; None if it may be none
    of them."""
    values = set(column)
    if isinstance(item, Value) and not item.private:
        return {item.literal} if item.literal in values else None
    term, terms = of(item), {each: of(public.literal(each)) for each in values}
    if term is not None and None not in terms.values():
        if (chosen := _chosen_among(term)) <= {*terms.values()}:
            return {each for each, constant in terms.items() if constant in chosen}
        for each, constant in terms.items():
            if constant is not None and disjoint(case, outside_of(term, [constant])):
                return {each}
        if disjoint(case, outside_of(term, [each for each in terms.values() if each is not None])):
            return values
    return values if _all_between(domain, item, column) else None


def _all_between(domain: PrivacyDomain, value: Obj, known: Sequence[Any]) -> bool:
    """Whether a value is a whole number between two bounds, and every whole number there is one of
    the known ones."""
    space = value.space if isinstance(value, Value) and value.private else None
    if not isinstance(value, Value) or not isinstance(space, Scalar) or not known:
        return False
    whole, truth = space.element == "Int" or space.kind == "int", _is_truth(space)
    if not (whole or truth):
        return False
    lo, hi = domain.range(value.form or Form(())) or (space.lo, space.hi)
    ends = (ZERO, ONE) if truth else (best_lo(space.lo, lo), best_hi(space.hi, hi))
    least, most = (None if end is None else end.as_fraction() for end in ends)
    if least is None or most is None or most - least >= len(known):
        return False
    numbers = {each for each in known if type(each) in (int, bool)}
    return set(range(ceil(least), floor(most) + 1)) <= numbers


def are_compared(value: Obj, known: Sequence[Any]) -> bool:
    """Whether a private value can be compared with each of these as Python compares them: a text
    with texts, a whole number with whole numbers, a truth value with truth values, or tuples of
    these with tuples of as many."""
    if (items := items_of(value)) is not None:
        if not items or any(type(key) is not tuple or len(key) != len(items) for key in known):
            return False
        columns = list(zip(*known, strict=True))
        return any(isinstance(item, Value) and item.private for item in items) and all(
            are_compared(item, column) or _is_of_kind(item, column)
            for item, column in zip(items, columns, strict=True)
        )
    if not isinstance(value, Value) or not value.private or not isinstance(value.space, Scalar):
        return False
    whole = value.space.kind == "int" or (
        value.space.element == "Int" and (not value.space.kind or value.space.in_float)
    )
    number: type | None = int if whole else bool if _is_truth(value.space) else None
    of_value = str if value.space.kind == "str" else number
    return of_value is not None and {type(each) for each in known} == {of_value}


def _is_of_kind(value: Obj, known: Sequence[Any]) -> bool:
    """Whether a written text or whole number is of the one type of these."""
    held = getattr(value, "literal", UNKNOWN)
    written = isinstance(value, Value) and not value.private and type(held) in (int, str)
    return written and {type(each) for each in known} == {type(held)}


def _is_truth(space: Scalar) -> bool:
    return space.element == "Bool" or space.kind == "bool"
