"""The index of the reference: by task, by page, and by the name that a function has elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.checked.manual import elsewhere_of, sentence_of
from metricdp.checked.reference.objects import GROUPS, anchor, first_sentence, objects_of
from metricdp.record import Record

#: What a person wants -> the names of the front or of a package that do it.
TASKS: Mapping[str, tuple[str, ...]] = {
    "declare what is private, and in which unit": ("Records", "Vector", "Matrix", "Bounds", "Unit"),
    "write a program that is checked": ("measurement", "transformation", "black_box"),
    "count rows": ("count", "len", "algorithms.count"),
    "add numbers up": ("clamp", "sum", "algorithms.total"),
    "mean, variance": ("mean", "variance", "algorithms.mean", "algorithms.variance"),
    "median, quantiles": (
        "private_quantile", "interval_quantile", "algorithms.quantile", "algorithms.quantiles",
    ),
    "histogram, counts by group": (
        "histogram", "count_by", "partition", "stable_histogram", "algorithms.histogram",
    ),
    "groups whose names are private": (
        "count_by", "weighted_count_by", "laplace_threshold", "gaussian_threshold",
        "stable_histogram",
    ),
    "join two tables": ("join", "join_by_id", "join_public"),
    "texts, dates": ("text_method", "contains", "time_part"),
    "values that may be missing": ("is_missing", "fill_missing", "drop_null", "impute"),
    "add noise": ("laplace", "gaussian", "discrete_laplace", "discrete_gaussian"),
    "choose the best of several": (
        "report_noisy_max", "exponential_mechanism", "permute_and_flip", "top_k",
    ),
    "stop at the first that is large": ("above_threshold",),
    "ask every person for a noisy answer": ("randomized_response", "randomized_response_bits"),
    "sample rows": ("sample",),
    "train a model": (
        "clip", "logistic_step", "algorithms.minibatch_descent", "algorithms.logistic_regression",
        "algorithms.linear_regression",
    ),
    "tune a model": ("private_selection", "algorithms.choose_model"),
    "ask questions one by one within a budget": ("Session", "Budget", "Limit", "Ledger"),
    "know what a number of rounds costs": (
        "measures.account", "measures.calibrate", "measures.max_rounds",
    ),
    "test a claim by attack": ("audit.audited", "audit.assert_private"),
    "see what check knows of a value": ("reveal",),
}  # fmt: skip
_OPENING = """\
# Reference

Every public name of `metricdp`, in few pages, each name with an anchor of its own: what it does,
a call with what it printed, how far it moves or what it costs, its errors, its proof and its
source. The pages are written by `python -m metricdp.checked.reference` from the records and
docstrings that `help` shows, and the calls in them are run. They write an exact number as a
decimal, where Python prints a rational: `Exact(3, 1)` is 3."""


def index(themes: Mapping[str, tuple[str, Mapping[str, list[Record]]]]) -> str:
    """The text of the index.

    Args:
        themes: title of a page -> its file, and the names on it with their records.
    """
    places: dict[str, str] = {}
    lines: list[str] = []
    for title, (page, found) in themes.items():
        lines += [f"\n### [{title}](reference/{page}.md)\n"]
        for name, records in found.items():
            places[name] = f"[`{name}`](reference/{page}.md#{name})"
            lines.append(f"- {places[name]}: {sentence_of(records[0])}")
    for group, (title, _) in GROUPS.items():
        lines += [f"\n### [{title}](reference/{group}.md)\n"]
        for name, value in objects_of(group).items():
            places[name] = f"[`{name}`](reference/{group}.md#{anchor(name)})"
            lines.append(f"- {places[name]}: {first_sentence(value)}")
    lines.append("\n### [Diagnostics](reference/diagnostics.md)")
    tasks = [f"| {task} | {', '.join(places[n] for n in names)} |" for task, names in TASKS.items()]
    parts = [
        _OPENING,
        "## By task\n\n| I want to | names |\n|---|---|\n" + "\n".join(tasks),
        "## By a name that you know\n\n" + _elsewhere(themes, places),
        "## By page\n" + "\n".join(lines),
    ]
    return "\n\n".join(parts) + "\n"


def _elsewhere(
    themes: Mapping[str, tuple[str, Mapping[str, list[Record]]]], places: Mapping[str, str]
) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for _, found in themes.values():
        for records in found.values():
            for record in records:
                for place, names in elsewhere_of(record).items():
                    for name in names:
                        here = rows.setdefault((place, name), [])
                        if places[record.name] not in here:
                            here.append(places[record.name])
    head = "| where | name | here |\n|---|---|---|\n"
    lines = [
        f"| {place} | `{name}` | {', '.join(here)} |"
        for (place, name), here in sorted(rows.items())
    ]
    return head + "\n".join(lines)
