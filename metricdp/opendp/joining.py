"""Whether a map may follow another, and the constructor that would join two that do not fit."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.opendp import metrics
from metricdp.opendp.domains import AtomDomain, Domain, OptionDomain, VectorDomain
from metricdp.opendp.metrics import Metric
from metricdp.opendp.types import kind
from metricdp.spaces.joining import fits

Space = tuple[Domain, Metric]


def joins(first: Any, second: Any) -> bool:
    """Whether `first` may be followed by `second`."""
    return _equal(first.output_space, second.input_space) or _within(first, second)


def _equal(result: Space, argument: Space) -> bool:
    """Equal, up to NaN that the argument admits and the result never is."""
    if result == argument:
        return True
    atoms = getattr(result[0], "element_domain", None)
    if not isinstance(atoms, AtomDomain) or kind(atoms.T) != "float":
        return False
    admitting = msgspec.structs.replace(
        result[0], element_domain=msgspec.structs.replace(atoms, nan=True)
    )
    return (admitting, result[1]) == argument


def _within(first: Any, second: Any) -> bool:
    """Whether results lie in the other domain under the same metric: bounds and sizes are extra.

    The maps of the library compose, so their spaces decide; a sized table and one without a size
    never fit under the symmetric distance, which counts pairs of changes on the former.
    """
    same = type(first.output_domain) is type(second.input_domain)
    if not same or first.output_metric != second.input_metric:
        return False
    return fits(first.core.output_space, second.core.input_space)


def conversion(first: Any, second: Any) -> str:
    """What to insert between two maps that do not join."""
    result, argument = first.output_domain, second.input_domain
    have, want = first.output_metric, second.input_metric
    if result == argument or have != want:
        joiner = _METRICS.get((type(have), type(want)))
        if joiner:
            return f"insert then_{joiner}()"
        return f"build {second.core.name} with {have!r}"
    words = _domains(result, argument)
    return words or f"build {second.core.name} on ({result!r}, {have!r}), or write then_..."


_METRICS = {
    (metrics.SymmetricDistance, metrics.InsertDeleteDistance): "ordered_random",
    (metrics.ChangeOneDistance, metrics.HammingDistance): "ordered_random",
    (metrics.InsertDeleteDistance, metrics.SymmetricDistance): "unordered",
    (metrics.HammingDistance, metrics.ChangeOneDistance): "unordered",
    (metrics.SymmetricDistance, metrics.ChangeOneDistance): "metric_bounded",
    (metrics.InsertDeleteDistance, metrics.HammingDistance): "metric_bounded",
    (metrics.ChangeOneDistance, metrics.SymmetricDistance): "metric_unbounded",
    (metrics.HammingDistance, metrics.InsertDeleteDistance): "metric_unbounded",
}


def _domains(result: Domain, argument: Domain) -> str:
    if not isinstance(result, VectorDomain) or not isinstance(argument, VectorDomain):
        return ""
    have, want = result.element_domain, argument.element_domain
    if isinstance(have, OptionDomain) and isinstance(want, AtomDomain):
        return "insert then_impute_constant(...) or then_drop_null()"
    if not isinstance(have, AtomDomain) or not isinstance(want, AtomDomain):
        return ""
    if kind(have.T) != kind(want.T):
        return f"insert then_cast_default({want.T!r})"
    if have.nan and not want.nan:
        return "insert then_impute_constant(0.0) or then_drop_null()"
    parts = []
    if want.bounds is not None and have.bounds != want.bounds:
        parts.append(f"then_clamp({want.bounds})")
    if argument.size is not None and result.size != argument.size:
        parts.append(f"then_resize({argument.size}, constant)")
    return f"insert {' and '.join(parts)}" if parts else ""
