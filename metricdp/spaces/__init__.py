"""Spaces: a domain and a metric, from the annotation to a concrete neighbour.

One struct per space serves as annotation (`Matrix[Data, LInf]`), as abstract space with symbolic
sizes and bounds, and, with numbers in it, as source of samples, neighbours and distances.

Names are loaded when they are first asked for: an accountant needs the metrics of tables alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.lazy import lazily

if TYPE_CHECKING:
    from metricdp.spaces.aligned import Aligned
    from metricdp.spaces.annotation import (
        MetricGradient,
        MetricMatrix,
        MetricVector,
        space_from_ast,
        space_of,
    )
    from metricdp.spaces.base import NEG_INF, Space
    from metricdp.spaces.diameters import diameter, implied_radius
    from metricdp.spaces.ids import Ids, Owned
    from metricdp.spaces.keyed import Keyed
    from metricdp.spaces.markers import Bool, Data, Int, Real, element_name
    from metricdp.spaces.matrices import Matrix
    from metricdp.spaces.metrics import ChangeOne, Hamming, InsertDelete, Symmetric
    from metricdp.spaces.missing import Maybe
    from metricdp.spaces.moments import Moment
    from metricdp.spaces.norms import L1, L2, LInf, conversion, norm_name
    from metricdp.spaces.opaque import Public
    from metricdp.spaces.products import TupleSpace
    from metricdp.spaces.records import Records
    from metricdp.spaces.refinements import Bounds, NoNaN, NonNegative, RowBound, Size
    from metricdp.spaces.rows import Row
    from metricdp.spaces.scalars import Scalar
    from metricdp.spaces.vectors import Gradient, Vector
    from metricdp.spaces.zones import Zone

_HOMES = {
    "aligned": "Aligned",
    "annotation": "MetricGradient MetricMatrix MetricVector space_from_ast space_of",
    "base": "NEG_INF Space",
    "diameters": "diameter implied_radius",
    "ids": "Ids Owned",
    "keyed": "Keyed",
    "markers": "Bool Data Int Real element_name",
    "matrices": "Matrix",
    "metrics": "ChangeOne Hamming InsertDelete Symmetric",
    "missing": "Maybe",
    "moments": "Moment",
    "norms": "L1 L2 LInf conversion norm_name",
    "opaque": "Public",
    "products": "TupleSpace",
    "records": "Records",
    "refinements": "Bounds NoNaN NonNegative RowBound Size",
    "rows": "Row",
    "scalars": "Scalar",
    "vectors": "Gradient Vector",
    "zones": "Zone",
}
__getattr__, __dir__ = lazily(__name__, _HOMES)

__all__ = [
    "L1",
    "L2",
    "NEG_INF",
    "Aligned",
    "Bool",
    "Bounds",
    "ChangeOne",
    "Data",
    "Gradient",
    "Hamming",
    "Ids",
    "InsertDelete",
    "Int",
    "Keyed",
    "LInf",
    "Matrix",
    "Maybe",
    "MetricGradient",
    "MetricMatrix",
    "MetricVector",
    "Moment",
    "NoNaN",
    "NonNegative",
    "Owned",
    "Public",
    "Real",
    "Records",
    "Row",
    "RowBound",
    "Scalar",
    "Size",
    "Space",
    "Symmetric",
    "TupleSpace",
    "Vector",
    "Zone",
    "conversion",
    "diameter",
    "element_name",
    "implied_radius",
    "norm_name",
    "space_from_ast",
    "space_of",
]
