"""What the builtins for gradients read of their arguments."""

from __future__ import annotations

from typing import Any


def entries(x: Any) -> Any:
    """A number as it is; of a nested or flat array the entries in order, row by row."""
    items = x.tolist() if hasattr(x, "tolist") else x
    if not isinstance(items, (list, tuple)):
        return items
    if not any(isinstance(v, (list, tuple)) for v in items):
        return x if isinstance(x, list) else list(items)
    return [v for item in items for v in entries(item)]
