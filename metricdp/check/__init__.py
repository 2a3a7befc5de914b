"""check: source text in, guarantee or diagnostics out; no user code is imported or run.

`check_paths` checks files, `check_source` one text.  Inside: `program` finds modules and what
their names mean, `interpreter` follows Python's semantics over a `protocol`, `privacy` is the
domain behind that protocol, `guarantee` reads the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metricdp.check.api import check_paths as check_paths
    from metricdp.check.api import check_source as check_source

__all__ = ["check_paths", "check_source"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from metricdp.check import api

        return getattr(api, name)
    raise AttributeError(name)
