"""Choices among candidates, and coins: their laws are known, so most are audited exactly."""

from __future__ import annotations

from fractions import Fraction
from math import exp, tanh
from typing import Any

from metricdp.audit.gallery.draws import laplace
from metricdp.audit.gallery.entry import broken, correct
from metricdp.laws.selection import exponential_law, permute_and_flip_law

#: Every score moves by at most 1, in either direction.
_SCORES = [((0, 0), (1, -1)), ((0, 0, 0), (1, -1, -1)), ((0,) * 6, (1,) + (-1,) * 5)]
_COUNTS = [((0,) * 5, (1,) * 5), ((0, 0), (1, 0)), ((0, 1, 1), (1, 0, 0))]


@correct(_SCORES, "scores that move by 1 in both directions have weights exp(score / 2)",
         epsilon=1, auditor="exact")  # fmt: skip
def exponential_mechanism(scores: tuple[int, ...]) -> Any:
    return exponential_law(scores, Fraction(2))


@broken(_SCORES, "weights exp(score) are for scores that all move one way", epsilon=1,
        auditor="exact", twin="exponential_mechanism")  # fmt: skip
def one_sided_exponential_mechanism(scores: tuple[int, ...]) -> Any:
    return exponential_law(scores, Fraction(1))


@correct(_SCORES, "pure epsilon, so rho = epsilon tanh(epsilon / 2)",
         rho=Fraction(tanh(0.5)) + Fraction(1, 10**9), auditor="exact")  # fmt: skip
def permute_and_flip(scores: tuple[int, ...]) -> Any:
    return permute_and_flip_law(scores, Fraction(2))


@broken(_SCORES, "rho = epsilon^2 / 8 is for bounded range, which permute-and-flip has not",
        rho=Fraction(1, 8), auditor="exact", twin="permute_and_flip")  # fmt: skip
def permute_and_flip_as_bounded_range(scores: tuple[int, ...]) -> Any:
    return permute_and_flip_law(scores, Fraction(2))


@correct(_COUNTS, "the place of the largest of noisy counts, scale 2", epsilon=1)
def noisy_max(scores: tuple[int, ...], count: int) -> Any:
    return laplace([scores], 2, (count, len(scores))).argmax(axis=1)


@broken(_COUNTS, "the largest noisy count itself: all of them moved, and all are paid for",
        epsilon=1, twin="noisy_max")  # fmt: skip
def noisy_max_with_its_value(scores: tuple[int, ...], count: int) -> Any:
    return laplace([scores], 2, (count, len(scores))).max(axis=1)


@broken(_COUNTS, "noise of scale 1/2 for counts that move by 1", epsilon=1, twin="noisy_max")
def noisy_max_with_little_noise(scores: tuple[int, ...], count: int) -> Any:
    return laplace([scores], 0.5, (count, len(scores))).argmax(axis=1)


_BITS = [(0, 1)]


@correct(_BITS, "true with 3/4, turned with 1/4: epsilon is ln 3",
         epsilon=Fraction(1098613, 10**6), auditor="exact")  # fmt: skip
def randomized_response(bit: int) -> Any:
    return {bit: Fraction(3, 4), 1 - bit: Fraction(1, 4)}


@broken(_BITS, "the same coin, called epsilon 1", epsilon=1, auditor="exact",
        twin="randomized_response")  # fmt: skip
def randomized_response_rounded_down(bit: int) -> Any:
    return {bit: Fraction(3, 4), 1 - bit: Fraction(1, 4)}


@broken([(0, 1), (0, 9)],
        "of ten answers the others share the rest: the ratio is nine times that of two",
        epsilon=1, auditor="exact", twin="randomized_response")  # fmt: skip
def ten_answers_with_the_coin_of_two(answer: int) -> Any:
    kept = Fraction(exp(1) / (1 + exp(1)))
    return {k: kept if k == answer else (1 - kept) / 9 for k in range(10)}
