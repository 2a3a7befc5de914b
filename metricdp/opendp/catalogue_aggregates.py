"""Constructors of sums, counts, means, variances, scores and trees, each by one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from inspect import Parameter
from itertools import pairwise
from typing import Any

import msgspec

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import ONE, D, Expr, compose, floor, maximum, minimum, num
from metricdp.maps import DistanceMap, apply
from metricdp.maps import Transformation as CoreTransformation
from metricdp.maps.functions import Leave
from metricdp.maps.steps import Vouched
from metricdp.opendp import metrics
from metricdp.opendp.constructor import CONSTRUCTORS, Constructor
from metricdp.opendp.domains import AtomDomain, Domain, VectorDomain, checked_bounds
from metricdp.opendp.metrics import Metric
from metricdp.opendp.objects import Transformation
from metricdp.opendp.placing import placed, unplaced
from metricdp.opendp.types import kind, type_name, type_of
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.spaces import Keyed, Space

load()
REQUIRED = Parameter.empty
#: Arguments of the constructor -> public arguments of the record.
Public = Callable[..., Mapping[str, Any]]
EVEN = (ONE, ONE, ONE)


def _nothing(**_: Any) -> dict[str, Any]:
    return {}


def aggregate(
    name: str,
    record: str,
    parameters: Mapping[str, Any] | None = None,
    public: Public = _nothing,
    result: str = "",
    *,
    norm: Callable[..., str] | None = None,
    sized: bool = False,
    fixed: str = "",
) -> Constructor:
    """One aggregate of a table.

    Args:
        result: the parameter with the type of the numbers; `fixed`: that type itself.
        sized: whether OpenDP's constructor needs a public number of rows.
        norm: norm of the result from the arguments.
    """

    def build(input_domain: Domain, input_metric: Metric, **given: Any) -> Transformation:
        if sized and getattr(input_domain, "size", None) is None:
            raise SpaceError(
                f"make_{name} needs a public number of rows, and {input_domain!r} has none",
                place=f"make_{name}",
                remedy="then_resize(size, constant), or vector_domain(..., size=n)",
            )
        chosen = "" if norm is None else norm(**given)
        core = _of_multiset(
            input_domain,
            input_metric,
            lambda space: apply(REGISTRY[record], space, public(**given), norm=chosen),
        )
        T = fixed or (type_name(given[result]) if result else None)
        if T is not None and kind(T) == "float":
            core = _as_floats(core)
        like = (input_domain, input_metric)
        domain, metric = unplaced(core.output_space, like, T)
        return Transformation(*like, domain, _typed(metric, given.get("MO")), evened(core))

    return Constructor(name, record, parameters, build=build, doc=REGISTRY[record].proof)


def _of_multiset(domain: Domain, metric: Metric, made: Callable[[Space], Any]) -> Any:
    """A map that does not see the order of rows: tables of one public size, under insertions and
    deletions, are then tables under replacement at half the distance."""
    here = placed(domain, metric)
    size = getattr(domain, "size", None)
    if not isinstance(metric, metrics.InsertDeleteDistance) or size is None:
        return made(here.space)
    core = made(placed(domain, metrics.SymmetricDistance()).space)
    return rescaled(core, source=here.space, before=minimum(floor(D / 2), num(size)))


def evened(core: CoreTransformation) -> CoreTransformation:
    """The map into the triple (t, t, t): the largest of the three proportions counts."""
    space = core.output_space
    if not isinstance(space, Keyed) or space.per == EVEN or core.stability.expr is None:
        return core
    even = msgspec.structs.replace(space, per=EVEN)
    return rescaled(core, target=even, after=maximum(*space.per) * D)


def rescaled(
    core: CoreTransformation,
    source: Space | None = None,
    target: Space | None = None,
    before: Expr = D,
    after: Expr = D,
    leave: Callable[[Any], Any] | None = None,
) -> CoreTransformation:
    """One step between other names of its spaces, with its distances converted on either side."""
    (step,) = core.steps
    source, target = source or core.input_space, target or core.output_space
    inner = core.stability.expr
    assert inner is not None
    stability = DistanceMap(compose(after, compose(inner, before)))
    step = msgspec.structs.replace(
        step, input_space=source, output_space=target, stability=stability
    )
    return CoreTransformation(
        source, target, core.function, stability, core.name,
        steps=Vouched((step,)), enter=core.enter, leave=leave or core.leave,
    )  # fmt: skip


def _as_floats(core: Any) -> Any:
    """Whole numbers as floats: the same numbers at the same distances."""
    space = core.output_space
    if isinstance(space, Keyed):
        value = msgspec.structs.replace(space.value, element="Real")
        held = msgspec.structs.replace(space, value=value)
        return rescaled(core, target=held, leave=Leave(held))
    if getattr(space, "element", "") != "Int":
        return core
    real = msgspec.structs.replace(space, element="Real")
    return rescaled(core, target=real, leave=Leave(real))


def _typed(metric: Metric, MO: Any) -> Metric:
    """The metric with the type of distances that "L2Distance<f64>" names."""
    text = MO if isinstance(MO, str) else ""
    inner = text.partition("<")[2].rstrip(">") or getattr(MO, "T", "")
    if not inner:
        return metric
    found: Metric = msgspec.structs.replace(metric, T=type_name(inner))
    return found


def _norm(categories: Any, null_category: Any, MO: Any, TOA: Any) -> str:
    text = MO if isinstance(MO, str) else getattr(MO, "type", getattr(MO, "__name__", str(MO)))
    for prefix, norm in (("L1", "L1"), ("L2", "L2"), ("LInf", "LInf")):
        if str(text).startswith(f"{prefix}Distance"):
            return norm
    raise ParameterError(
        f"{text} is no metric of counts",
        place="make_count_by_categories",
        remedy='MO="L1Distance<i32>" or "L2Distance<f64>"',
    )


def _categories(categories: Any, null_category: Any, MO: Any, TOA: Any) -> dict[str, Any]:
    found = tuple(categories)
    if len(set(found)) < len(found):
        raise ParameterError(
            "a category is named twice",
            place="make_count_by_categories",
            remedy="name every category once",
        )
    return {"categories": found, "null_category": bool(null_category)}


def _share(alpha: Any, size: int | None) -> tuple[Fraction, int]:
    """Alpha as numerator over denominator, in the units in which OpenDP counts scores."""
    exact = Fraction(alpha)
    if not 0 <= exact <= 1:
        raise ParameterError(
            f"alpha is {alpha}", place="make_quantile_score_candidates", remedy="0 <= alpha <= 1"
        )
    most = 10_000 if size is None else (2**64 - 1) // max(size, 1)
    if exact.denominator <= most:
        return exact, exact.denominator
    return Fraction(int(exact * 10_000), 10_000), 10_000


def _scores(
    input_domain: Domain, input_metric: Metric, candidates: Any, alpha: Any
) -> Transformation:
    share, unit = _share(alpha, getattr(input_domain, "size", None))
    points = tuple(candidates)
    if any(b <= a for a, b in pairwise(points)):
        raise ParameterError(
            "the candidates do not increase",
            place="make_quantile_score_candidates",
            remedy="sort the candidates and name each once",
        )
    public = {"candidates": points, "alpha": share, "scale": unit}
    core = _of_multiset(
        input_domain,
        input_metric,
        lambda space: apply(REGISTRY["quantile_scores"], space, public, norm="LInf"),
    )
    like = (input_domain, input_metric)
    domain, metric = unplaced(core.output_space, like, "u64")
    return Transformation(*like, domain, metric, core)


def _tree(
    input_domain: Domain, input_metric: Metric, leaf_count: Any, branching_factor: Any
) -> Transformation:
    public = {"branching": branching_factor, "leaves": leaf_count}
    like = (input_domain, input_metric)
    core = apply(REGISTRY["b_ary_tree"], placed(*like).space, public)
    domain, _ = unplaced(core.output_space, like)
    return Transformation(*like, domain, input_metric, core)


aggregate("sum", "sum")
aggregate("mean", "mean", sized=True)
aggregate("count", "count", {"TO": "i32"}, _nothing, "TO")
aggregate("count_distinct", "count_distinct", {"TO": "i32"}, _nothing, "TO")
aggregate("count_by", "count_by", {"TV": "i32"}, _nothing, "TV")
aggregate(
    "count_by_categories",
    "histogram",
    {"categories": REQUIRED, "null_category": True, "MO": "L1Distance<i32>", "TOA": "i32"},
    _categories,
    "TOA",
    norm=_norm,
)
aggregate(
    "variance",
    "variance",
    {"ddof": 1, "S": None},
    lambda ddof, S: {"ddof": ddof},
    sized=True,
)
aggregate(
    "sum_of_squared_deviations", "sum_of_squared_deviations", {"S": None}, _nothing, sized=True
)
Constructor(
    "quantile_score_candidates",
    "quantile_scores",
    {"candidates": REQUIRED, "alpha": REQUIRED},
    build=_scores,
    doc=REGISTRY["quantile_scores"].proof,
)
Constructor(
    "b_ary_tree",
    "b_ary_tree",
    {"leaf_count": REQUIRED, "branching_factor": REQUIRED},
    build=_tree,
    doc=REGISTRY["b_ary_tree"].proof,
)


def _sum_of(name: str, metric: Metric, first: str) -> None:
    """OpenDP's names of summation algorithms: here all of them are the one exact sum.

    Args:
        first: "size" (public), "size_limit" (not needed by an exact sum) or "".
    """

    def build(bounds: Any, T: Any = None, S: Any = None, **given: Any) -> Transformation:
        limits = checked_bounds(bounds, f"make_{name}")
        named = T if T is not None else None if S is None else str(S).partition("<")[2].strip(">")
        atoms = type_of(limits) if named in (None, "", "T") else type_name(named)
        rows = VectorDomain(AtomDomain(atoms, limits), given.get("size"))
        found: Transformation = CONSTRUCTORS["sum"].make(rows, metric, {})
        return found

    kinds = {"T": None} if "_int_" in name else {"S": "Pairwise<T>"}
    leading = {first: REQUIRED} if first else {}
    Constructor(
        name, "sum", {**leading, "bounds": REQUIRED, **kinds}, build=build, spaces=False,
        doc=REGISTRY["sum"].proof,
    )  # fmt: skip


for _prefix, _size in (("sized_bounded", "size"), ("bounded", "")):
    for _way in ("monotonic", "split", "ordered"):
        _ordered = _way == "ordered"
        _metric = metrics.InsertDeleteDistance() if _ordered else metrics.SymmetricDistance()
        _sum_of(f"{_prefix}_int_{_way}_sum", _metric, _size)
    for _way in ("checked", "ordered"):
        _ordered = _way == "ordered"
        _metric = metrics.InsertDeleteDistance() if _ordered else metrics.SymmetricDistance()
        _sum_of(f"{_prefix}_float_{_way}_sum", _metric, _size or "size_limit")
_sum_of("sized_bounded_int_checked_sum", metrics.SymmetricDistance(), "size")
