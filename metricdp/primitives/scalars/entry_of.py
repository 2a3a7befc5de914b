"""entry_of: what a public dictionary has under a private key; a public value where it has none.

Stability.  Keys that differ are at distance 1, and two entries may be any two numbers: infinite for
numbers; for texts, which are at distance 1 as well, 1.  Total: a key that is not there gives the
default, and of numbers NaN is 0 and an infinite one the largest double, as in data.
Tight: step from one key to another one.
Source: any function from a discrete space into one is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.columns.floats import finite
from metricdp.primitives._common import no_bound
from metricdp.primitives.texts._texts import MOVES, TEXT
from metricdp.record import Arg, Conclusion, Instance, Witness, infinite, refuse
from metricdp.spaces import Scalar

example = (
    "towns: dp.Records[str] = ['Rome', 'Lima']; rates: dict[str, float] = {'Rome': 0.5}; "
    "[rates.get(t, 0) for t in towns]"
)

_KINDS = ("float", "int", "str")


def rule(entries: Arg, key: Arg, default: Arg, kind: Arg) -> Conclusion:
    """A public dictionary, a private key, and public values of one kind."""
    if entries.private or default.private or kind.literal not in _KINDS:
        raise refuse(
            "private-argument",
            f"{entries.text} or {default.text} is private, or of no kind that is known here",
            need="a public dictionary of numbers or texts, and a public default",
            help=f"{entries.text}.get({key.text}, 0)",
        )
    discrete = isinstance(key.space, Scalar) and key.space.element != "Real"
    if not key.private or not discrete:
        raise refuse(
            "unsupported-call",
            f"{key.text} is no private text, whole number or truth value",
            need="a key whose values are apart from each other",
            help="a field of a row that is a text or an integer",
        )
    if kind.literal == "str":
        return Conclusion(TEXT, {"key": MOVES})
    why = no_bound(
        "unbounded-sum",
        f"any two numbers may stand in {entries.text}",
        "bounds for what is read",
        f"dp.clamp({entries.text}.get({key.text}, 0), lower, upper)",
    )
    return infinite(why, Scalar("Int" if kind.literal == "int" else "Real"), "key")


def run(entries: Any, key: Any, default: Any, kind: Any) -> Any:
    """The entry, or the default."""
    return _read(entries.get(key, default))


def _read(entry: Any) -> Any:
    if type(entry) is float:
        return finite(entry)
    return int(entry) if type(entry) is bool else entry


def columnar(entries: Mapping[Any, Any], key: Any, default: Any, kind: Any) -> Any:
    """The entry at the position of the key."""
    from metricdp.columns.keys import position
    from metricdp.columns.language import item

    values = [*entries.values(), default]
    return item(position(key, [*entries]), [*map(_read, values)])


def instances() -> Iterable[Instance]:
    texts, whole = Scalar("Data", kind="str"), Scalar("Data", kind="int")
    for key, keys in ((texts, ("a", "b")), (whole, (1, -2))):
        for kind, values in (
            ("str", ("x", "y")), ("float", (Fraction(1, 2), 3)), ("int", (1, 10**6)),
        ):  # fmt: skip
            public: dict[str, Any] = {"entries": dict(zip(keys, values, strict=True)), "kind": kind}
            public["default"] = "" if kind == "str" else 0
            # Another key moves a number by any amount.
            yield Instance({"key": key}, public, tight="attained" if kind == "str" else "unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two keys."""
    first, second = instance.public["entries"]
    return ({"key": first}, {"key": second}) if d == 1 else None
