"""metricdp: differential privacy that is checked before it runs.

Ordinary Python in which every value carries a metric.  Public names load on first use, so that
`import metricdp` stays light.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    from metricdp import _public

    return _public.load(name)


def __dir__() -> list[str]:
    from metricdp import _public

    return sorted([*globals(), *_public.names()])
