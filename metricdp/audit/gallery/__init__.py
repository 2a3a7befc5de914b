"""Correct and broken mechanisms, each with the verdict that an audit must give.

    python -m metricdp.audit.gallery            all of them, as a table
    python -m metricdp.audit.gallery NAME       the whole verdict on one

The files hold one theme each; an entry is a function with its claim, its neighbours, the right
verdict and one line why.
"""

from __future__ import annotations

from metricdp.audit.gallery import (
    choices,
    gaussians,
    leaks,
    many,
    means,
    passed,
    sparse,
    sums,
    surprises,
)
from metricdp.audit.gallery.entry import (
    GALLERY,
    GalleryEntry,
    GalleryVerdict,
    audit_entry,
    lines,
    run,
)

__all__ = [
    "GALLERY",
    "GalleryEntry",
    "GalleryVerdict",
    "audit_entry",
    "choices",
    "gaussians",
    "leaks",
    "lines",
    "many",
    "means",
    "passed",
    "run",
    "sparse",
    "sums",
    "surprises",
]
