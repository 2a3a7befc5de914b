"""Names of constructors as attributes of modules: `make_clamp`, `then_clamp`, made on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.errors import NotYetError
from metricdp.opendp.constructor import CONSTRUCTORS, make_function, then_function

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
