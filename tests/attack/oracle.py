"""What refutes a proved program: its draws lose more than was proved, or something else differs.

Along outputs, every term is exact.  Without samples of rows, the losses of the draws add up to at
most what was charged, because that is how programs compose.  With samples, the density of the
outputs is the mixture over all samples, and the ratio of the two densities is bounded by a pure
epsilon; the mixture of one noisy number is compared under the other measures by integration.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from math import exp, inf, log, sqrt
from random import Random
from typing import Any

import msgspec

from attack.following import Drawn, Outputs, Run, TooMany, follow, record
from attack.losses import concentrated, is_laplace, log_density, numbers, pure, same, squares, steps
from attack.profiles import read_too_low
from attack.worst import worst_pair
from metricdp.errors import InternalError, MetricdpError
from metricdp.expr import num
from metricdp.spaces import Owned, Records
from metricdp.spaces.aligned import Aligned
from metricdp.spaces.base import symbols_of

#: Relative slack of comparisons in doubles; holes are larger by far.
SLACK = 1e-6
#: Share of the pairs whose epsilon at a delta is compared with the laws.
READ = 0.03
KINDS = ("drawn", "high", "low", "steered")


class Hole(msgspec.Struct):
    """A refutation: what is wrong, and the pair and the outputs that show it."""

    what: str
    entry: str = ""
    x: str = ""
    y: str = ""
    distance: str = ""
    kind: str = ""


class Proved(msgspec.Struct):
    """A proved function with what the oracle needs of it."""

    function: Any
    guarantee: Any
    public: Mapping[str, Any]

    @property
    def numbers(self) -> dict[str, Fraction]:
        """The public numbers of the guarantee; sizes of data are 3."""
        found = {
            n: Fraction(str(v) if isinstance(v, float) and n in self.guarantee.targets else v)
            for n, v in self.public.items()
            if isinstance(v, int | float | Fraction)
        }
        for n, v in self.public.items():
            if isinstance(v, list):
                found[f"len_{n}"], found[f"different_{n}"] = Fraction(len(v)), Fraction(len({*v}))
        for entry in self.guarantee.private():
            for name in symbols_of(entry.space):
                found.setdefault(name, Fraction(3))
        return found


def cost(
    proved: Proved, entry: Any, distance: Fraction, numbers: Mapping[str, Any]
) -> dict[str, float]:
    """What was proved of a run with these numbers at a distance, rounded up: without the branches
    that they do not take, which is what such a run is charged."""
    held = proved.guarantee.held(numbers, complete=True)
    parts = proved.guarantee.at_numbers(held).cost(entry.name, num(distance))
    return {name: float(value.upper(numbers)) for name, value in parts.items()}


def attack(
    proved: Proved, rng: Random, pairs: int, seen: list[Drawn] | None = None,
    search: bool = False,
) -> Hole | None:  # fmt: skip
    """The first hole among some pairs of neighbours; None if none was found.

    Args:
        search: whether the first pair is the worst of many (`attack.worst`).
        seen: filled with the draws of the recorded runs.
    """
    guarantee = proved.guarantee
    inputs = guarantee.private()
    env = proved.numbers
    spaces = {i.name: i.space.at(env) for i in inputs}
    for trial in range(pairs):
        entry = inputs[trial % len(inputs)]
        distance = rng.choice((1, 1, 2, 3))
        given = {name: _sample(space, rng) for name, space in spaces.items()}
        space = spaces[entry.name]
        moved = space.neighbours(given[entry.name], distance, rng)
        few = rng.random() < 0.75
        if few:
            given = {name: small(spaces[name], value) for name, value in given.items()}
            moved = small(space, moved)
        given, moved = exactly(given), exactly(moved)
        if search and few and isinstance(space, Records | Owned) and trial == 0:
            found = _worst(proved, space, entry.name, given, rng)
            if found is not None:
                given[entry.name], moved = found
        apart = space.distance(given[entry.name], moved).as_fraction()
        if apart is None or not 0 < apart <= 4:
            continue
        x = {**given, **proved.public}
        y = {**x, entry.name: moved}
        if rng.random() < 0.5:
            x, y = y, x
        kind = KINDS[(trial + rng.randrange(2)) % len(KINDS)]
        try:
            found = compare(proved, entry, apart, x, y, kind, f"{trial} {rng.random()}", seen)
        except TooMany:
            continue
        if not found and rng.random() < READ:
            env = {**proved.numbers, **_sizes(entry, _data(x))}
            try:
                found = read_too_low(
                    proved.function, guarantee, entry, apart, _data(x), _data(y), env, rng
                )
            except TooMany:
                continue
        if found:
            return Hole(found, entry.name, repr(x), repr(y), str(apart), kind)
    return None


def _worst(
    proved: Proved, space: Any, name: str, given: Mapping[str, Any], rng: Random
) -> tuple[Any, Any] | None:
    """Neighbours whose draws differ most."""

    def made(value: Any) -> tuple[Any, Any]:
        exact = exactly(small(space, value))
        return exact, plain(exact)

    try:
        pair = worst_pair(
            proved.function, space, name, {**_data(given), **proved.public}, made, rng
        )
    except TooMany:
        return None
    return None if pair is None else pair[:2]


def small(space: Any, value: Any) -> Any:
    """Rows and discrete data with few values: every row by itself, so they are no further apart."""
    discrete = isinstance(space, Records | Owned) or getattr(space, "element", "") == "Data"
    if isinstance(space, Aligned):
        return tuple(small(s, v) for s, v in zip(space.parts, value, strict=True))
    return _few(value) if discrete else value


def _few(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | Fraction):
        return type(value)(round(value) % 4)
    if isinstance(value, float):
        return float(round(value) % 4) if abs(value) < 1e300 else 0.0
    if isinstance(value, str):
        return "abc"[len(value) % 3]
    if isinstance(value, date):
        days = date(2023, 12, 31) + timedelta(value.toordinal() % 4)
        if not isinstance(value, datetime):
            return days
        return datetime.combine(days, time()) + timedelta(hours=value.second % 2 * 12)
    if isinstance(value, list):
        return [_few(v) for v in value]
    if isinstance(value, tuple):
        parts = [_few(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {k: _few(v) for k, v in value.items()}
    return value


def exactly(value: Any) -> Any:
    """Numbers that doubles hold, of moderate size."""
    if isinstance(value, Fraction) and value.denominator != 1:
        return Fraction(round(value * 1024), 1024)
    if isinstance(value, list):
        return [exactly(v) for v in value]
    if isinstance(value, dict):
        return {k: exactly(v) for k, v in value.items()}
    if isinstance(value, tuple):
        parts = [exactly(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _sample(space: Any, rng: Random) -> Any:
    return space.sample(rng, rng.randint(1, 3))


def compare(
    proved: Proved, entry: Any, distance: Fraction, x: Mapping[str, Any], y: Mapping[str, Any],
    kind: str, seed: str, seen: list[Drawn] | None = None,
    paid: tuple[str, Mapping[str, float]] | None = None,
) -> str:  # fmt: skip
    """What is wrong along one choice of outputs; "" if nothing is.

    Args:
        paid: a measure, and what was paid in it, in place of what was proved.
    """
    function = proved.function
    x, y = _data(x), _data(y)
    sides: dict[int, list[int]] = {}
    if kind == "steered":
        sides = _sides(function, x, y, seed)
    first = record(function, x, Outputs(kind, seed, sides), [])
    if seen is not None:
        seen += first.drawn
    if first.result == "error InternalError":
        return "internal error in a run"
    if not first.drawn and first.result.startswith("error"):
        return ""  # data outside of the declared facts, or parameters that are refused
    one, two = (list(follow(function, each, first.drawn)) for each in (x, y))
    wrong = _differs(one, two)
    if wrong:
        return wrong
    guarantee = proved.guarantee
    if paid is None:
        env = {**proved.numbers, **_sizes(entry, x)}
        paid = guarantee.measure, cost(proved, entry, distance, env)
    if len(one) == len(two) == 1:
        return _by_movements(paid[0], one[0], two[0], paid[1])
    return _by_mixtures(paid[0], one, two, paid[1])


def _sizes(entry: Any, x: Mapping[str, Any]) -> dict[str, Fraction]:
    found = {}
    for name, value in x.items():
        if hasattr(value, "__len__") and not isinstance(value, str):
            count = len(value)
            if isinstance(value, tuple) and count and isinstance(value[0], list | tuple):
                count = len(value[0])
            found[f"len_{name}"] = found[f"rows_{name}"] = Fraction(count)
            if count and isinstance(value, list) and isinstance(value[0], list):
                found[f"cols_{name}"] = Fraction(len(value[0]))
    return found


def _data(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in given.items()}


def plain(value: Any) -> Any:
    """A reference value as a caller types it."""
    if isinstance(value, Fraction):
        return float(value) if value.denominator != 1 else int(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(plain(v) for v in value)
    return value


def _sides(function: Any, x: Any, y: Any, seed: str) -> dict[int, list[int]]:
    """For every draw, on which side x lies of y, entry by entry."""
    first = record(function, x, Outputs("drawn", seed), [])
    sides: dict[int, list[int]] = {}
    for run in follow(function, y, first.drawn):
        for position, (a, b) in enumerate(zip(first.drawn, run.drawn, strict=False)):
            if a.draw.family.adds and position not in sides:
                moved = steps(a.draw, a.value, b.value)
                if moved and any(moved):
                    sides[position] = [-1 if s > 0 else 1 for s in moved]
    return sides


def _differs(one: list[Run], two: list[Run]) -> str:
    """A difference that outputs do not explain."""
    for run in (*one, *two):
        if run.result == "error InternalError":
            return "internal error in a run"
        if run.extra:
            return f"the draws differ along the same outputs: {run.extra}"
    results = {run.result for run in (*one, *two)}
    if len(results) > 1:
        return f"the result differs along the same outputs: {sorted(results)[:2]}"
    for run in (*one, *two):
        for a, b in zip(one[0].drawn, run.drawn, strict=True):
            if _public(a.draw) != _public(b.draw):
                return f"the noise at {a.draw.site} differs along the same outputs"
    return ""


def _public(draw: Any) -> Any:
    return draw.mechanism, draw.norm, draw.scale, repr(sorted(draw.extra.items(), key=str))


def _pairs(one: Run, two: Run) -> list[tuple[Drawn, Drawn]]:
    return list(zip(one.drawn, two.drawn, strict=True))


def _by_movements(measure: str, one: Run, two: Run, allowed: Mapping[str, float]) -> str:
    drawn = _pairs(one, two)
    pairs = [(a.draw, a.value, b.value) for a, b in drawn]
    if measure in ("zcdp", "approx_zcdp"):
        lost = sum(squares(*p) / 2 for p in pairs) if measure == "approx_zcdp" else sum(
            concentrated(*p) for p in pairs)  # fmt: skip
        return _more("rho", lost, allowed["rho"])
    delta = allowed.get("delta", 0.0)
    gaussian = sum(squares(*p) for p in pairs)
    others = [p for p in pairs if not squares(*p)]
    if measure == "pure":
        lost = sum(pure(a.draw, a.value, b.value, a.output) for a, b in drawn)
        return _more("epsilon", lost, allowed["epsilon"])
    total = sum(pure(*p) for p in others if _is_pure(p[0].mechanism))
    wrong = _more("epsilon", total, allowed["epsilon"])
    if wrong or not gaussian:
        return wrong
    return _more("delta", _gaussian_delta(allowed["epsilon"] - total, gaussian), delta)


def _is_pure(mechanism: str) -> bool:
    return mechanism not in (
        "stable_histogram", "laplace_threshold", "gaussian_threshold", "canonical_noise",
    )  # fmt: skip


def _more(name: str, lost: float, allowed: float) -> str:
    if lost <= allowed * (1 + SLACK) + 1e-9:
        return ""
    return f"the draws lose {name} {lost:.6g}, and {allowed:.6g} was proved"


def _gaussian_delta(epsilon: float, squared: float) -> float:
    """delta of Gaussian noise at an epsilon (Balle and Wang 2018, Theorem 8), less its slack."""
    from scipy.stats import norm

    if squared == inf:
        return 1.0
    move = sqrt(squared)
    first = norm.cdf(move / 2 - epsilon / move)
    return max(0.0, first - exp(epsilon + norm.logcdf(-move / 2 - epsilon / move)) - 1e-12)


def _by_mixtures(measure: str, one: list[Run], two: list[Run], allowed: Mapping[str, float]) -> str:
    if all(v == 0 for v in allowed.values()) and _any_moved(one, two):
        return "a draw moves, and nothing was charged"
    if measure == "pure":
        p, q = _log_mixture(one), _log_mixture(two)
        if p == q:
            return ""
        return _more("epsilon", abs(p - q), allowed["epsilon"])
    if len(one[0].drawn) == 1:
        return _one_number(measure, one, two, allowed)
    return ""


def _any_moved(one: list[Run], two: list[Run]) -> bool:
    """Whether some sample of one input makes a draw another than every sample of the other."""
    for position in range(len(one[0].drawn)):
        a, b = ([r.drawn[position].value for r in runs] for runs in (one, two))
        if not all(any(same(v, w) for w in b) for v in a):
            return True
    return False


def _log_mixture(runs: list[Run]) -> float:
    """ln of the density of the outputs, over all samples."""
    terms = [
        log(run.chance) + sum(log_density(d.draw, d.value, d.output) for d in run.drawn)
        for run in runs
    ]
    top = max(terms)
    return top + log(sum(exp(t - top) for t in terms)) if top > -inf else -inf


def _one_number(measure: str, one: list[Run], two: list[Run], allowed: Mapping[str, float]) -> str:
    """One noisy number over samples: its two mixtures, integrated on a fine grid from below."""
    import numpy as np

    draw = one[0].drawn[0].draw
    if not draw.family.adds or draw.family.whole or not draw.scale:
        return ""
    drawn = [[numbers(draw, run.drawn[0].value) for run in runs] for runs in (one, two)]
    if any(len(each) != 1 for side in drawn for each in side):
        return ""
    # Doubles far from 0 are coarse: the grid lies around the movements, not around the values.
    origin = min(each[0] for side in drawn for each in side)
    centres = [
        [(float(run.chance), float(each[0] - origin)) for run, each in zip(runs, side, strict=True)]
        for runs, side in zip((one, two), drawn, strict=True)
    ]
    scale = float(draw.scale)
    every = [c for side in centres for _, c in side]
    grid = np.linspace(min(every) - 12 * scale, max(every) + 12 * scale, 4001)
    width = grid[1] - grid[0]

    def density(side: list[tuple[float, float]]) -> Any:
        total = np.zeros_like(grid)
        for chance, centre in side:
            z = (grid - centre) / scale
            if is_laplace(draw):
                total += chance * np.exp(-abs(z)) / (2 * scale)
            else:
                total += chance * np.exp(-z * z / 2) / (scale * sqrt(2 * np.pi))
        return total

    p, q = density(centres[0]), density(centres[1])
    if measure == "approx":
        found = float(np.maximum(p - exp(allowed["epsilon"]) * q, 0).sum() * width)
        return _more("delta", found * (1 - 1e-3) - 1e-9, allowed["delta"])
    divergence = float((p * np.log(np.maximum(p, 1e-300) / np.maximum(q, 1e-300))).sum() * width)
    return _more("rho", divergence * (1 - 1e-3) - 1e-9, allowed.get("rho", inf))


def checked(function: Any) -> Any:
    """The guarantee of a function that is proved, else None; InternalError where check fails."""
    try:
        outcome = function.outcome
    except InternalError:
        raise
    except MetricdpError:
        return None
    return outcome.guarantee if outcome.verdict == "proved" else None
