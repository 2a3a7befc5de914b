"""Whether a private value is one of several public ones, by the conditions around.

Where it were none of them, Python would raise (`d[key]`, `items.index(value)`, `counts[key] += 1`),
and an exception is seen.  The conditions under which the present code runs, and the filters that
the row has passed, say for which rows it runs (`PrivacyDomain.where`): none of these may be a row
whose value is another one.  A whole number between two bounds needs no condition where every whole
number there is a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.values import public
from metricdp.check.values.forms import Form, best_hi, best_lo
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import disjoint, outside_of
from metricdp.check.values.terms import of
from metricdp.spaces import Scalar


def is_one_of(domain: PrivacyDomain, value: Obj, known: Sequence[Any]) -> bool:
    """Whether a value is one of some public ones in every row for which the present code runs."""
    if _all_between(domain, value, known):
        return True
    term, terms = of(value), [of(public.literal(each)) for each in known]
    if term is None or None in terms:
        return False
    return disjoint(domain.where, outside_of(term, [each for each in terms if each is not None]))


def _all_between(domain: PrivacyDomain, value: Obj, known: Sequence[Any]) -> bool:
    """Whether a value is a whole number between two bounds, and every whole number there is one of
    the known ones."""
    space = value.space if isinstance(value, Value) and value.private else None
    if not isinstance(value, Value) or not isinstance(space, Scalar) or not known:
        return False
    if not (space.element == "Int" or space.kind == "int"):
        return False
    lo, hi = domain.range(value.form or Form(())) or (space.lo, space.hi)
    ends = best_lo(space.lo, lo), best_hi(space.hi, hi)
    least, most = (None if end is None else end.as_fraction() for end in ends)
    if least is None or most is None or most - least >= len(known):
        return False
    return set(range(ceil(least), floor(most) + 1)) <= {each for each in known if type(each) is int}


def are_compared(value: Obj, known: Sequence[Any]) -> bool:
    """Whether a private value can be compared with each of these as Python compares them: a text
    with texts, or a whole number with whole numbers."""
    if not isinstance(value, Value) or not value.private or not isinstance(value.space, Scalar):
        return False
    whole = value.space.kind == "int" or (not value.space.kind and value.space.element == "Int")
    of_value = str if value.space.kind == "str" else int if whole else None
    return of_value is not None and {type(each) for each in known} == {of_value}
