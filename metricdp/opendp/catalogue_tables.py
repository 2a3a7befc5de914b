"""Constructors of 2021 for texts and dataframes, each by one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any

from metricdp.maps import apply
from metricdp.opendp.constructor import Constructor
from metricdp.opendp.domains import AtomDomain, DataFrameDomain, Domain, VectorDomain
from metricdp.opendp.metrics import Metric, SymmetricDistance
from metricdp.opendp.objects import Transformation
from metricdp.opendp.placing import placed
from metricdp.opendp.types import type_name
from metricdp.primitives import load
from metricdp.record import REGISTRY

load()
REQUIRED = Parameter.empty


_TEXT: Domain = AtomDomain("String")
_TEXTS = VectorDomain(_TEXT)
_CELLS = VectorDomain(_TEXTS)
_FRAME = DataFrameDomain()
_SYMMETRIC = SymmetricDistance()

#: (record, arguments of the constructor -> public arguments of the record).
Link = tuple[str, Callable[..., Mapping[str, Any]]]


def tables(
    name: str,
    source: Domain,
    target: Callable[..., Domain],
    parameters: Mapping[str, Any],
    *links: Link,
    spaces: bool = False,
) -> Constructor:
    """One constructor: a chain of records between two domains that its name fixes."""

    def build(
        input_domain: Domain = source, input_metric: Metric = _SYMMETRIC, **given: Any
    ) -> Transformation:
        here, core = placed(input_domain, input_metric).space, None
        for record, public in links:
            link = apply(REGISTRY[record], here, public(**given))
            core, here = link if core is None else core >> link, link.output_space
        assert core is not None
        made = ((name, dict(given)),)
        return Transformation(input_domain, input_metric, target(**given), input_metric, core, made)

    doc = "\n\n".join(REGISTRY[record].proof for record, _ in links)
    return Constructor(
        name, links[-1][0], parameters, build=build, spaces=spaces, doc=doc, group="t"
    )


def _column(T: Any) -> Domain:
    return VectorDomain(AtomDomain(type_name(T)))


_COLUMNS = {"col_names": REQUIRED, "K": None}
_SEPARATOR = {"separator": REQUIRED}
tables("split_lines", _TEXT, lambda: _TEXTS, {}, ("split_lines", dict))
tables("split_records", _TEXTS, lambda separator: _CELLS, _SEPARATOR, ("split_records", dict))
tables(
    "create_dataframe",
    _CELLS,
    lambda **given: _FRAME,
    _COLUMNS,
    ("create_dataframe", lambda col_names, K: {"columns": list(col_names)}),
)
tables(
    "split_dataframe",
    _TEXT,
    lambda **given: _FRAME,
    {**_SEPARATOR, **_COLUMNS},
    ("split_lines", lambda **given: {}),
    ("split_records", lambda separator, **given: {"separator": separator}),
    ("create_dataframe", lambda col_names, **given: {"columns": list(col_names)}),
)
tables(
    "select_column",
    _FRAME,
    lambda key, TOA, K: _column(TOA),
    {"key": REQUIRED, "TOA": REQUIRED, "K": None},
    ("select_column", lambda key, TOA, K: {"name": key, "to": type_name(TOA)}),
)
tables(
    "df_cast_default",
    _FRAME,
    lambda **given: _FRAME,
    {"column_name": REQUIRED, "TIA": REQUIRED, "TOA": REQUIRED},
    ("df_cast_default", lambda column_name, TIA, TOA: {"name": column_name, "to": type_name(TOA)}),
    spaces=True,
)
tables(
    "df_is_equal",
    _FRAME,
    lambda **given: _FRAME,
    {"column_name": REQUIRED, "value": REQUIRED, "TIA": None},
    ("df_is_equal", lambda column_name, value, TIA: {"name": column_name, "value": value}),
    spaces=True,
)
tables(
    "subset_by",
    _FRAME,
    lambda **given: _FRAME,
    {"indicator_column": REQUIRED, "keep_columns": REQUIRED, "TK": None},
    (
        "subset_by",
        lambda indicator_column, keep_columns, TK: {
            "indicator": indicator_column,
            "keep": list(keep_columns),
        },
    ),
)
