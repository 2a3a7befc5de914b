"""Operator norms of a public matrix B as the map v -> v B of rows, exact or rounded up.

L1 -> Lq: the largest Lq norm of a row.  Lp -> LInf: the largest dual norm of a column.
L2 -> L2: the spectral norm; exact when B's rows or columns are orthogonal or B has rank one, else a
rational above it, certified by an exact Cholesky pivoting, within 1e-9.
L2 -> L1 and LInf -> Lq: the maximum over sign vectors, exact up to 2**12 of them; above that, exact
for LInf when B is nonnegative, else a bound (sums of norms of columns; of absolute values).
Source: rules of vectors, public matrices; norm duality; extreme points of the unit balls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from math import sqrt

from metricdp.errors import SpaceError
from metricdp.expr import Expr, num, root
from metricdp.spaces.lengths import Length
from metricdp.spaces.norms import L1, L2, LInf, dual, norm_of

Rows = tuple[tuple[Fraction, ...], ...]
_SIGNS = 12
_PIVOTED = 40


def operator_norm(b: Rows, p: str, q: str) -> Expr:
    """|B|_{p -> q} of the row map v -> v B; at or above it where no exact form is known.

    Args:
        b: rows of B, n rows and m columns, at least one of each.
        p, q: "L1", "L2" or "LInf".
    """
    columns = transposed(b)
    if p == L1.name:
        return _largest(b, q)
    if q == LInf.name:
        return _largest(columns, dual(p))
    if (p, q) == (L2.name, L2.name):
        return _spectral(b, columns)
    if (p, q) == (L2.name, L1.name):
        return _over_signs(columns, b, _sum_of_columns)
    if p == LInf.name and q in (L1.name, L2.name):
        return _cube(b, columns, q)
    raise SpaceError(f"no operator norm from {p} to {q} is known")


def column_sums(a: Rows) -> Expr:
    """max_k sum_i |A_ik|: how far A X moves, in row-summed distance, per unit of X."""
    return num(max(sum(map(abs, column), Fraction(0)) for column in transposed(a)))


def transposed(b: Rows) -> Rows:
    """Columns as rows."""
    return tuple(zip(*b, strict=True))


def _square(v: Iterable[Fraction]) -> Fraction:
    return sum((x * x for x in v), Fraction(0))


def _largest(vectors: Rows, norm: str) -> Expr:
    lengths = (norm_of(norm).length([abs(x) for x in v]) for v in vectors)
    return max(lengths, key=Length.square).expr()


def _combined(signs: Iterable[int], vectors: Rows) -> list[Fraction]:
    """Sum of the vectors with signs."""
    total = [Fraction(0)] * len(vectors[0])
    for sign, vector in zip(signs, vectors, strict=True):
        total = [t + sign * x for t, x in zip(total, vector, strict=True)]
    return total


def _over_signs(vectors: Rows, other: Rows, bound: Callable[[Rows], Expr]) -> Expr:
    """max over signs t of |sum t_j vectors_j|_2."""
    if len(vectors) > _SIGNS:
        return bound(vectors)
    return root(num(max(_square(_combined((1, *t), vectors)) for t in _signs(len(vectors)))))


def _signs(n: int) -> Iterable[tuple[int, ...]]:
    """Sign vectors of the entries after the first: a norm does not see the overall sign."""
    return product((1, -1), repeat=n - 1)


def _sum_of_columns(columns: Rows) -> Expr:
    total = num(0)
    for column in columns:
        total = total + root(num(_square(column)))
    return total


def _cube(b: Rows, columns: Rows, q: str) -> Expr:
    """max over signs t of |t B|_q for q = L1, L2."""
    if all(x >= 0 for row in b for x in row):
        sums = [sum(column, Fraction(0)) for column in columns]
        return num(sum(sums)) if q == L1.name else root(num(_square(sums)))
    if q == L2.name:
        return _over_signs(b, columns, _sum_of_columns)
    if len(b) > _SIGNS:
        return num(sum((abs(x) for row in b for x in row), Fraction(0)))
    return num(max(sum(map(abs, _combined((1, *t), b)), Fraction(0)) for t in _signs(len(b))))


def _spectral(b: Rows, columns: Rows) -> Expr:
    gram = min((_gram(b), _gram(columns)), key=len)
    size = len(gram)
    trace = sum((gram[i][i] for i in range(size)), Fraction(0))
    if all(gram[i][j] == 0 for i in range(size) for j in range(size) if i != j):
        return root(num(max(gram[i][i] for i in range(size))))
    rank_one = all(
        gram[i][j] * gram[i][j] == gram[i][i] * gram[j][j] for i in range(size) for j in range(i)
    )
    if rank_one or size > _PIVOTED:
        return root(num(trace))  # Frobenius: exact for rank one, else above
    try:
        guess = _power_iteration(gram)
    except OverflowError:  # entries that no double holds
        return root(num(trace))
    slack = Fraction(1, 10**10)
    while slack < 1:
        candidate = _rounded_up(guess * (1 + slack))
        if candidate >= trace:
            break
        if _is_above(candidate, gram):
            return root(num(candidate))
        slack *= 10
    return root(num(trace))


def _gram(vectors: Rows) -> Rows:
    return tuple(
        tuple(sum((x * y for x, y in zip(u, v, strict=True)), Fraction(0)) for v in vectors)
        for u in vectors
    )


def _power_iteration(gram: Rows) -> Fraction:
    """A double near the largest eigenvalue; only a guess."""
    g = [[float(x) for x in row] for row in gram]
    v = [1.0 + 0.1 * i for i in range(len(g))]
    top = 0.0
    for _ in range(300):
        w = [sum(x * y for x, y in zip(row, v, strict=True)) for row in g]
        top = sqrt(sum(x * x for x in w))
        if top == 0:
            break
        v = [x / top for x in w]
    return Fraction(top)


def _rounded_up(x: Fraction) -> Fraction:
    """The next rational with at most 12 significant digits or so."""
    scale = Fraction(10) ** (12 - len(str(int(x))))
    return Fraction(-(-x * scale // 1)) / scale


def _is_above(top: Fraction, gram: Rows) -> bool:
    """Whether top * I - gram is positive definite, by exact elimination."""
    n = len(gram)
    m = [[(top if i == j else 0) - gram[i][j] for j in range(n)] for i in range(n)]
    for k in range(n):
        if m[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            factor = m[i][k] / m[k][k]
            m[i] = [x - factor * y for x, y in zip(m[i], m[k], strict=True)]
    return True
