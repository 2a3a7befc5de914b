"""Names as attributes of modules: constructors, made on demand; types, classes and functions.

What OpenDP has and this library does not is told by name, with what to use instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_origin

from metricdp.errors import MetricdpError, NotYetError, ParameterError
from metricdp.maps.profiles import PrivacyProfile
from metricdp.opendp import domains, metrics
from metricdp.opendp.constructor import CONSTRUCTORS, Chain, Partial, make_function, then_function
from metricdp.opendp.domains import Domain
from metricdp.opendp.interactive import Odometer, OdometerQueryable, Queryable
from metricdp.opendp.interchange import deserialize
from metricdp.opendp.metrics import Metric
from metricdp.opendp.types import kind, set_default, type_name, type_of
from metricdp.opendp.writing import serialize

_MADE: dict[str, Any] = {}


def found(name: str, group: str = "") -> Any:
    """The function of a name, or None."""
    for prefix, function in (("make_", make_function), ("then_", then_function)):
        constructor = CONSTRUCTORS.get(name.removeprefix(prefix))
        if not name.startswith(prefix) or constructor is None:
            continue
        if prefix == "then_" and not constructor.spaces:
            continue
        if group and constructor.group != group:
            continue
        if name not in _MADE:
            _MADE[name] = function(constructor)
        return _MADE[name]
    return None


def listed(group: str = "") -> list[str]:
    """Every name of a group of constructors, or of all."""
    names = sorted(n for n, c in CONSTRUCTORS.items() if group in ("", c.group))
    partial = [name for name in names if CONSTRUCTORS[name].spaces]
    return [f"make_{name}" for name in names] + [f"then_{name}" for name in partial]


def getter(module: str, group: str = "") -> Callable[[str], Any]:
    """`__getattr__` of a module of constructors; what is not there says `notyet` by name."""

    def get(name: str) -> Any:
        function = found(name, group)
        if function is not None:
            return function
        bare = name.removeprefix("make_").removeprefix("then_")
        if bare in NOT_YET:
            told = NOT_YET[bare]
            missing, instead = ("it is not there", told) if isinstance(told, str) else told
            raise NotYetError(f"notyet: {name}: {missing}", place=module, remedy=instead)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get


_POLARS = "there is no Polars front end", "dp.Session for tables, or a chain on lists and arrays"
_CONTEXT = "there is no Context", "metricdp.sessions.Session: data, a unit and a budget"
_RUNTIME = (
    "there is no foreign runtime with types of its own",
    'float, int, bool, str, or a name such as "f64"',
)
_IDS = (
    "rows are not grouped by an identifier here",
    "bound the rows of a person yourself, and let d_in be that bound",
)
_QUERYABLES = "queryables are made by compositions only", "dp.c.make_adaptive_composition"

#: Name (of a constructor: without "make_") -> (what is missing, what to use), or the latter alone.
NOT_YET: dict[str, tuple[str, str] | str] = {
    **dict.fromkeys(
        "stable_expr stable_lazyframe private_expr private_lazyframe DataFrame Expr LazyFrame "
        "LazyFrameDomain Series SeriesDomain lazyframe_domain series_domain wild_expr_domain "
        "with_margin enum_domain categorical_domain datetime_domain array_domain len "
        "frame_distance FrameDistance summarize_polars_measurement polars ibis".split(),
        _POLARS,
    ),
    **dict.fromkeys("Context Query unit_of loss_of register".split(), _CONTEXT),
    **dict.fromkeys(
        "symmetric_id_distance SymmetricIdDistance change_one_id_distance "
        "ChangeOneIdDistance".split(),
        _IDS,
    ),
    **dict.fromkeys(
        "ATOM_EQUIVALENCE_CLASSES AnyMeasurementPtr AnyTransformationPtr Carrier GLOBAL_FEATURES "
        "Function RuntimeType RuntimeTypeDescriptor SensitivityMetric get_atom get_atom_or_infer "
        "get_carrier_type get_distance_type get_first get_first_non_null get_type get_value_type "
        "import_optional_dependency parse_or_infer pass_through as_array HashMap BitVector".split(),
        _RUNTIME,
    ),
    "new_queryable": _QUERYABLES,
    "alp_queryable": "sparse histograms with unknown keys are released by laplace_threshold",
    "proof_link": ("proof notes are docstrings here", "help(dp.t.make_clamp)"),
    "sklearn": ("there are no extras for scikit-learn", "metricdp.algorithms"),
    "mbi": ("there are no extras for graphical models", "metricdp.algorithms"),
    "numpy": (
        "there are no domains of arrays",
        "vector_domain takes arrays as they are; matrices: metricdp.maps",
    ),
    "examples": ("there are no examples with data", "the directory examples/"),
}  # fmt: skip


ATOMS = ("f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize",
         "u8", "u16", "u32", "u64", "u128", "usize", "String")  # fmt: skip


class Vec:
    """`Vec[float]`: the name of lists of a type."""

    def __class_getitem__(cls, T: Any) -> str:
        return f"Vec<{type_name(T)}>"


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
    "ExtrinsicDomain": domains.UserDomain,
    "Odometer": Odometer,
    "OdometerQueryable": OdometerQueryable,
    "Queryable": Queryable,
    "PrivacyProfile": PrivacyProfile,
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
    **{f.__name__: f for f in (domain_of, metric_of, space_of, serialize, deserialize)},
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
    return _CLASSES.get(name, _FUNCTIONS.get(name))


def words() -> list[str]:
    """Every such name."""
    return [*ATOMS, *_CLASSES, *_FUNCTIONS]
