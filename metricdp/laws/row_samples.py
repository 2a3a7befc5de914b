"""Every sample of some rows with its probability, and the law of what is released from one.

A mechanism on a secret sample releases the mixture of its laws on the samples.  There are 2**n
samples of n rows under Poisson inclusion, so this is for small data; nothing is approximated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb, factorial, perm, prod
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.mixture import mixture

#: More samples than this are not listed: 12 rows under Poisson inclusion.
MOST = 4096


def row_samples(
    scheme: str, number: Fraction, count: int, place: str = "sample", ordered: bool = True
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """(positions, probability) of every sample of positive probability.

    Args:
        scheme: name of a class of `measures.sampling`: "Poisson", "WithoutReplacement" or
            "WithReplacement".
        number: the rate of Poisson inclusion, else how many rows are drawn.
        count: how many rows there are.
        ordered: samples of fixed size in the order in which they are drawn; otherwise the samples
            that differ in their order alone are one.

    Raises:
        ParameterError: more than `MOST` samples.
    """
    size = int(number)
    if scheme == "Poisson":
        ways = 1 if number in (0, 1) else 2**count
    elif scheme == "WithoutReplacement":
        ways = perm(count, size) if ordered else comb(count, size)
    elif ordered:
        ways = count**size
    else:
        ways = comb(count + size - 1, size) if count else 0
    if ways > MOST:
        raise ParameterError(
            f"{count} rows have {ways:.4g} samples, and laws are mixed over at most {MOST}",
            place=place,
            remedy="ask for the law at fewer rows; 12 of them for a rate",
        )
    if scheme == "Poisson":
        for k in range(count + 1):
            share = number**k * (1 - number) ** (count - k)
            if share:
                yield from ((chosen, share) for chosen in combinations(range(count), k))
    elif scheme == "WithoutReplacement":
        listed = permutations if ordered else combinations
        yield from ((chosen, Fraction(1, ways)) for chosen in listed(range(count), size))
    elif ordered:
        yield from ((chosen, Fraction(1, ways)) for chosen in product(range(count), repeat=size))
    else:
        for chosen in combinations_with_replacement(range(count), size):
            orders = factorial(size) // prod(map(factorial, Counter(chosen).values()))
            yield chosen, Fraction(orders, count**size)


def mixed(pairs: Iterable[tuple[Any, Fraction]]) -> Any:
    """The mixture of (law, weight), equal laws together; the weights sum to 1."""
    weights: dict[Any, Fraction] = {}
    others: list[tuple[Any, Fraction]] = []
    for law, weight in pairs:
        try:
            weights[law] = weights.get(law, Fraction(0)) + weight
        except TypeError:
            others.append((law, weight))
    found = [*weights.items(), *others]
    if len(found) == 1:
        return found[0][0]
    return mixture([law for law, _ in found], [weight for _, weight in found])


def sampled_law(
    law_at: Callable[[tuple[int, ...]], Any], scheme: str, number: Fraction, count: int, place: str,
    ordered: bool = True,
) -> Any:  # fmt: skip
    """The mixture of the laws at the positions of every sample; arguments and errors as for
    `row_samples`."""
    samples = row_samples(scheme, number, count, place, ordered)
    return mixed((law_at(chosen), weight) for chosen, weight in samples)
