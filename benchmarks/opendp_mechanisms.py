"""Random measurements as texts in which `dp` is either library, with distances to ask about."""

from __future__ import annotations

import random
from collections.abc import Iterator

ROWS = "(dp.vector_domain(dp.atom_domain(T={T}{nan}){size}), dp.{metric}())"
VECTOR = "(dp.vector_domain(dp.atom_domain(T={T}{nan}){size}), dp.{norm}_distance(T={T}))"
NUMBER = "(dp.atom_domain(T={T}{nan}), dp.absolute_distance(T={T}))"
MEASURES = ["max_divergence", "zero_concentrated_divergence"]


def measurements(rng: random.Random) -> Iterator[tuple[str, list[object]]]:
    """Endless (text, input distances)."""
    makers = [_rows, _rows, _vector, _number, _scores, _tree, _free, _combined, _casts, _keys]
    while True:
        yield rng.choice(makers)(rng)


def _scale(rng: random.Random) -> float:
    return rng.choice([0.5, 1.0, 3.0, round(rng.uniform(0.1, 40), 3)])


def _noise(rng: random.Random, T: str) -> str:
    ends = [f"dp.m.then_laplace({_scale(rng)})", f"dp.m.then_gaussian({_scale(rng)})"]
    ends += [f"dp.m.then_noise(dp.{rng.choice(MEASURES)}(), {_scale(rng)})"]
    if T == "int":
        ends += [f"dp.m.then_geometric({_scale(rng)})"]
        ends += [f"dp.m.then_geometric({_scale(rng)}, bounds=(0, 50))"]
    return rng.choice(ends)


def _space(rng: random.Random, T: str) -> str:
    size = rng.choice(["", "", ", size=12"])
    nan = ", nan=False" if T == "float" else ""
    return ROWS.format(T=T, nan=nan, size=size, metric="symmetric_distance")


def _total(rng: random.Random, T: str) -> str:
    low, width = rng.randint(-9, 9), rng.randint(1, 30)
    bounds = f"({low}.0, {low + width}.0)" if T == "float" else f"({low}, {low + width})"
    ends = ["dp.t.then_sum()", "dp.t.then_count()"]
    return f"{_space(rng, T)} >> dp.t.then_clamp({bounds}) >> {rng.choice(ends)}"


def _rows(rng: random.Random) -> tuple[str, list[object]]:
    T = rng.choice(["float", "int"])
    chain = _total(rng, T)
    return f"{chain} >> {_noise(rng, 'int' if 'count' in chain else T)}", [0, 1, 2, 5, 30]


def _vector(rng: random.Random) -> tuple[str, list[object]]:
    T = rng.choice(["float", "int"])
    size = rng.choice(["", ", size=7"])
    norm = rng.choice(["l1", "l2"])
    nan = ", nan=False" if T == "float" else ""
    text = f"{VECTOR.format(T=T, nan=nan, size=size, norm=norm)} >> {_noise(rng, T)}"
    return text, [0, 1, 3] if T == "int" else [0.0, 0.5, 1.0, 7.25]


def _number(rng: random.Random) -> tuple[str, list[object]]:
    T = rng.choice(["float", "int"])
    nan = ", nan=False" if T == "float" else ""
    text = f"{NUMBER.format(T=T, nan=nan)} >> {_noise(rng, T)}"
    return text, [0, 1, 3] if T == "int" else [0.0, 0.5, 1.0, 7.25]


def _scores(rng: random.Random) -> tuple[str, list[object]]:
    measure = rng.choice(MEASURES)
    monotone = rng.choice(["", ", monotonic=True"])
    space = f"(dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int{monotone}))"
    end = rng.choice(
        [
            f"dp.m.then_noisy_max(dp.{measure}(), {_scale(rng)})",
            f"dp.m.then_noisy_top_k(dp.{measure}(), k={rng.randint(1, 4)}, scale={_scale(rng)})",
            f"dp.m.then_report_noisy_max_gumbel({_scale(rng)})",
        ]
    )
    if rng.random() < 0.4:
        alpha = rng.choice([0.25, 0.5, 0.9])
        space = _space(rng, "int")
        end = f"dp.m.then_private_quantile(dp.{measure}(), [0, 5, 9], {alpha}, {_scale(rng)})"
    return f"{space} >> {end}", [0, 1, 2, 6]


def _tree(rng: random.Random) -> tuple[str, list[object]]:
    leaves, b = rng.randint(2, 20), rng.randint(2, 5)
    norm = rng.choice(["l1", "l1", "l2"])
    space = VECTOR.format(T="int", nan="", size=f", size={leaves}", norm=norm)
    text = f"{space} >> dp.t.then_b_ary_tree({leaves}, {b})"
    noise = "then_laplace" if norm == "l1" else "then_gaussian"
    end = "" if rng.random() < 0.5 else f" >> dp.m.{noise}({_scale(rng)})"
    return text + end, [0, 1, 2, 5]


def _free(rng: random.Random) -> tuple[str, list[object]]:
    prob = round(rng.uniform(0.5, 0.99), 3)
    texts = [
        f"dp.m.make_randomized_response_bool({prob})",
        f"dp.m.make_randomized_response(['a', 'b', 'c'], {prob})",
    ]
    return rng.choice(texts), [0, 1]


def _combined(rng: random.Random) -> tuple[str, list[object]]:
    chain = "dp.atom_domain(T=int), dp.absolute_distance(T=int)"
    laplace = f"(({chain}) >> dp.m.then_laplace({_scale(rng)}))"
    gauss = f"(({chain}) >> dp.m.then_gaussian({_scale(rng)}))"
    texts = [
        f"dp.c.make_composition([{laplace}] * {rng.randint(1, 9)})",
        f"dp.c.make_composition([{gauss}, {gauss}, {gauss}])",
        f"dp.c.make_pureDP_to_zCDP({laplace})",
        f"dp.c.make_composition([dp.c.make_pureDP_to_zCDP({laplace}), {gauss}])",
        f"dp.c.make_approximate({laplace})",
        f"dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP({gauss}), 1e-6)",
        f"dp.c.make_composition([dp.c.make_approximate({laplace})] * 3)",
    ]
    return rng.choice(texts), [0, 1, 2, 5]


def _casts(rng: random.Random) -> tuple[str, list[object]]:
    metric = rng.choice(
        ["symmetric_distance", "insert_delete_distance", "change_one_distance", "hamming_distance"]
    )
    size = ", size=9" if metric in ("change_one_distance", "hamming_distance") else ""
    size = size or rng.choice(["", ", size=9"])
    space = ROWS.format(T="int", nan="", size=size, metric=metric)
    ends = ["ordered_random", "unordered", "metric_bounded", "metric_unbounded"]
    return f"{space} >> dp.t.then_{rng.choice(ends)}()", [0, 1, 2, 5]


def _keys(rng: random.Random) -> tuple[str, list[object]]:
    space = ROWS.format(T="str", nan="", size="", metric="symmetric_distance")
    end = rng.choice(
        [
            f" >> dp.m.then_laplace_threshold({_scale(rng)}, {rng.randint(5, 60)})",
            "",
        ]
    )
    if rng.random() < 0.5:
        norm = rng.choice(["L1Distance<i32>", "L2Distance<f64>"])
        T = "i32" if "L1" in norm else "f64"
        null = rng.choice([True, False])
        count = f"dp.t.then_count_by_categories(['a', 'b'], {null}, MO='{norm}', TOA='{T}')"
        return f"{space} >> {count}", [0, 1, 2, 5]
    return f"{space} >> dp.t.then_count_by(){end}", [0, 1, 2, 5]
