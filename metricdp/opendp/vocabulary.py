"""The rest of `opendp.prelude`: names of types, classes, and functions that describe."""

from __future__ import annotations

from importlib import import_module
from typing import Any, get_args, get_origin

from metricdp.errors import MetricdpError, ParameterError
from metricdp.opendp import domains, metrics
from metricdp.opendp.constructor import Chain, Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Metric
from metricdp.opendp.types import kind, set_default, type_name, type_of

ATOMS = ("f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize",
         "u8", "u16", "u32", "u64", "u128", "usize", "String")  # fmt: skip


class Vec:
    """`Vec[float]`: the name of lists of a type."""

    def __class_getitem__(cls, T: Any) -> str:
        return f"Vec<{type_name(T)}>"


#: Name -> (module, attribute) of classes that are read when they are asked for.
_ELSEWHERE = {
    "Odometer": ("metricdp.opendp.interactive", "Odometer"),
    "OdometerQueryable": ("metricdp.opendp.interactive", "OdometerQueryable"),
    "Queryable": ("metricdp.opendp.interactive", "Queryable"),
    "PrivacyProfile": ("metricdp.maps.profiles", "PrivacyProfile"),
    "ExtrinsicDomain": ("metricdp.opendp.domains", "UserDomain"),
    "serialize": ("metricdp.opendp.writing", "serialize"),
    "deserialize": ("metricdp.opendp.interchange", "deserialize"),
}
_CLASSES: dict[str, Any] = {
    **{name: getattr(domains, name) for name in ("AtomDomain", "OptionDomain", "VectorDomain")},
    **{
        name: getattr(metrics, name)
        for name in (
            "AbsoluteDistance ChangeOneDistance DiscreteDistance HammingDistance L1Distance "
            "InsertDeleteDistance L2Distance MaxDivergence Measure Metric SmoothedMaxDivergence "
            "SymmetricDistance ZeroConcentratedDivergence"
        ).split()
    },
    "ApproximateDivergence": metrics.Approximate,
    "ExtrinsicDivergence": metrics.UserDivergence,
    "FixedSmoothedMaxDivergence": "FixedSmoothedMaxDivergence",
    "Domain": Domain,
    "Chain": Chain,
    "PartialChain": Partial,
    "OpenDPException": MetricdpError,
    "UnknownTypeException": ParameterError,
    "Vec": Vec,
}


def domain_of(T: Any, infer: bool = False) -> Domain:
    """The domain of a type: `domain_of("Vec<f64>")`, `list[int]`, "Option<i32>".

    Args:
        infer: take the type of an example value instead.

    Raises:
        ParameterError: a type that is none of OpenDP's.
    """
    if infer:
        if isinstance(T, list | tuple):
            return domains.vector_domain(domains.atom_domain(T=type_of(T)))
        return domains.atom_domain(T=type_of(T))
    if get_origin(T) in (list, tuple):
        return domains.vector_domain(domain_of(get_args(T)[0]))
    if get_origin(T) is dict:
        key, value = get_args(T)
        return domains.map_domain(domain_of(key), domain_of(value))
    text = T.strip() if isinstance(T, str) else ""
    if text.endswith(">"):
        outer, _, inner = text[:-1].partition("<")
        if outer == "Vec":
            return domains.vector_domain(domain_of(inner))
        if outer == "Option":
            return domains.option_domain(domain_of(inner))
        if outer == "HashMap" and "," in inner:
            key, _, value = inner.partition(",")
            return domains.map_domain(domain_of(key), domain_of(value))
    return domains.atom_domain(T=T)


def metric_of(M: Any) -> Metric:
    """The metric of a name or class: "SymmetricDistance", "L1Distance<i32>".

    Raises:
        ParameterError: no metric of that name.
    """
    if isinstance(M, Metric):
        return M
    text = M if isinstance(M, str) else getattr(M, "__name__", str(M))
    name, _, inner = text.rstrip(">").partition("<")
    found = {kind.__name__: kind for kind in _CLASSES.values() if isinstance(kind, type)}.get(name)
    if found is None or not issubclass(found, Metric):
        raise ParameterError(
            f"no metric is called {text!r}", place="metric_of", remedy='"SymmetricDistance"'
        )
    return found(type_name(inner)) if inner else found()


def space_of(T: Any, M: Any = None, infer: bool = False) -> tuple[Domain, Metric]:
    """The domain of a type with its usual metric: rows added and removed, or |x - y|."""
    domain = domain_of(T, infer)
    if M is not None:
        return domain, metric_of(M)
    if isinstance(domain, domains.AtomDomain):
        numeric = kind(domain.T) in ("int", "float")
        absolute = metrics.AbsoluteDistance(domain.T)
        return domain, absolute if numeric else metrics.DiscreteDistance()
    return domain, metrics.SymmetricDistance()


def set_default_int_type(T: Any) -> None:
    """The type that `int` stands for from now on ("i32" at first)."""
    set_default("int", T)


def set_default_float_type(T: Any) -> None:
    """The type that `float` stands for from now on ("f64" at first)."""
    set_default("float", T)


def _describer(field: str) -> Any:
    def describe(this: Any) -> str:
        return repr(this) if field == "debug" else str(getattr(this, field))

    describe.__doc__ = f"The {field.replace('_', ' ')} of a domain, metric or measure, as text."
    return describe


_FUNCTIONS: dict[str, Any] = {
    **{f.__name__: f for f in (domain_of, metric_of, space_of)},
    **{f.__name__: f for f in (set_default_float_type, set_default_int_type)},
    **{
        f"{kind}_{field}": _describer(field)
        for kind, fields in {
            "domain": ("debug", "type", "carrier_type"),
            "metric": ("debug", "type", "distance_type"),
            "measure": ("debug", "type", "distance_type"),
        }.items()
        for field in fields
    },
}


def word(name: str) -> Any:
    """What a name of the prelude stands for; None if it is none of these."""
    if name in ATOMS:
        return name
    if name in _ELSEWHERE:
        module, attribute = _ELSEWHERE[name]
        return getattr(import_module(module), attribute)
    return _CLASSES.get(name, _FUNCTIONS.get(name))


def words() -> list[str]:
    """Every such name."""
    return [*ATOMS, *_ELSEWHERE, *_CLASSES, *_FUNCTIONS]
