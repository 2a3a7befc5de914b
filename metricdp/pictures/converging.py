"""Distances along a sequence of laws, on logarithmic axes: a rate is a slope."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.pictures.axes import COLOURS, GREY, axes

if TYPE_CHECKING:
    from metricdp.laws.distances.topologies import Comparison, Convergence

_NAMES = {
    "DP": "differential privacy",
    "TV": "total variation",
    "EM": "earth mover",
    "WC": "Prokhorov (weak)",
}
_MARKS = "osD^"
#: Curves may coincide: gaps in the later ones show those below.
_LINES = ("-", "-", "-", (0, (4, 4)))


def convergence(evidence: Comparison | Convergence, *, ax: Any = None) -> Any:
    """Distance to the limit against n, one line per topology.

    Infinite distances are marked at the upper edge; distances of 0 are not on a logarithmic scale
    and end the line, or are told in the legend where there are no others.

    Args:
        evidence: from `laws.converges` or `laws.compare_topologies`.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: no evidence, or no axes.
    """
    from metricdp.laws.distances.topologies import Comparison, Convergence

    if not isinstance(evidence, Comparison | Convergence):
        raise ParameterError(
            f"{type(evidence).__name__} is no evidence of convergence",
            place="evidence",
            remedy="convergence(compare_topologies(lambda n: law, limit))",
        )
    found = (
        {evidence.topology: evidence} if isinstance(evidence, Convergence) else evidence.evidence
    )
    alone, ax = ax is None, axes(ax, "Distance to the limit")
    if alone:
        ax.figure.set_size_inches(8.4, 4.2)
    infinite: list[tuple[tuple[int, ...], str, str]] = []
    for i, (name, each) in enumerate(found.items()):
        colour, mark = COLOURS[i % len(COLOURS)], _MARKS[i % len(_MARKS)]
        shown = [(n, x) for n, x in zip(each.at, each.values, strict=True) if 0 < x < inf]
        rate = "" if each.rate is None else f", about n^{each.rate:.2g}"
        label = f"{_NAMES.get(name, name)}{rate}"
        if shown:
            xs, ys = zip(*shown, strict=True)
            ax.plot(xs, ys, marker=mark, markersize=4.5, color=colour, linewidth=1.6,
                    linestyle=_LINES[i % len(_LINES)], label=label)  # fmt: skip
        beyond = tuple(n for n, x in zip(each.at, each.values, strict=True) if not isfinite(x))
        if beyond:
            infinite.append((beyond, colour, f"{_NAMES.get(name, name)}: infinite"))
        elif not shown:
            ax.plot([], [], marker=mark, color=colour, label=f"{_NAMES.get(name, name)}: 0")
    ax.set_xscale("log", base=2)
    if any(0 < x < inf for each in found.values() for x in each.values):
        ax.set_yscale("log")
    else:
        ax.set_ylim(0, 1)
    for beyond, colour, label in infinite:
        # In fractions of the height: at the upper edge, whatever the scale.
        ax.plot(beyond, [0.985] * len(beyond), "^", color=colour, markersize=7, clip_on=False,
                transform=ax.get_xaxis_transform(), label=label)  # fmt: skip
    ticks = next(iter(found.values())).at
    ax.set_xticks(ticks, [str(n) for n in ticks])
    ax.minorticks_off()
    ax.set_xlabel("n")
    ax.set_ylabel("distance, rounded up")
    # Beside the axes: lines and the marks at the upper edge leave no corner free.
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.02, 1.0))
    for line in ax.get_legend().get_texts():
        line.set_color(GREY)
    return ax
