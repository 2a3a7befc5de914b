"""Released values as JSON and back, exactly; and the composition tree of a spend as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import LedgerError
from metricdp.expr import Expr


class NotStorableError(LedgerError):
    """A released value of a kind that no ledger stores; the spend is recorded all the same."""


def canonical(value: Any) -> str:
    """One text per value: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def encode(value: Any) -> Any:
    """A released value, in JSON's own kinds; other kinds carry a mark.

    Raises:
        NotStorableError: a value of any other kind.
    """
    if value is None or isinstance(value, str) or type(value) in (bool, int):
        return value
    if type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, Fraction):
        return {"fraction": str(Fraction(value))}
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
    if "fraction" in found:
        return Fraction(found["fraction"])
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
    draws = [{f: encode(getattr(d, f)) for f in d.__struct_fields__} for d in release.draws]
    about = None if release.about is None else encode(msgspec.structs.asdict(release.about))
    plain = {f: encode(v) for f, v in fields.items() if f not in ("draws", "about")}
    return {**plain, "draws": draws, "about": about}


def decode_release(found: Mapping[str, Any]) -> Any:
    """The release that `encode_release` was given."""
    from metricdp.run.about import About
    from metricdp.run.draws import Drawn
    from metricdp.run.release import Release

    fields = {f: decode(v) for f, v in found.items() if f not in ("draws", "about")}
    draws = tuple(Drawn(**{f: decode(v) for f, v in d.items()}) for d in found["draws"])
    about = None if found["about"] is None else About(**decode(found["about"]))
    return Release(**fields, draws=draws, about=about)


def tree_json(tree: Any) -> Any:
    """A composition tree as JSON: expressions as text, nodes with their kind."""
    if isinstance(tree, Expr):
        return str(tree)
    if isinstance(tree, msgspec.Struct):
        fields = {f: tree_json(getattr(tree, f)) for f in tree.__struct_fields__}
        return {"node": type(tree).__name__, **{k: v for k, v in fields.items() if v is not None}}
    if isinstance(tree, Mapping):
        return {source_text(key): tree_json(value) for key, value in tree.items()}
    if isinstance(tree, tuple | list):
        return [tree_json(item) for item in tree]
    return tree if tree is None or isinstance(tree, bool | int | str) else str(tree)


def source_text(source: Any) -> str:
    """A source of movement by its name."""
    return str(getattr(source, "name", source))
