"""check: source text in, guarantee or diagnostics out; no user code is imported or run.

`check_paths` checks files, `check_source` one text.  Inside, from the ground up: `values`,
`source`, `domain`, `loops`, `language`, `verdicts`; each reads only those named before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metricdp.check.verdicts.api import check_paths as check_paths
    from metricdp.check.verdicts.api import check_source as check_source

__all__ = ["check_paths", "check_source"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from metricdp.check.verdicts import api

        return getattr(api, name)
    raise AttributeError(name)
