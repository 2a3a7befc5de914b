"""partition: one part of a table per public key; rows with none of the keys are left out.

Stability.  Keys are different, and a row belongs to the one that its own key equals, so one row
added or removed adds or removes one row of one part: the distances of the parts add up to at most
d.  A replaced row may leave one part and enter another: 2d, under change-one and Hamming distance,
and the sizes of the parts are then private.
Parallel composition.  A loop over the parts whose rounds add noise to their own part only costs the
largest total over parts whose distances add up to that: one round, not one per key; twice one
round under change-one.  Keys are public: keys found in the data would show who is there.  A private
variable in the key function may move every row, infinite.
Tight: one more row with a key; one row that changes its key.
Source: McSherry (2009), Theorem 4 and section 3.4; Kifer and Machanavajjhala (2011), section 2, for
the factor 2 under replacement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, ONE, D, Expr, num
from metricdp.record import Arg, Body, Conclusion, Failure, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import Records, Scalar, Space, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE
from metricdp.spaces.products import Parts

example = (
    "towns: dp.Records[str] = ['Rome', 'Oslo', 'Rome']; "
    "[dp.count(part) for part in dp.partition(towns, lambda t: t, ('Oslo', 'Rome'))]"
)


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the key function receives: one row."""
    return (_table(args["records"]).row,)


formals = {"key": _formals}


def _table(records: Arg) -> Records:
    if not records.private or not isinstance(records.space, Records):
        raise refuse(
            "unsupported-call",
            f"`partition` divides the rows of a table, and {records.text} is none",
            need="a Records argument",
            help="dp.partition(records, key=lambda row: row.field, keys=keys)",
        )
    return records.space


def rule(records: Arg, key: Arg, keys: Arg) -> Conclusion:
    """A table, a deterministic function of one row, and the public keys."""
    space = _table(records)
    if key.body is None or not key.body.deterministic:
        raise refuse(
            "unsupported-call",
            f"`partition` needs the key of a row as a function, and {key.text} is none",
            need="a function of one row without noise",
            help=f"dp.partition({records.text}, key=lambda row: row, keys=keys)",
        )
    if isinstance(keys.literal, tuple | list) and (twice := _stands_twice(keys.literal)):
        raise refuse(
            "wrong-arguments",
            f"the key {twice[0]!r} stands twice among {keys.text}: rows belong to its first part, "
            "and the other one is always empty",
            need="different keys",
            help=f"dict.fromkeys({keys.text}), which keeps the first of equal keys",
        )
    part = msgspec.structs.replace(space, metric=space.row_metric.of_parts(), size=None)
    moves = scalar_moves(space.row_metric.moved() * D)
    why = Failure(
        "infinite-stability",
        "the key of a row depends on other private values, so one person may move every row",
        need="a key that is a function of its row and of public values",
        help="release the other value before the partition",
    )
    found = Parts(part, _number(keys))
    return Conclusion(found, {"records": moves}, captured=INF, why_infinite=why)


def _number(keys: Arg) -> Expr:
    """How many keys there are."""
    if keys.private:
        raise refuse(
            "private-argument",
            f"the keys {keys.text} are private, so the parts would show which keys there are",
            need="public keys",
            help="a tuple of keys as a literal or a public parameter",
        )
    if isinstance(keys.literal, tuple | list):
        return num(len(keys.literal))
    size = keys.space.size if isinstance(keys.space, Vector) else keys.size
    if size is None or keys.released:
        raise refuse(
            "size-mismatch",
            f"nothing says how many keys {keys.text} holds",
            need="a literal tuple, or a public parameter that is one",
            help=f"declare {keys.text} as tuple[str, ...]",
        )
    return size


def _stands_twice(keys: Iterable[Any]) -> list[Any]:
    """The keys that equal one before them."""
    known = [*keys]
    return [key for place, key in enumerate(known) if key in known[:place]]


def _all_different(keys: Any) -> None:
    """Raises:
    ParameterError: a key stands twice: under its name a dictionary would have an empty part.
    """
    from metricdp.errors import ParameterError

    known = keys.tolist() if hasattr(keys, "tolist") else [*keys]
    try:
        twice = len({*known}) < len(known)
    except TypeError:  # a list among the keys, say, which no row equals
        twice = bool(_stands_twice(known))
    if twice:
        raise ParameterError(
            "the keys of a partition are different, and one of these stands twice",
            place="partition",
            remedy="give every key once",
        )


def run(records: Any, key: Any, keys: Any) -> tuple[list[Any], ...]:
    """One list of rows per key, in their order.

    Raises:
        ParameterError: a key stands twice.
    """
    _all_different(keys)
    places: dict[Any, int] = {}
    for place, known in enumerate(keys):
        places.setdefault(known, place)
    parts: list[list[Any]] = [[] for _ in keys]
    for row in records:
        place = places.get(key(row), -1)
        if place >= 0:
            parts[place].append(row)
    return tuple(parts)


def tabular(records: Any, key: Any, keys: Any) -> Sequence[Any]:
    """The parts as tables that share one look at the keys of all rows."""
    _all_different(keys)
    return records.parts(key, keys)  # type: ignore[no-any-return]


def instances() -> Iterable[Instance]:
    row = Scalar("Data", kind="int")
    body = Body(Scalar("Data"), (scalar_moves(ONE),))
    for keys in ((0, 1, 5), (1, 0), (1,)):
        for metric in PRIVATE_SIZE:
            public = {"key": _itself, "keys": keys}
            yield Instance({"records": Records(row, metric)}, public, {"key": body})
    for metric in PUBLIC_SIZE:
        public = {"key": _itself, "keys": (0, 1, 5)}
        yield Instance({"records": Records(row, metric, num(4))}, public, {"key": body})


def _itself(row: Any) -> Any:
    return row


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows are added to a part, or go from one part to another."""
    space = instance.private["records"]
    if isinstance(space, Records) and space.row_metric.replaces:
        return {"records": [0] * 4}, {"records": [1] * d + [0] * (4 - d)}
    return {"records": []}, {"records": [1] * d}
