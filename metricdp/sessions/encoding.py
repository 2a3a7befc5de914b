"""Released values as JSON and back, exactly; and the composition tree of a spend as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import LedgerError
from metricdp.expr import Expr
from metricdp.families.family import Family
from metricdp.measures.accounted import Scheme

#: Longer numbers are written in hexadecimal: Python refuses to read very long decimal ones.
_DECIMAL_BITS = 2048
#: A fraction as `text_of` writes it; nothing with an exponent, which can be short and enormous.
_NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?|-?0x[0-9a-f]+/0x[0-9a-f]+")
#: Characters of an argument's text that a row keeps; its key covers the whole argument.
_ARGUMENT = 400


class NotStorableError(LedgerError):
    """A released value of a kind that no ledger stores; the spend is recorded all the same."""


def canonical(value: Any) -> str:
    """One text per value: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def text_of(value: Fraction) -> str:
    """A number as text, exact whatever its length."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= _DECIMAL_BITS:
        return str(value)
    return f"{value.numerator:#x}/{value.denominator:#x}"


def number_of(text: str) -> Fraction:
    """The number that `text_of` wrote.

    Raises:
        ValueError: any other text.
    """
    if _NUMBER.fullmatch(text) is None:
        raise ValueError("no number of a ledger")
    if "x" not in text:
        return Fraction(text)
    above, _, below = text.partition("/")
    return Fraction(int(above, 16), int(below, 16))


def argument_text(value: Any) -> str:
    """A public argument as a row shows it: its repr, the beginning of a long one."""
    try:
        text = repr(value)
    except Exception as error:
        return f"a {type(value).__name__} without a text ({type(error).__name__})"
    return text if len(text) <= _ARGUMENT else f"{text[:_ARGUMENT]}... ({len(text)} characters)"


def encode(value: Any) -> Any:
    """A released value, in JSON's own kinds; other kinds carry a mark.

    Raises:
        NotStorableError: a value of any other kind.
    """
    if value is None or isinstance(value, str) or type(value) is bool:
        return value
    if type(value) is int:
        return value if value.bit_length() <= _DECIMAL_BITS else {"int": hex(value)}
    if type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, Fraction):
        return {"fraction": text_of(Fraction(value))}
    if type(value) is tuple:
        return {"tuple": [encode(item) for item in value]}
    if type(value) is list:
        return {"list": [encode(item) for item in value]}
    if isinstance(value, Mapping):
        return {"items": [[encode(k), encode(v)] for k, v in value.items()]}
    if hasattr(value, "dtype") and hasattr(value, "tolist") and value.dtype.kind in "biufO":
        flat = [encode(item) for item in value.ravel().tolist()]
        return {"array": flat, "dtype": value.dtype.str, "shape": list(value.shape)}
    raise NotStorableError(f"a release of type {type(value).__name__} is not stored")


def decode(found: Any) -> Any:
    """The value that `encode` was given."""
    if not isinstance(found, dict):
        return found
    if "float" in found:
        return float.fromhex(found["float"])
    if "int" in found:
        return int(found["int"], 16)
    if "fraction" in found:
        return number_of(found["fraction"])
    if "tuple" in found:
        return tuple(decode(item) for item in found["tuple"])
    if "list" in found:
        return [decode(item) for item in found["list"]]
    if "items" in found:
        return {decode(k): decode(v) for k, v in found["items"]}
    import numpy as np

    flat = [decode(item) for item in found["array"]]
    return np.array(flat, dtype=found["dtype"]).reshape(found["shape"])


def encode_release(release: Any) -> dict[str, Any]:
    """A release as JSON, draws included.

    Raises:
        NotStorableError: see `encode`.
    """
    fields = {f: getattr(release, f) for f in release.__struct_fields__}
    known = _families() if release.draws else {}
    for draw in release.draws:
        if known.get(draw.mechanism) != draw.family:
            raise NotStorableError(
                f"a draw of `{draw.mechanism}`, which no rule draws, is not stored"
            )
    draws = [{f: encode(v) for f, v in d.as_dict().items()} for d in release.draws]
    about = None if release.about is None else encode(msgspec.structs.asdict(release.about))
    plain = {f: encode(v) for f, v in fields.items() if f not in ("draws", "about")}
    return {**plain, "draws": draws, "about": about}


def storable(release: Any) -> tuple[dict[str, Any] | None, str]:
    """A release as JSON and "", or None and the reason why no ledger stores it."""
    try:
        found = encode_release(release)
        canonical(found)
    except NotStorableError as error:
        return None, error.fact
    except Exception as error:  # paid for already: whatever it is, it does not keep the answer
        return None, f"it cannot be written ({type(error).__name__})"
    return found, ""


def decode_release(found: Mapping[str, Any]) -> Any:
    """The release that `encode_release` was given."""
    from metricdp.run.draws import Drawn
    from metricdp.run.release import About, Release

    known = _families() if found["draws"] else {}
    fields = {f: decode(v) for f, v in found.items() if f not in ("draws", "about")}
    draws = tuple(
        Drawn(
            family=known[d["mechanism"]], **{f: decode(v) for f, v in d.items() if f != "mechanism"}
        )
        for d in found["draws"]
    )
    about = None if found["about"] is None else About(**decode(found["about"]))
    return Release(**fields, draws=draws, about=about)


def _families() -> dict[str, Family]:
    """Name of a family -> the family, of all that rules of the registry draw by."""
    from metricdp.primitives import load
    from metricdp.record import REGISTRY

    load()
    return {r.family.name: r.family for r in REGISTRY.values() if r.family is not None}


def tree_json(tree: Any) -> Any:
    """A composition tree as JSON: expressions as text, nodes with their kind; of a mechanism its
    name, which tells its family."""
    if isinstance(tree, Expr):
        return str(tree)
    if isinstance(tree, msgspec.Struct):
        values = ((f, getattr(tree, f)) for f in tree.__struct_fields__)
        fields = {f: tree_json(value) for f, value in values if not isinstance(value, Family)}
        node = tree.name if isinstance(tree, Scheme) else type(tree).__name__
        return {"node": node, **{k: v for k, v in fields.items() if v is not None}}
    if isinstance(tree, Mapping):
        return {source_text(key): tree_json(value) for key, value in tree.items()}
    if isinstance(tree, tuple | list):
        return [tree_json(item) for item in tree]
    return tree if tree is None or isinstance(tree, bool | int | str) else str(tree)


def source_text(source: Any) -> str:
    """A source of movement by its name."""
    return str(getattr(source, "name", source))
