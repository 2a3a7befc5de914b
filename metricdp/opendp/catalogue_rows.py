"""Constructors of maps of rows, each by one line: casts, missing values, categories, metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.maps import apply
from metricdp.opendp import metrics
from metricdp.opendp.constructor import Build, Constructor
from metricdp.opendp.domains import AtomDomain, Domain, OptionDomain, VectorDomain, checked_bounds
from metricdp.opendp.metrics import Metric
from metricdp.opendp.objects import Transformation
from metricdp.opendp.placing import is_number, placed, row_domain
from metricdp.opendp.types import kind, type_name, type_of
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.spaces import Maybe, Records
from metricdp.spaces.joining import fits

load()
REQUIRED = Parameter.empty

#: Arguments of the constructor -> domain of a row of the result.
Element = Callable[..., Domain]


def _rows_of(domain: Domain, name: str) -> VectorDomain:
    if isinstance(domain, VectorDomain):
        return domain
    raise SpaceError(
        f"make_{name} goes through rows, and {domain!r} has none",
        place=f"make_{name}",
        remedy="vector_domain(atom_domain(T=...))",
    )


def _row_by_row(
    name: str, record: str, public: Callable[..., Mapping[str, Any]], element: Element
) -> Build:
    """A constructor whose rows are of the domain that OpenDP gives them."""

    def build(input_domain: Domain, input_metric: Metric, **given: Any) -> Transformation:
        rows = _rows_of(input_domain, name)
        space = placed(input_domain, input_metric).space
        core = apply(REGISTRY[record], space, public(**given))
        domain = VectorDomain(element(**given), rows.size)
        return Transformation(input_domain, input_metric, domain, input_metric, core)

    return build


def rows(
    name: str,
    record: str,
    parameters: Mapping[str, Any],
    public: Callable[..., Mapping[str, Any]],
    element: Element,
) -> Constructor:
    """One constructor of a function of one row."""
    build = _row_by_row(name, record, public, element)
    return Constructor(name, record, parameters, build=build, doc=REGISTRY[record].proof, group="t")


def atom(T: Any, nan: bool = False) -> AtomDomain:
    """Atoms of a type, with NaN if it is of floats and `nan`."""
    name = type_name(T)
    return AtomDomain(name, None, nan and kind(name) == "float")


def _inherent(TOA: Any) -> AtomDomain:
    if kind(type_name(TOA)) != "float":
        raise ParameterError(
            f"{type_name(TOA)} has no value of its own for what is missing",
            place="make_cast_inherent",
            remedy="TOA=float, or make_cast",
        )
    return atom(TOA, True)


def _to(TOA: Any) -> dict[str, Any]:
    return {"to": type_name(TOA)}


def _bounds(bounds: Any) -> dict[str, Any]:
    lower, upper = checked_bounds(bounds, "bounds")
    return {"lower": lower, "upper": upper}


Constructor("clamp", "clamp", {"bounds": REQUIRED}, _bounds)
_TOA = {"TOA": REQUIRED}
rows("cast", "cast", _TOA, _to, lambda TOA: OptionDomain(atom(TOA)))
rows("cast_default", "cast_default", _TOA, _to, lambda TOA: atom(TOA))
rows("cast_inherent", "cast", _TOA, _to, _inherent)
Constructor("impute_constant", "impute", {"constant": REQUIRED})
Constructor("drop_null", "drop_null")
rows("is_null", "is_null", {}, dict, lambda: atom(bool))
rows("is_equal", "is_equal", {"value": REQUIRED}, dict, lambda value: atom(bool))
rows(
    "find",
    "find",
    {"categories": REQUIRED},
    lambda categories: {"categories": list(categories)},
    lambda categories: OptionDomain(atom("usize")),
)
rows(
    "find_bin",
    "find_bin",
    {"edges": REQUIRED},
    lambda edges: {"edges": list(edges)},
    lambda edges: atom("usize"),
)
rows(
    "index",
    "lookup",
    {"categories": REQUIRED, "null": REQUIRED, "TOA": None},
    lambda categories, null, TOA: {"categories": list(categories), "null": null},
    lambda categories, null, TOA: atom(type_of([*categories, null]) if TOA is None else TOA),
)


def _impute_uniform(input_domain: Domain, input_metric: Metric, bounds: Any) -> Transformation:
    held = _rows_of(input_domain, "impute_uniform_float")
    space = placed(input_domain, input_metric).space
    core = apply(REGISTRY["impute_uniform"], space, _bounds(bounds))
    element = _element(core.output_space, input_domain, input_metric)
    metric = _UNORDERED.get(type(input_metric), input_metric)
    domain = VectorDomain(element, held.size)
    if not fits(core.output_space, placed(domain, metric).space):
        domain = VectorDomain(element)  # a size that the rules could not keep
    return Transformation(input_domain, input_metric, domain, metric, core)


def _element(space: Any, domain: Domain, metric: Metric) -> Domain:
    """The domain of the rows of a table."""
    assert isinstance(space, Records)
    row = space.row
    inner = row_domain(row.inner if isinstance(row, Maybe) else row, (domain, metric), None)
    missing = isinstance(row, Maybe) and isinstance(inner, AtomDomain)
    return OptionDomain(inner) if missing and isinstance(inner, AtomDomain) else inner


_UNORDERED: dict[Any, Metric] = {
    metrics.InsertDeleteDistance: metrics.SymmetricDistance(),
    metrics.HammingDistance: metrics.ChangeOneDistance(),
}
_ORDERED: dict[Any, Metric] = {
    metrics.SymmetricDistance: metrics.InsertDeleteDistance(),
    metrics.ChangeOneDistance: metrics.HammingDistance(),
}
_BOUNDED: dict[Any, Metric] = {metrics.SymmetricDistance: metrics.ChangeOneDistance()}
_UNBOUNDED: dict[Any, Metric] = {
    metrics.ChangeOneDistance: metrics.SymmetricDistance(),
    metrics.HammingDistance: metrics.InsertDeleteDistance(),
}
Constructor(
    "impute_uniform_float",
    "impute_uniform",
    {"bounds": REQUIRED},
    build=_impute_uniform,
    doc=REGISTRY["impute_uniform"].proof,
)


def _identity(domain: Domain, metric: Metric, core: Any = None) -> Transformation:
    made = core or apply(REGISTRY["identity"], placed(domain, metric).space, {})
    return Transformation(domain, metric, domain, metric, made)


Constructor("identity", "identity", build=_identity, doc=REGISTRY["identity"].proof)


def _to_metric(name: str, after: Mapping[Any, Metric], *routes: tuple[str, ...]) -> Constructor:
    """A conversion of the metric on tables, by the first chain of records that leads there."""

    def build(input_domain: Domain, input_metric: Metric) -> Transformation:
        held = _rows_of(input_domain, name)
        wanted = after.get(type(input_metric))
        if wanted is None or (name == "metric_bounded" and held.size is None):
            raise SpaceError(
                f"make_{name} does not go from ({input_domain!r}, {input_metric!r})",
                place=f"make_{name}",
                remedy=_REMEDIES[name],
            )
        start = placed(input_domain, input_metric).space
        for route in routes:
            core = _route(start, route)
            # A size that the rules could not keep is left out of the result.
            for domain in (held, VectorDomain(held.element_domain)):
                if core is not None and fits(core.output_space, placed(domain, wanted).space):
                    return Transformation(input_domain, input_metric, domain, wanted, core)
        raise SpaceError(
            f"make_{name} has no rule from ({input_domain!r}, {input_metric!r})",
            place=f"make_{name}",
            remedy="leave the size out of the domain",
        )

    record = routes[0][-1]
    doc = _BOUNDED_DOC if record == "identity" else REGISTRY[record].proof
    return Constructor(name, record, build=build, doc=doc)


def _route(start: Any, records: tuple[str, ...]) -> Any:
    """A chain of records from a space, or None where one of them has no rule."""
    core: Any = None
    try:
        for record in records:
            link = apply(REGISTRY[record], start, {})
            core, start = link if core is None else core >> link, link.output_space
    except MetricdpError:
        return None
    return core


_REMEDIES = {
    "unordered": "its metric is insert_delete_distance() or hamming_distance()",
    "ordered_random": "its metric is symmetric_distance() or change_one_distance()",
    "metric_bounded": "vector_domain(..., size=n) under symmetric_distance(); no constant leads "
    "from the insert-delete to the Hamming distance",
    "metric_unbounded": "its metric is change_one_distance() or hamming_distance()",
}
_BOUNDED_DOC = """metric_bounded: tables of one public size, by the number of rows replaced.

Two tables of one size are an even number of additions and removals apart, two for each row that is
replaced, so the map is floor(d_in / 2).  From the insert-delete to the Hamming distance there is no
such map: moving the first row to the end is 2 apart and changes every position.
"""
_to_metric("unordered", _UNORDERED, ("unordered",))
_to_metric("metric_bounded", _BOUNDED, ("identity",))
# A table of public size under the symmetric distance lies in change-one distance already.
_to_metric("metric_unbounded", _UNBOUNDED, ("identity",), ("unbounded",))
_to_metric("ordered_random", _ORDERED, ("ordered",), ("unbounded", "ordered"))


def _resize(
    input_domain: Domain, input_metric: Metric, size: Any, constant: Any, MO: Any
) -> Transformation:
    _rows_of(input_domain, "resize")
    wanted = _RESIZED.get(getattr(MO, "type", getattr(MO, "__name__", MO)))
    if wanted is None:
        raise ParameterError(
            f"the result of make_resize is not ordered, and {MO!r} sees the order",
            place="make_resize",
            remedy='MO="SymmetricDistance" or "ChangeOneDistance", then make_ordered_random',
        )
    space = placed(input_domain, input_metric).space
    core = apply(REGISTRY["resize"], space, {"size": size, "constant": constant})
    element: Any = _element(core.output_space, input_domain, input_metric)
    atoms = getattr(input_domain, "element_domain", None)
    if isinstance(atoms, AtomDomain) and isinstance(element, OptionDomain):
        element = msgspec.structs.replace(element.element_domain, nan=True)
    domain = VectorDomain(element, int(size))
    return Transformation(input_domain, input_metric, domain, wanted, core)


_RESIZED = {
    "SymmetricDistance": metrics.SymmetricDistance(),
    "ChangeOneDistance": metrics.ChangeOneDistance(),
}
Constructor(
    "resize",
    "resize",
    {"size": REQUIRED, "constant": REQUIRED, "MO": "SymmetricDistance"},
    build=_resize,
    doc=REGISTRY["resize"].proof,
)


def _lipschitz(
    input_domain: Domain, input_metric: Metric, constant: Any, bounds: Any
) -> Transformation:
    space = placed(input_domain, input_metric).space
    if not is_number(input_domain):
        raise SpaceError(
            f"{input_domain!r} has no products", place="make_lipschitz_float_mul",
            remedy="atom_domain(T=float, nan=False) under absolute_distance(T=float)",
        )  # fmt: skip
    clamped = apply(REGISTRY["clamp"], space, _bounds(bounds))
    core = clamped >> apply(REGISTRY["mul"], clamped.output_space, {"y": constant})
    atoms = input_domain
    if isinstance(atoms, AtomDomain):
        atoms = msgspec.structs.replace(atoms, bounds=None)
    return Transformation(input_domain, input_metric, atoms, input_metric, core)


Constructor(
    "lipschitz_float_mul",
    "mul",
    {"constant": REQUIRED, "bounds": REQUIRED},
    build=_lipschitz,
    doc="lipschitz_float_mul: a number, clamped, times a public constant, without rounding; "
    "|constant| * d_in.",
)
