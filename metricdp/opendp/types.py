"""Carrier types by the names of OpenDP: `float`, "f64", `i32`, "Vec<i32>" and what they hold."""

from __future__ import annotations

from typing import Any

from metricdp.errors import ParameterError

#: OpenDP's atomic type names -> Python kind.
KINDS = {
    **dict.fromkeys(("f32", "f64", "float"), "float"),
    **dict.fromkeys(
        "i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize int".split(),
        "int",
    ),
    "bool": "bool",
    "String": "str",
    "str": "str",
}
_DEFAULTS = {"float": "f64", "int": "i32", "bool": "bool", "str": "String"}


def type_name(given: Any) -> str:
    """The atomic type name of a Python type, a name, or an example value's type.

    Raises:
        ParameterError: a type that is none of OpenDP's atoms.
    """
    name = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    name = name.strip()
    for outer in ("Vec<", "AbsoluteDistance<", "L1Distance<", "L2Distance<", "LInfDistance<"):
        if name.startswith(outer) and name.endswith(">"):
            name = name[len(outer) : -1]
    if name not in KINDS:
        raise ParameterError(
            f"no atomic type is called {name!r}",
            place="T",
            remedy='write float, int, bool, str, or a name such as "f64" or "i32"',
        )
    return _DEFAULTS.get(name, name)


def kind(name: str) -> str:
    """The Python kind ("float", "int", "bool", "str") of an atomic type name."""
    return KINDS[name]


def type_of(value: Any) -> str:
    """The atomic type name of an example value, a pair of bounds, or a list of categories."""
    if isinstance(value, list | tuple | set | frozenset) and value:
        names = {type_of(item) for item in value}
        if len(names) > 1 and names <= {"i32", "f64"}:
            return "f64"
        if len(names) > 1:
            raise ParameterError(
                f"values of several types: {', '.join(sorted(names))}",
                place="T",
                remedy="give values of one type",
            )
        return next(iter(names))
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    return type_name(type(value).__name__)


def set_default(wanted: str, T: Any) -> None:
    """The type name that "int" or "float" stands for.

    Raises:
        ParameterError: a type of another kind.
    """
    name = type_name(T)
    if KINDS[name] != wanted:
        raise ParameterError(f"{name} is no {wanted}", place="T", remedy=f"T={_DEFAULTS[wanted]}")
    _DEFAULTS[wanted] = name
