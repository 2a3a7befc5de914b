"""One part of a table by its position: the rows of which the key is the one at that position.

`partition` puts a row into the part whose key equals its own, and keys are different.  So the part
at position k is what a filter by "the key of the row is the k-th of the keys" leaves, and is
charged as that: parts at different positions share no row (`values.regions`), and one row that
comes or goes, or is replaced, moves a part as far as it moves what a filter leaves.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from metricdp.check.domain.rising import note
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import Term, is_constant
from metricdp.expr import D
from metricdp.record import REGISTRY, Arg, Body
from metricdp.spaces import Scalar

if TYPE_CHECKING:
    from metricdp.check.domain.privacy import PrivacyDomain

#: Parts -> the table, the key of a row, and the keys, where terms speak of its rows.
KeyedParts = dict[Any, tuple[Value, Term, Obj]]
#: A truth value of one row, which moves by any change of it.
_TEST = Body(Scalar("Bool"), ({("", ""): D},))


def keys_of(domain: PrivacyDomain, parts: Value) -> Obj | None:
    """The keys of some parts; None where a part is not known to be what a filter leaves."""
    known = None if parts.form is None else domain.keyed.get(parts.form)
    return None if known is None else known[2]


def part(
    domain: PrivacyDomain, parts: Value, key: Obj, module: Any, node: ast.AST
) -> Value | None:  # fmt: skip
    """The part of a key; None where no term says which key that is."""
    constant = None if domain.decided else domain.term(key)
    if constant is None or not is_constant(constant):
        return None
    assert parts.form is not None
    table, of_row, _ = domain.keyed[parts.form]
    record = REGISTRY["filter"]
    args = {"predicate": Arg(text="the key", body=_TEST), "x": domain.argument(table, "rows")}
    told = {"predicate": ("rule", "eq", ("x", of_row), ("y", constant))}
    found = domain.concluded(record, args, ())
    value = domain.conclude(record, found, args, {"x": table}, {}, told, module, node)
    note(domain.rising, record, {"x": table}, value)
    return value
