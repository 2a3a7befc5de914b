"""The outputs that a program may be expected to give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.pictures.axes import COLOURS, axes

if TYPE_CHECKING:
    from metricdp.answers.preview import Preview

#: Outputs that fit on one picture.
_MOST = 60


def preview(found: Preview, *, ax: Any = None) -> Any:
    """Every output on made-up data: a line over 95 % of the runs, a dot at the median, and a cross
    at what it should be, where `against` told that.

    Args:
        found: what `program.preview(...)` gives; of more than 60 outputs the first are drawn.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: no preview, or one without numbers.
    """
    outputs = getattr(found, "outputs", ())[:_MOST]
    if not outputs:
        raise ParameterError(
            f"{type(found).__name__} has no numbers to draw",
            place="preview",
            remedy="preview(program.preview(made_up_rows, eps=1))",
        )
    title = f"{found.function} on made-up data, {found.cost}"
    ax = axes(ax, title, height=1.2 + 0.3 * len(outputs))
    for y, each in enumerate(outputs):
        ax.plot([each.low, each.high], [y, y], color=COLOURS[0], linewidth=2.5, alpha=0.6)
        ax.plot([each.middle], [y], "o", color=COLOURS[0], markersize=5)
        if each.truth is not None:
            ax.plot([each.truth], [y], "x", color=COLOURS[1], markersize=7, markeredgewidth=2)
    ax.set_yticks(range(len(outputs)), [each.name or found.function for each in outputs])
    ax.set(ylim=(len(outputs) - 0.5, -0.5))
    told = any(each.truth is not None for each in outputs)
    ax.set_xlabel("answer: median, 95 % of the runs" + (", and the truth (x)" if told else ""))
    ax.grid(False, axis="y")
    return ax
