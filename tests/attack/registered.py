"""Features of the registry: every mechanism, and every transformation with plain arguments.

A new record joins by being registered: its instances say what its arguments look like.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attack.writing import Rows, Value, Writer, feature
from metricdp.families.added import Added
from metricdp.primitives import load
from metricdp.record import REGISTRY, Instance, Record
from metricdp.spaces import Keyed, Records, Scalar, Vector

load()
#: Mechanisms whose instances are whole numbers because their laws are, and that take real ones.
REAL = tuple(n for n, r in REGISTRY.items() if isinstance(r.family, Added) and not r.family.whole)
_LITERAL = (bool, int, float, str, Fraction, tuple, type(None))


def literal(value: Any) -> str:
    """A public argument as a program spells it."""
    if isinstance(value, Fraction):
        shown = repr(float(value))
        return shown if Fraction(shown) == value else f"{value.numerator} / {value.denominator}"
    return repr(value)


def spelt(instance: Instance) -> list[tuple[str, Any]] | None:
    """The public arguments of an instance; None where one of them is no literal."""
    plain = all(isinstance(v, _LITERAL) for v in instance.public.values())
    return list(instance.public.items()) if plain else None


def _arguments(w: Writer, instance: Instance) -> list[str]:
    found = []
    for name, value in spelt(instance) or []:
        typed = float(value) if isinstance(value, Fraction) else value
        target = name in ("scale", "epsilon", "rho") and isinstance(typed, float)
        found.append(f"{name}={w.given('p', 'float', typed) if target else literal(value)}")
    return found


def _whole(w: Writer, number: str) -> str:
    return f"dp.floor({number})" if w.chance(0.95) else number


def _scores(w: Writer, rows: Rows) -> list[str]:
    if rows.kind == "records" and rows.cell in ("int", "float"):
        return [f"dp.count(lambda r: r > {i}, {rows.text})" for i in range(3)]
    first = w.number(rows)
    return [first, f"2 * ({first})" if w.chance(0.5) else first, f"-({first})"]


def _records(w: Writer, rows: Rows, row: Any) -> str | None:
    """Rows of the kind that a mechanism of tables takes."""
    if rows.kind != "records":
        return None
    if getattr(row, "kind", "") == "str":
        if rows.cell == "str":
            return rows.text
        return f"['a' if {_test(rows)} else 'b' for r in {rows.text}]"
    if rows.cell in ("int", "float"):
        return rows.text
    return f"[1 if {_test(rows)} else 2 for r in {rows.text}]"


def _test(rows: Rows) -> str:
    from attack.data import row_test

    return row_test(None, rows)  # type: ignore[arg-type]


def _noise(record: Record) -> Any:
    instances = [i for i in record.instances() if spelt(i) is not None]

    def write(w: Writer, rows: Rows) -> Value | None:
        instance = w.rng.choice(instances)
        ((name, space),) = instance.private.items()
        arguments = _arguments(w, instance)
        given = _given(w, rows, name, space, record)
        if given is None:
            return None
        text = f"dp.{record.name}({', '.join([given, *arguments])})"
        number = isinstance(space, Scalar | Vector) and getattr(space, "element", "") in (
            "Int", "Real",
        )  # fmt: skip
        return Value(text, number and not given.startswith(f"{name}=(") and "[" not in given[:9])

    return write


def _given(w: Writer, rows: Rows, name: str, space: Any, record: Record) -> str | None:
    if name == "score":
        scores = _scores(w, rows)
        listed = w.fresh("scores")
        w.line(f"{listed} = [{', '.join(scores)}]")
        return f"candidates=(0, 1, 2), score=lambda c: {listed}[c]"
    if name == "scores":
        return f"scores=[{', '.join(_scores(w, rows))}]"
    if name == "queries":
        if rows.kind != "records" or rows.cell not in ("int", "float"):
            return None
        queries = [f"lambda d: dp.count(lambda r: r > {i}, d)" for i in range(3)]
        return f"queries=[{', '.join(queries)}], data={rows.text}"
    if isinstance(space, Keyed):
        inside = _records(w, rows, Scalar("Data", kind="str"))
        return None if inside is None else f"{name}=dp.count_by({inside})"
    if isinstance(space, Records):
        inside = _records(w, rows, space.row)
        return None if inside is None else f"{name}={inside}"
    if getattr(space, "element", "") == "Bool" or getattr(space, "element", "") == "Data":
        return _answer(w, rows, name, space)
    if isinstance(space, Vector) and rows.kind == "vector" and rows.cell in ("real", "whole"):
        return f"{name}={rows.text}"
    number = w.number(rows)
    if getattr(space, "element", "") == "Int" and record.name not in REAL:
        number = _whole(w, number)
    if w.chance(0.1):
        return f"{name}=({number}, {w.number(rows)})"
    return f"{name}={number}"


def _answer(w: Writer, rows: Rows, name: str, space: Any) -> str | None:
    if isinstance(space, Vector):
        return f"{name}={rows.text}" if rows.cell == "bit" and rows.kind == "vector" else None
    if rows.kind != "number":
        number = w.number(rows)
        if getattr(space, "element", "") == "Bool" and "dp." in number:
            return f"{name}=({number}) > 1"
        return None
    if space.element == "Bool":
        return f"{name}={rows.text}" if rows.cell == "bit" else f"{name}={rows.text} > 1"
    return f"{name}={rows.text}" if rows.cell == "datum" else None


def _writable(space: Any) -> bool:
    """Whether the space is written as it prints."""
    rows = isinstance(space, Records) and isinstance(space.row, Scalar)
    return rows or isinstance(space, Scalar | Vector)


def _number(record: Record) -> Any:
    """A record as a number: on new data of the spaces of an instance."""
    instances = [
        i for i in record.instances()
        if i.private and not i.bodies and spelt(i) is not None
        and all(map(_writable, i.private.values()))
    ]  # fmt: skip

    def write(w: Writer, rows: Rows) -> str | None:
        instance = w.rng.choice(instances)
        given = [
            f"{n}={_input(w, rows, s)}" if n.isidentifier() else _input(w, rows, s)
            for n, s in instance.private.items()
        ]
        given += [
            f"{n}={literal(v)}" if n.isidentifier() else literal(v)
            for n, v in spelt(instance) or []
        ]
        name = w.fresh("r")
        w.line(f"{name} = dp.{record.name}({', '.join(given)})")
        space = _result(record, instance)
        if isinstance(space, Scalar):
            if space.element in ("Real", "Int", "Bool"):
                return name if space.element != "Bool" else f"int({name})"
            return f"dp.undisc(dp.clamp({name}, 0, 1))"
        if isinstance(space, Vector) and space.element in ("Real", "Int"):
            return f"sum({name})"
        if isinstance(space, Records):
            return f"dp.count({name})"
        return None

    return write if instances else None


def _result(record: Record, instance: Instance) -> Any:
    from metricdp.audit.records import conclusion_of

    try:
        return conclusion_of(record, instance).space
    except Exception:
        return None


_ROWS = {"int": "int", "float": "float", "str": "str"}
_ENTRIES = {"real": "Real", "whole": "Int", "bit": "Bool"}


def _input(w: Writer, rows: Rows, space: Any) -> str:
    """What is at hand, where it is of the space; else a new parameter."""
    if isinstance(space, Records):
        fits = rows.kind == "records" and getattr(space.row, "kind", "") == _ROWS.get(rows.cell)
    else:
        kind = "vector" if isinstance(space, Vector) else "number"
        fits = rows.kind == kind and space.element == _ENTRIES.get(rows.cell)
    return rows.text if fits and w.chance(0.7) else w.parameter("z", str(space))


for _name, _record in sorted(REGISTRY.items()):
    if _record.kind == "mechanism":
        feature(f"noise: {_name}", "noise")(_noise(_record))
    elif _record.kind == "transformation" and _name != "reveal":
        _write = _number(_record)
        if _write is not None:
            feature(f"record: {_name}", "number")(_write)
