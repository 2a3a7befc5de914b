"""`deserialize`: objects out of the text that `serialize` wrote.

An object that is read is made again by this release's constructors, so that its map is proved here
and not believed from the text.
"""

from __future__ import annotations

from typing import Any

from metricdp.errors import MetricdpError, ParameterError
from metricdp.maps.interchange import decode, header
from metricdp.opendp import domains, metrics
from metricdp.opendp.constructor import CONSTRUCTORS, Chain, Partial
from metricdp.opendp.types import type_name
from metricdp.opendp.writing import FORMAT, VERSION, classes


def deserialize(serialized: str) -> Any:
    """The object that `serialize` wrote, made again.

    Raises:
        ParameterError: other text, or another version of the format.
        SpaceError: spaces that do not fit.
    """
    objects = header(serialized, FORMAT, VERSION, "objects", "deserialize")
    if len(objects) != 1:
        raise ParameterError("one object was expected", place="deserialize")
    failed: MetricdpError
    try:
        return _read(objects[0])
    except MetricdpError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        failed = ParameterError(
            f"the text is no object of this library ({type(error).__name__})",
            place="deserialize",
            remedy="give the text that `serialize` returned, unchanged",
        )
    raise failed


def _read(data: Any) -> Any:
    ((kind, body),) = data.items()
    if kind == "value":
        return _valid(decode(body, classes(), "deserialize"))
    if kind == "list":
        return [_read(part) for part in body]
    if kind == "chain":
        return Chain(tuple(_read(part) for part in body))
    if kind == "then":
        name, given = body
        return Partial(_constructor(name), {key: _read(value) for key, value in given.items()})
    if kind != "made":
        raise ValueError(kind)
    item: Any = None
    for name, given in body:
        arguments = {key: _read(value) for key, value in given.items()}
        if name == "postprocess":
            item = item >> arguments["function"]
            continue
        part = _constructor(name).again(arguments)
        item = part if item is None else item >> part
    return item


def _constructor(name: Any) -> Any:
    if name in CONSTRUCTORS:
        return CONSTRUCTORS[name]
    raise ParameterError(f"this release has no make_{name}", place="deserialize")


def _valid(value: Any) -> Any:
    """Domains and metrics pass their own constructors again: a text may say anything."""
    if isinstance(value, domains.AtomDomain):
        nan = value.nan if value.T in ("f32", "f64") else None
        return domains.atom_domain(value.bounds, nan, value.T)
    if isinstance(value, domains.VectorDomain):
        return domains.vector_domain(_valid(value.element_domain), value.size)
    if isinstance(value, domains.OptionDomain):
        return domains.option_domain(_valid(value.element_domain))
    if isinstance(value, domains.MapDomain):
        return domains.map_domain(_valid(value.key_domain), _valid(value.value_domain))
    if isinstance(value, metrics.Approximate):
        return metrics.approximate(_valid(value.inner_measure))
    if isinstance(value, metrics.Triple):
        return type(value)(_valid(value.inner))
    inner = getattr(value, "T", None)
    if isinstance(value, metrics.Metric) and inner is not None and type_name(inner) != inner:
        raise ParameterError(f"{inner!r} is no type of distances", place="deserialize")
    return value
