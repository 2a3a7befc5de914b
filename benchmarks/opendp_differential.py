"""Random chains of constructors, ours and OpenDP's, built from the same text and compared.

    pip install opendp==0.16 numpy msgspec     (an environment of its own)
    PYTHONPATH=. python benchmarks/opendp_differential.py [--chains 300] [--seed 0]

Every chain is a text in which `dp` is either library.  Compared: the values on random data, the
maps at several distances, and the movement of our own function between neighbouring data sets,
which must never exceed our map ("UNSOUND" is printed, and the exit code is 1).  A smaller map is
"tighter", a larger one "looser"; a chain that one side refuses is "only ours" or "only theirs".
`docs/differences-from-opendp.md` explains every kind of disagreement.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Any

DISTANCES = (0, 1, 2, 3, 7, 40)
LETTERS = ["a", "b", "c", "d"]


class Chain:
    """A program text, how to draw data for it, and how its results are compared."""

    def __init__(self, text: str, kind: str, size: int | None) -> None:
        self.text, self.kind, self.size = text, kind, size

    def build(self, dp: Any) -> Any:
        return eval(self.text, {"dp": dp})


def chains(rng: random.Random) -> Iterator[Chain]:
    """Endless random chains."""
    while True:
        kind = rng.choice(["float", "int", "str"])
        size = rng.choice([None, None, 5, 20])
        metric = rng.choice(["symmetric_distance", "symmetric_distance", "change_one_distance"])
        if metric == "change_one_distance" and size is None:
            size = 10
        nan = ", nan=False" if kind == "float" else ""
        sized = f", size={size}" if size is not None else ""
        text = f"(dp.vector_domain(dp.atom_domain(T={kind}{nan}){sized}), dp.{metric}())"
        steps = _strings(rng, size) if kind == "str" else _numbers(rng, kind, size)
        yield Chain(" >> ".join([text, *steps]), kind, size)


def _numbers(rng: random.Random, kind: str, size: int | None) -> list[str]:
    low, width = rng.randint(-20, 20), rng.randint(1, 60)
    cast = (lambda x: f"{float(x)}") if kind == "float" else str
    steps = [f"dp.t.then_clamp(({cast(low)}, {cast(low + width)}))"]
    if size is None and rng.random() < 0.5:
        inside = cast(rng.randint(low, low + width))
        steps.append(f"dp.t.then_resize({rng.choice([3, 10, 50])}, {inside})")
        size = 1
    ends = ["dp.t.then_sum()", "dp.t.then_count()", "dp.t.then_count_distinct()"]
    if size is not None and kind == "float":
        ends += ["dp.t.then_mean()", "dp.t.then_mean()"]
        ends += ["dp.t.then_variance()", "dp.t.then_sum_of_squared_deviations()"]
    if kind == "int":
        edges = sorted(rng.sample(range(low - 5, low + width + 5), 3))
        ends.append(f"dp.t.then_find_bin({edges}) >> dp.t.then_count_distinct()")
    candidates = sorted({cast(rng.randint(low, low + width)) for _ in range(4)}, key=float)
    listed = f"[{', '.join(candidates)}]"
    alpha = rng.choice([0.25, 0.5, 0.9])
    ends.append(f"dp.t.then_quantile_score_candidates({listed}, {alpha})")
    if rng.random() < 0.2:
        return steps
    return [*steps, rng.choice(ends)]


def _strings(rng: random.Random, size: int | None) -> list[str]:
    chosen = rng.sample(LETTERS, rng.randint(1, 3))
    ends = [
        "dp.t.then_count()",
        "dp.t.then_count_distinct()",
        f"dp.t.then_count_by_categories({chosen})",
        f"dp.t.then_is_equal({chosen[0]!r})",
        f"dp.t.then_find({chosen}) >> dp.t.then_impute_constant(0)",
        "dp.t.then_cast_default(int) >> dp.t.then_clamp((0, 5)) >> dp.t.then_sum()",
    ]
    return [rng.choice(ends)]


def data(chain: Chain, rng: random.Random) -> list[Any]:
    """A random data set of the chain's domain."""
    n = chain.size if chain.size is not None else rng.randint(0, 25)
    if chain.kind == "str":
        return [rng.choice([*LETTERS, "7", "12x", ""]) for _ in range(n)]
    if chain.kind == "int":
        return [rng.randint(-60, 60) for _ in range(n)]
    return [rng.choice([rng.uniform(-60, 60), float(rng.randint(-30, 30))]) for _ in range(n)]


def neighbour(chain: Chain, x: list[Any], d: int, rng: random.Random) -> list[Any]:
    """A data set at distance at most d."""
    y = list(x)
    replaced = "change_one" in chain.text
    for _ in range(d if replaced or chain.size is None else d // 2):
        (row,) = data(Chain("", chain.kind, 1), rng)
        if chain.size is not None:
            y[rng.randrange(len(y))] = row
        elif y and rng.random() < 0.5:
            y.pop(rng.randrange(len(y)))
        else:
            y.insert(rng.randint(0, len(y)), row)
    return y


def movement(a: Any, b: Any, metric: str) -> Fraction:
    """Distance of two results under the output metric, by its name; L2 squared."""
    if isinstance(a, int | float):
        return abs(Fraction(a) - Fraction(b))
    if metric.startswith(("L1", "L2", "LInf")):
        steps = [abs(Fraction(p) - Fraction(q)) for p, q in zip(a, b, strict=True)]
        if metric.startswith("L1"):
            return sum(steps, Fraction(0))
        if metric.startswith("L2"):
            return sum((s * s for s in steps), Fraction(0))
        return _range(a, b) if "quantile" in metric else max(steps, default=Fraction(0))
    left, right = Counter(map(str, a)), Counter(map(str, b))
    apart = sum(((left - right) + (right - left)).values())
    return Fraction(apart if metric.startswith(("Symmetric", "Insert")) else (apart + 1) // 2)


def _range(a: Any, b: Any) -> Fraction:
    return max(
        (abs(Fraction(p) - Fraction(q)) for p, q in zip(a, b, strict=True)), default=Fraction(0)
    )


def close(a: Any, b: Any) -> bool:
    """Equal, or equal up to the rounding of doubles."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a == b
    if hasattr(a, "__len__") and not isinstance(a, str):
        return len(a) == len(b) and all(close(p, q) for p, q in zip(a, b, strict=True))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    return bool(a == b)


def main() -> int:
    """Print every disagreement once per kind, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chains", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    import opendp.prelude as theirs

    import metricdp.opendp as ours

    theirs.enable_features("contrib")
    rng = random.Random(asked.seed)
    counts: Counter[str] = Counter()
    shown: set[str] = set()

    def tell(kind: str, chain: Chain, words: str) -> None:
        counts[kind] += 1
        head = " >> ".join(part.split("(")[0] for part in chain.text.split(" >> ")[1:])
        metric = "change one" if "change_one" in chain.text else "symmetric"
        place = f"{kind}: {head} ({metric}, {'sized' if chain.size else 'unsized'}, {chain.kind})"
        if place not in shown:
            shown.add(place)
            print(place, "|", words)

    source = chains(rng)
    for _ in range(asked.chains):
        chain = next(source)
        mine, refused = _try(lambda c=chain: c.build(ours))
        peer, failed = _try(lambda c=chain: c.build(theirs))
        if mine is None or peer is None:
            if mine is not None:
                tell("only ours", chain, failed)
            elif peer is not None:
                tell("only theirs", chain, refused)
            else:
                counts["neither"] += 1
            _attack(mine, chain, rng, tell)
            continue
        x = data(chain, rng)
        a, wrong = _try(lambda m=mine, v=x: m(v))
        b, _ = _try(lambda m=peer, v=x: m(v))
        if wrong:
            tell("FAILS", chain, wrong)
        elif b is not None and not close(a, b):
            tell("value", chain, f"{x} -> ours {a}, theirs {b}")
        for d in DISTANCES:
            ours_at, theirs_at = mine.map(d), _try(lambda m=peer, k=d: m.map(k))[0]
            if theirs_at is None or isinstance(ours_at, tuple):
                continue
            kind = "equal" if close(ours_at, theirs_at) else "tighter"
            if kind != "equal" and ours_at > theirs_at:
                kind = "looser"
            if kind == "equal":
                counts["equal"] += 1
            else:
                tell(kind, chain, f"d_in = {d}: ours {ours_at}, theirs {theirs_at}")
        _attack(mine, chain, rng, tell)
    compared = _mechanisms(ours, theirs, rng, asked.chains)
    print("transformations:", dict(counts))
    print("measurements:", dict(compared))
    return 1 if counts["UNSOUND"] or counts["FAILS"] else 0


def _mechanisms(ours: Any, theirs: Any, rng: random.Random, times: int) -> Counter[str]:
    """Compare the maps of random measurements and of transformations between other spaces."""
    from opendp_mechanisms import measurements

    counts: Counter[str] = Counter()
    shown: set[str] = set()
    source = measurements(rng)
    for _ in range(times):
        text, distances = next(source)
        mine, refused = _try(lambda t=text: eval(t, {"dp": ours}))
        peer, failed = _try(lambda t=text: eval(t, {"dp": theirs}))
        verdicts: list[tuple[str, str]] = []
        if mine is None or peer is None:
            kind = "neither" if mine is peer else "only ours" if peer is None else "only theirs"
            verdicts.append((kind, failed or refused))
        else:
            for d in distances:
                own, wrong = _try(lambda m=mine, k=d: _numbers_of(m.map(k)))
                other, _ = _try(lambda m=peer, k=d: _numbers_of(m.map(k)))
                if wrong:
                    verdicts.append(("FAILS", f"d_in = {d}: {wrong}"))
                elif other is not None:
                    verdicts.append(
                        (_verdict(own, other), f"d_in = {d}: ours {own}, theirs {other}")
                    )
        for kind, words in verdicts:
            counts[kind] += 1
            place = f"{kind}: {re.sub(r'[0-9.]+', '#', text)}"
            if kind not in ("equal", "neither") and place not in shown:
                shown.add(place)
                print(place, "|", words)
    return counts


def _numbers_of(found: Any) -> list[float]:
    if hasattr(found, "delta"):
        return [found.delta(epsilon) for epsilon in (0.5, 1.0, 3.0)]
    return [float(part) for part in found] if isinstance(found, tuple) else [float(found)]


def _verdict(own: list[float], other: list[float]) -> str:
    if close(own, other):
        return "equal"
    above = any(a > b and not close(a, b) for a, b in zip(own, other, strict=True))
    return "looser" if above else "tighter"


def _attack(mine: Any, chain: Chain, rng: random.Random, tell: Any) -> None:
    if mine is None or not hasattr(mine, "output_metric"):
        return
    metric = repr(mine.output_metric)
    for d in (1, 2, 3):
        bound = mine.exact_map(d)
        limit = bound * bound if metric.startswith("L2") and bound != inf else bound
        for _ in range(4):
            x = data(chain, rng)
            y = neighbour(chain, x, d, rng)
            moved = movement(mine(x), mine(y), metric)
            # Results leave as doubles, so each is off by at most half an ulp.
            if moved > limit + Fraction(1, 10**9) * (1 + abs(moved)):
                tell("UNSOUND", chain, f"d_in = {d}: {x} -> {y} moves {moved}, map {bound}")


def _try(work: Any) -> tuple[Any, str]:
    try:
        return work(), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error).splitlines()[-1][:160]}"


if __name__ == "__main__":
    raise SystemExit(main())
