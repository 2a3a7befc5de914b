"""The constructors of 2021: no domain and metric as arguments, but types, bounds and sizes.

Each one is a line: the constructor of today that it became, and the space that its arguments name.
`metricdp.opendp.trans`, `.meas` and `.comb` offer them, so that a program of that time runs after
its import lines are changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any

from metricdp.errors import ParameterError
from metricdp.opendp import metrics
from metricdp.opendp.constructor import CONSTRUCTORS, bound, make_function
from metricdp.opendp.domains import (
    AtomDomain,
    Domain,
    MapDomain,
    OptionDomain,
    VectorDomain,
    checked_bounds,
)
from metricdp.opendp.metrics import Metric
from metricdp.opendp.types import kind, type_name, type_of
from metricdp.record import REGISTRY

Space = tuple[Domain, Metric]
REQUIRED = Parameter.empty


class Old:
    """One constructor of 2021.

    Args:
        name: without "make_".
        now: the constructor of today.
        parameters: name -> default.
        space: from the arguments to today's input space.
        given: from the arguments to those of today's constructor.
        then: what follows it today, as (constructor, arguments), to have the result of 2021.
        converted: the combinator of today that gives the measurement of 2021, if there is one.
    """

    def __init__(
        self,
        name: str,
        now: str,
        parameters: Mapping[str, Any],
        space: Callable[..., Space],
        given: Callable[..., Mapping[str, Any]],
        then: Callable[..., Mapping[str, Mapping[str, Any]]] | None = None,
        converted: str = "",
    ) -> None:
        self.name, self.now, self.parameters = name, now, parameters
        self.space, self.given, self.then, self.converted = space, given, then, converted

    def function(self) -> Callable[..., Any]:
        """`make_<name>`, with the signature of 2021 and the docstring of today's rule."""
        place = f"make_{self.name}"
        signature = Signature(
            [
                Parameter(n, Parameter.POSITIONAL_OR_KEYWORD, default=d)
                for n, d in self.parameters.items()
            ]
        )

        def make(*args: Any, **keywords: Any) -> Any:
            arguments = bound(signature, place, args, keywords)
            domain, metric = self.space(**arguments)
            now = CONSTRUCTORS[self.now]
            defaults = {n: v for n, v in now.parameters.items() if v is not REQUIRED}
            made = now.make(domain, metric, {**defaults, **self.given(**arguments)})
            for name, more in self.then(**arguments).items() if self.then else ():
                domain, metric = made.output_space
                made = made >> CONSTRUCTORS[name].make(domain, metric, more)
            return make_function(CONSTRUCTORS[self.converted])(made) if self.converted else made

        make.__name__ = make.__qualname__ = place
        make.__signature__ = signature  # type: ignore[attr-defined]
        record = REGISTRY.get(CONSTRUCTORS[self.now].record)
        make.__doc__ = record.proof if record is not None else CONSTRUCTORS[self.now].doc
        return make


def atom(T: Any = None, bounds: Any = None) -> AtomDomain:
    """The atoms of a type, within bounds."""
    limits = None if bounds is None else checked_bounds(bounds, "bounds")
    name = type_of(limits) if T is None else type_name(T)
    return AtomDomain(name, limits)


def rows(T: Any = None, bounds: Any = None, size: int | None = None) -> Space:
    """Lists under the symmetric distance."""
    return VectorDomain(atom(T, bounds), size), metrics.SymmetricDistance()


def missing(T: Any) -> Space:
    """Lists of values or None."""
    return VectorDomain(OptionDomain(atom(T))), metrics.SymmetricDistance()


def described(D: Any) -> Space:
    """The space of a domain or of its name: "AllDomain<f64>", "VectorDomain<AllDomain<i32>>"."""
    if isinstance(D, VectorDomain):
        return D, metrics.L1Distance(type_name(D.element_domain.carrier_type))
    if isinstance(D, AtomDomain):
        return D, metrics.AbsoluteDistance(D.T)
    text = D if isinstance(D, str) else repr(D)
    inner = text.replace("VectorDomain<", "").replace("AllDomain<", "").rstrip(">").strip()
    element = atom(inner)
    if text.startswith("VectorDomain"):
        return VectorDomain(element), metrics.L1Distance(element.T)
    return element, metrics.AbsoluteDistance(element.T)


def euclidean(D: Any) -> Space:
    """As `described`, vectors under the Euclidean distance."""
    domain, metric = described(D)
    if isinstance(domain, VectorDomain):
        return domain, metrics.L2Distance(type_name(domain.element_domain.carrier_type))
    return domain, metric


def nothing(**_: Any) -> Mapping[str, Any]:
    """No argument of today's constructor."""
    return {}


def keyed(TIK: Any, TIC: Any) -> Space:
    """Dictionaries of numbers, under the three distances of today."""
    value = AtomDomain(type_name(TIC))
    return MapDomain(atom(TIK), value), metrics.L01InfDistance(metrics.AbsoluteDistance(value.T))


def without_nan(TOA: Any, **_: Any) -> Mapping[str, Mapping[str, Any]]:
    """Floats of 2021 were no texts that read NaN: those become 0, as other texts do."""
    return {"impute_constant": {"constant": 0.0}} if type_of_float(TOA) else {}


def type_of_float(TOA: Any) -> bool:
    """Whether a type name stands for floats."""
    return kind(type_name(TOA)) == "float"


def whole(D: Any) -> Space:
    """As `described`, of integers."""
    return described(D)


def make_cast_metric(MI: Any, MO: Any, TA: Any) -> Any:
    """The identity between the metrics of tables.

    Args:
        MI, MO: "SubstituteDistance" and "SymmetricDistance": a row that is replaced is removed, and
            another one added.
        TA: type of the rows.

    Raises:
        ParameterError: other metrics; from the symmetric distance to substitutions a public size is
            needed, which 2021's constructor does not take.
    """
    names = [getattr(M, "__name__", getattr(M, "type", M)) for M in (MI, MO)]
    replaced = {"SubstituteDistance", "ChangeOneDistance"}
    if names[0] in replaced and names[1] == "SymmetricDistance":
        domain = VectorDomain(atom(TA))
        return CONSTRUCTORS["metric_unbounded"].make(domain, metrics.ChangeOneDistance(), {})
    raise ParameterError(
        f"no constant leads from {names[0]} to {names[1]} on tables of any size",
        place="make_cast_metric",
        remedy='make_cast_metric("SubstituteDistance", "SymmetricDistance", TA), or '
        "make_metric_bounded on vector_domain(..., size=n)",
    )


TRANSFORMATIONS = [
    Old("identity", "identity", {"TA": float}, lambda TA: rows(TA), nothing),
    Old(
        "clamp",
        "clamp",
        {"bounds": REQUIRED, "TA": None},
        lambda bounds, TA: rows(type_of(bounds) if TA is None else TA),
        lambda bounds, TA: {"bounds": bounds},
    ),
    Old(
        "resize",
        "resize",
        {"size": REQUIRED, "constant": REQUIRED, "TA": None},
        lambda size, constant, TA: rows(type_of(constant) if TA is None else TA),
        lambda size, constant, TA: {"size": size, "constant": constant},
    ),
    Old(
        "bounded_resize",
        "resize",
        {"size": REQUIRED, "bounds": REQUIRED, "constant": REQUIRED, "TA": None},
        lambda size, bounds, constant, TA: rows(TA, bounds),
        lambda size, bounds, constant, TA: {"size": size, "constant": constant},
    ),
    Old(
        "bounded_sum",
        "sum",
        {"bounds": REQUIRED, "T": None},
        lambda bounds, T: rows(T, bounds),
        nothing,
    ),
    Old(
        "sized_bounded_sum",
        "sum",
        {"size": REQUIRED, "bounds": REQUIRED, "T": None},
        lambda size, bounds, T: rows(T, bounds, size),
        nothing,
    ),
    Old(
        "sized_bounded_mean",
        "mean",
        {"size": REQUIRED, "bounds": REQUIRED, "T": None},
        lambda size, bounds, T: rows(T, bounds, size),
        nothing,
    ),
    Old(
        "sized_bounded_variance",
        "variance",
        {"size": REQUIRED, "bounds": REQUIRED, "ddof": 1, "T": None},
        lambda size, bounds, ddof, T: rows(T, bounds, size),
        lambda size, bounds, ddof, T: {"ddof": ddof},
    ),
    Old("count", "count", {"TIA": REQUIRED, "TO": "i32"}, lambda TIA, TO: rows(TIA),
        lambda TIA, TO: {"TO": TO}),
    Old(
        "count_distinct",
        "count_distinct",
        {"TIA": REQUIRED, "TO": "i32"},
        lambda TIA, TO: rows(TIA),
        lambda TIA, TO: {"TO": TO},
    ),
    Old(
        "count_by_categories",
        "count_by_categories",
        {"categories": REQUIRED, "MO": "L1Distance<i32>", "TIA": None, "TOA": "i32"},
        lambda categories, MO, TIA, TOA: rows(type_of(categories) if TIA is None else TIA),
        lambda categories, MO, TIA, TOA: {"categories": categories, "MO": MO, "TOA": TOA},
    ),
    Old(
        "impute_constant",
        "impute_constant",
        {"constant": REQUIRED, "DA": None},
        lambda constant, DA: missing(type_of(constant)),
        lambda constant, DA: {"constant": constant},
    ),
    Old("cast", "cast", {"TIA": REQUIRED, "TOA": REQUIRED}, lambda TIA, TOA: rows(TIA),
        lambda TIA, TOA: {"TOA": TOA}),
    Old("cast_default", "cast_default", {"TIA": REQUIRED, "TOA": REQUIRED},
        lambda TIA, TOA: rows(TIA), lambda TIA, TOA: {"TOA": TOA}, without_nan),
    Old("cast_inherent", "cast_inherent", {"TIA": REQUIRED, "TOA": REQUIRED},
        lambda TIA, TOA: rows(TIA), lambda TIA, TOA: {"TOA": TOA}),
    Old("unclamp", "identity", {"bounds": REQUIRED, "TA": None},
        lambda bounds, TA: rows(TA, bounds), nothing),
    Old("impute_uniform_float", "impute_uniform_float", {"bounds": REQUIRED, "TA": None},
        lambda bounds, TA: (VectorDomain(AtomDomain("f64", None, True)),
                            metrics.SymmetricDistance()),
        lambda bounds, TA: {"bounds": bounds}),
    Old("count_by", "count_by", {"size": REQUIRED, "MO": REQUIRED, "TIA": REQUIRED, "TOA": "i32"},
        lambda size, MO, TIA, TOA: rows(TIA, None, size), lambda size, MO, TIA, TOA: {"TV": TOA}),
    Old("is_equal", "is_equal", {"value": REQUIRED, "TIA": None},
        lambda value, TIA: rows(type_of(value) if TIA is None else TIA),
        lambda value, TIA: {"value": value}),
    Old("is_null", "is_null", {"DIA": REQUIRED}, lambda DIA: missing(DIA), nothing),
    Old("find", "find", {"categories": REQUIRED, "TIA": None},
        lambda categories, TIA: rows(type_of(categories) if TIA is None else TIA),
        lambda categories, TIA: {"categories": categories}),
    Old("find_bin", "find_bin", {"edges": REQUIRED, "TIA": None},
        lambda edges, TIA: rows(type_of(edges) if TIA is None else TIA),
        lambda edges, TIA: {"edges": edges}),
    Old("index", "index", {"categories": REQUIRED, "null": REQUIRED, "TOA": None},
        lambda categories, null, TOA: rows("usize"),
        lambda categories, null, TOA: {"categories": categories, "null": null, "TOA": TOA}),
]  # fmt: skip
MEASUREMENTS = [
    Old("base_laplace", "laplace", {"scale": REQUIRED, "D": "AllDomain<f64>"},
        lambda scale, D: described(D), lambda scale, D: {"scale": scale}),
    Old("base_gaussian", "gaussian", {"scale": REQUIRED, "D": "AllDomain<f64>"},
        lambda scale, D: euclidean(D), lambda scale, D: {"scale": scale},
        converted="zCDP_to_approxDP"),
    Old("base_stability", "laplace_threshold",
        {"size": REQUIRED, "scale": REQUIRED, "threshold": REQUIRED, "MI": REQUIRED,
         "TIK": REQUIRED, "TIC": "i32"},
        lambda size, scale, threshold, MI, TIK, TIC: keyed(TIK, TIC),
        lambda size, scale, threshold, MI, TIK, TIC: {"scale": scale, "threshold": threshold}),
    Old("base_geometric", "geometric",
        {"scale": REQUIRED, "bounds": None, "D": "AllDomain<i32>"},
        lambda scale, bounds, D: whole(D),
        lambda scale, bounds, D: {"scale": scale, "bounds": bounds}),
]  # fmt: skip


def functions(table: list[Old]) -> dict[str, Callable[..., Any]]:
    """`make_` functions of those whose constructor of today exists."""
    return {f"make_{old.name}": old.function() for old in table if old.now in CONSTRUCTORS}
