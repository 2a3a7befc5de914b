"""Calls of the mechanisms that choose: the scores of the candidates, then one draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.run.draws import Draw
from metricdp.run.emit import Handler, emit
from metricdp.run.samplers import no_choice


def select(draw: Draw, bound: dict[str, Any], handler: Handler) -> Any:
    """What the call returns: a candidate, a position, or None above a threshold.

    Args:
        draw: the noise that was proved for the call.
        bound: the arguments by name; functions are compiled from the tree that was checked.

    Raises:
        ParameterError: no candidates at all.
    """
    if draw.mechanism in ("exponential_mechanism", "permute_and_flip"):
        candidates = _some(list(bound["candidates"]), "candidates", draw)
        score = bound["score"]
        return candidates[emit(draw, [score(c) for c in candidates], handler)]
    if draw.mechanism == "report_noisy_max":
        return emit(draw, _some(list(bound["scores"]), "scores", draw), handler)
    if draw.mechanism != "above_threshold":
        raise no_choice(draw.mechanism, draw.site)
    data = bound["data"]
    if bound.get("candidates") is not None:
        answers = [bound["queries"](data, c) for c in list(bound["candidates"])]
    else:
        answers = [query(data) for query in bound["queries"]]
    extra = {**draw.extra, "threshold": bound["threshold"], "reports": bound.get("reports")}
    return emit(msgspec.structs.replace(draw, extra=extra), answers, handler)


def _some(items: Sequence[Any], name: str, draw: Draw) -> Sequence[Any]:
    if not items:
        raise ParameterError(
            f"{draw.mechanism} has nothing to choose from", place=name,
            remedy="give at least one candidate",
        )  # fmt: skip
    return items
