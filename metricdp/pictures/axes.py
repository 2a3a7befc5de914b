"""What the pictures share: matplotlib, loaded when asked for, and one plain style."""

from __future__ import annotations

from typing import Any

from metricdp.errors import MissingExtraError, ParameterError

#: Told apart by readers with any colour vision, in this order (Okabe and Ito 2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "#6B6B6B"


def axes(ax: Any, title: str, height: float = 4.2) -> Any:
    """The axes given, or those of a new figure (height in inches), with the title and a light grid.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: `ax` is no axes.
    """
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError(
                "pictures are drawn with matplotlib, which is not installed",
                remedy='run: pip install "metricdp[plots]"',
            ) from None
        ax = Figure(figsize=(6.4, height), layout="constrained").add_subplot()
    elif not hasattr(ax, "plot") or not hasattr(ax, "set_title"):
        raise ParameterError(
            f"{type(ax).__name__} is no axes", place="ax", remedy="ax=figure.add_subplot()"
        )
    ax.set_title(title, loc="left", fontsize=11)
    ax.grid(True, color="#E3E3E3", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
