# ruff: noqa
# fmt: off
# Written by `python -m metricdp.opendp.stubs`; do not edit.
"""`opendp.trans` of 2021."""

from collections.abc import Callable, Iterable
from typing import Any

from metricdp.opendp.constructor import Partial as Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation

def make_bounded_resize(
    size: int,
    bounds: tuple[float, float],
    constant: Any,
    TA: Any = ...,
) -> Transformation:
    """resize: a table of exactly `size` rows: rows are dropped, or a constant is appended.

    Which rows stay does not depend on their order: the j-th copy of a value v has the key h(v, j), with
    h a fixed public hash, and the rows of the `size` smallest keys stay.  Their values look like a
    random sample, and the function is deterministic.
    Stability.  One row more is one key more, since the copies of a value are numbered: the smallest
    keys then lose at most one (pushed out, or a constant) and gain at most one, so a row that is added
    or removed replaces at most one row of the result: symmetric to change-one distance, 1.  A row that
    is replaced is one key less and one more, and the result changes in at most one row: 1.
    The order of the result is not promised, so the insert-delete distance, which is at least the
    symmetric, and Hamming, at least the change-one, go to change-one distance as well.
    Tight: add a row to a table that is too short; replace a row of one that fits.
    Source: nesting of the smallest keys; OpenDP make_resize counts the replaced row as 2 (symmetric).
    """
    ...

def make_bounded_sum(
    bounds: tuple[float, float],
    T: Any = ...,
) -> Transformation:
    """sum: the sum of the entries of a vector, or of the rows of a table.

    Stability.  Vectors over R: |sum x - sum x'| <= |x - x'|_1, and |v|_1 <= n^(1-1/p) |v|_p (Hoelder).
    Tight: L1 move one entry; L2 and LInf move all entries alike.
    Records with rows in [lo, hi]: one added or removed row moves the sum by at most max(|lo|, |hi|);
    one replaced row by at most hi - lo; k rows by k times that (triangle inequality).  Tight: copies
    of the larger end added; rows at one end replaced by the other.
    Source: folklore; rules of Lp norms; cf. OpenDP make_sum.  Exact addition, so order does not matter.
    """
    ...

def make_cast(
    TIA: Any,
    TOA: Any,
) -> Transformation:
    """cast: every row as a value of another type; rows without such a value are missing.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: what has no value in the type (text that is no number, a number beyond the type's range)
    becomes missing, and no exception speaks of the data.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_cast and make_cast_inherent.
    """
    ...

def make_cast_default(
    TIA: Any,
    TOA: Any,
) -> Transformation:
    """cast_default: every row as a value of another type, 0, False or "" where there is none.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: what has no value in the type, and what is missing, becomes the type's default.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_cast_default.
    """
    ...

def make_cast_inherent(
    TIA: Any,
    TOA: Any,
) -> Transformation:
    """cast: every row as a value of another type; rows without such a value are missing.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: what has no value in the type (text that is no number, a number beyond the type's range)
    becomes missing, and no exception speaks of the data.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_cast and make_cast_inherent.
    """
    ...

def make_cast_metric(
    MI: Any,
    MO: Any,
    TA: Any,
) -> Transformation:
    """The identity between the metrics of tables.

    Args:
        MI, MO: "SubstituteDistance" and "SymmetricDistance": a row that is replaced is removed, and
            another one added.
        TA: type of the rows.

    Raises:
        ParameterError: other metrics; from the symmetric distance to substitutions a public size is
            needed, which 2021's constructor does not take.
    """
    ...

def make_clamp(
    bounds: tuple[float, float],
    TA: Any = ...,
) -> Transformation:
    """clamp: moves a number into [lower, upper]; on vectors, matrices and columns every entry or row.

    Stability.  Clamping is the nearest point of an interval, so it is 1-stable on every entry, hence in
    every norm; over discrete entries equal values stay equal, 1 as well; on a table it is a map of
    rows, 1-stable in every metric on records.  Private bounds cost 1 each: max(lower, min(x, upper))
    moves by at most the largest movement of the three.  Tight: move inside the interval.
    The range of the result is what makes sums, products and undisc finite.
    Source: projection on an interval is 1-Lipschitz; OpenDP make_clamp.
    """
    ...

def make_count(
    TIA: Any,
    TO: Any = ...,
) -> Transformation:
    """count: how many rows there are, or how many rows a predicate accepts.

    Stability.  Records: one row added or removed moves the count by at most 1: 1 under the symmetric
    and insert-delete distances.  Under change-one and Hamming distance the number of rows is public
    (0); with a predicate one replaced row moves the count by at most 1.
    Vectors of discrete entries: k changed entries move the count by at most k.  L1 is at least k: 1;
    L2 is at least sqrt(k), and k <= sqrt(n) sqrt(k): sqrt(n); LInf is at least 1, and k <= n: n.
    Matrices of discrete rows: every changed row has distance at least 1, so 1 in every norm.
    Tight: change entries (rows) from rejected to accepted, all of them under L2 and LInf.
    A predicate on real entries, or one that captures a private real, has no bound.
    Source: folklore; Duet's `count`; n^(1-1/p) from Hoelder over the changed entries.
    """
    ...

def make_count_by(
    size: int,
    MO: Any,
    TIA: Any,
    TOA: Any = ...,
) -> Transformation:
    """count_by: how many rows there are of each value, as a dictionary; values that no row has are not
    in it.

    Stability.  A row added or removed moves one count by 1: k rows move at most k keys, by at most k in
    all, and by k at once when they are equal: 1 in L0, L1, L2 and LInf.  A replaced row (change-one,
    Hamming) leaves one count and enters another: 2 keys, 2 in L1, sqrt(2) in L2, 1 in LInf, times k for
    k rows.  Per unit of distance the three norms of a triple move by at most those numbers, so
    the triple with `per` = (1, 1, 1), or (2, 2, 1), moves by d_in.
    Tight: add rows, distinct for L0, equal for L2 and LInf; turn rows of one value into another.
    The keys are sorted, so that the order of the rows is not seen.
    Source: folklore; Bun, Nissim, Stemmer 2016 (stability-based histograms); OpenDP make_count_by.
    """
    ...

def make_count_by_categories(
    categories: Any,
    MO: Any = ...,
    TIA: Any = ...,
    TOA: Any = ...,
) -> Transformation:
    """histogram: how many rows equal each of the public categories, or lie between each two public
    edges, as one vector of counts.

    By edges: bin i holds the rows from edge i on up to edge i + 1, which lies in the next bin; the
    last bin holds its last edge as well.  A row outside of all edges is counted nowhere, as
    numpy.histogram does it.

    Stability.  A row that equals none of the categories is counted nowhere, one that equals several
    only in the first, so a row moves one count; with `null_category` one count more, at the end, holds
    the rows that equal none.  Records: k rows added or removed move the counts by at
    most k in L1, and, when all are equal, in L2 and LInf as well: 1 in every norm.  Under change-one
    and Hamming distance a replaced row leaves one count and enters another: 2 in L1, sqrt(2) in L2,
    1 in LInf, k times that for k rows.  A vector of discrete entries is the same with k changed
    entries; k is at most the distance in L1, sqrt(n) times that in L2, n times that in LInf.
    Tight: add equal rows; turn rows of one category into another.
    Source: folklore; the constants of disjoint counting queries (Dwork and Roth 2014, section 3.3).
    """
    ...

def make_count_distinct(
    TIA: Any,
    TO: Any = ...,
) -> Transformation:
    """count_distinct: how many different values the rows of a table have.

    Stability.  A row added or removed brings or takes at most one value: 1 under the symmetric and
    insert-delete distances.  A replaced row may take the last of one value away and bring a new one,
    which cancel, or do one of the two: 1 under change-one and Hamming distance as well.
    Tight: add rows of new values; make rows that were equal different.
    Source: folklore; rules of tables; OpenDP make_count_distinct.
    """
    ...

def make_create_dataframe(
    col_names: Any,
    K: Any = ...,
) -> Transformation:
    """create_dataframe: rows whose cells are found by the public names of columns.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a line that is too short ends in empty cells, and what a line has too much is left out.
    Tight: add a line, or replace it.
    Source: rules of tables, row-wise maps; OpenDP make_create_dataframe.
    """
    ...

def make_find(
    categories: Any,
    TIA: Any = ...,
) -> Transformation:
    """find: the position of each row in a public list of categories; missing where it is none of them.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: rows of one category are added, or take the place of rows of another.
    Source: rules of tables, row-wise maps; OpenDP make_find.
    """
    ...

def make_find_bin(
    edges: Any,
    TIA: Any = ...,
) -> Transformation:
    """find_bin: the number of public edges at or below each row, which is the bin that it falls into.

    Bin 0 lies below the first edge, bin i holds edge i - 1 and what follows it.
    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: rows of one bin are added, or take the place of rows of another.
    Source: rules of tables, row-wise maps; OpenDP make_find_bin.
    """
    ...

def make_identity(
    TA: Any = ...,
) -> Transformation:
    """identity: the value itself.

    Stability.  Outputs are the inputs: 1 in every metric.
    Tight: any two values.
    Source: definition of a stability map; OpenDP make_identity.
    """
    ...

def make_impute_constant(
    constant: Any,
    DA: Any = ...,
) -> Transformation:
    """impute: puts a public constant in the place of missing rows.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  The
    constant is public; one computed from the data (their mean) would move every missing row.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_impute_constant.
    """
    ...

def make_impute_uniform_float(
    bounds: tuple[float, float],
    TA: Any = ...,
) -> Transformation:
    """impute_uniform: missing rows become numbers spread evenly over [lower, upper].

    The j-th missing row becomes lower + (upper - lower) * v_j, as a double, with v_1, v_2, ... the van
    der Corput sequence (1/2, 1/4, 3/4, 1/8, ...): public numbers that fill the interval evenly.
    Nothing is drawn, so the map can be attacked, and its result is a function of the table.
    Stability.  As a multiset the result depends on the rows that are there and on how many are missing:
    one missing row more is one number more.  So symmetric to symmetric distance, 1, and change-one to
    change-one, 1 (a replaced row takes the last number away, or adds the next).  Order is not kept: a
    missing row inserted in front renumbers all that follow, so insert-delete distance goes to symmetric
    and Hamming to change-one, 1.
    Tight: add a row, or replace it.
    Source: rules of tables; OpenDP make_impute_uniform_float draws the numbers.
    """
    ...

def make_index(
    categories: Any,
    null: Any,
    TOA: Any = ...,
) -> Transformation:
    """lookup: the public value at the position that each row holds; `null` beyond the list.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a position outside the list, or a missing one, gives the public `null`.
    Tight: rows at one position are added, or take the place of rows at another.
    Source: rules of tables, row-wise maps; OpenDP make_index.
    """
    ...

def make_is_equal(
    value: Any,
    TIA: Any = ...,
) -> Transformation:
    """is_equal: whether each row equals a public value.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A
    missing row equals no value.
    Tight: rows with the value are added, or take the place of others.
    Source: rules of tables, row-wise maps; OpenDP make_is_equal.
    """
    ...

def make_is_null(
    DIA: Any,
) -> Transformation:
    """is_null: whether each row is missing.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: missing rows are added, or take the place of others.
    Source: rules of tables, row-wise maps; OpenDP make_is_null.
    """
    ...

def make_resize(
    size: int,
    constant: Any,
    TA: Any = ...,
) -> Transformation:
    """resize: a table of exactly `size` rows: rows are dropped, or a constant is appended.

    Which rows stay does not depend on their order: the j-th copy of a value v has the key h(v, j), with
    h a fixed public hash, and the rows of the `size` smallest keys stay.  Their values look like a
    random sample, and the function is deterministic.
    Stability.  One row more is one key more, since the copies of a value are numbered: the smallest
    keys then lose at most one (pushed out, or a constant) and gain at most one, so a row that is added
    or removed replaces at most one row of the result: symmetric to change-one distance, 1.  A row that
    is replaced is one key less and one more, and the result changes in at most one row: 1.
    The order of the result is not promised, so the insert-delete distance, which is at least the
    symmetric, and Hamming, at least the change-one, go to change-one distance as well.
    Tight: add a row to a table that is too short; replace a row of one that fits.
    Source: nesting of the smallest keys; OpenDP make_resize counts the replaced row as 2 (symmetric).
    """
    ...

def make_select_column(
    key: Any,
    TOA: Any,
    K: Any = ...,
) -> Transformation:
    """select_column: the cell of one public name in every row, in a public type.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a cell that is not there, or has no value in the type, is 0, False or empty text.
    Tight: add a row, or replace it by one with another cell.
    Source: rules of tables, row-wise maps; OpenDP make_select_column.
    """
    ...

def make_sized_bounded_mean(
    size: int,
    bounds: tuple[float, float],
    T: Any = ...,
) -> Transformation:
    """mean: the mean of the entries of a vector, or of the rows of a table.

    Stability.  Vectors over R of n entries: the sum's bound over n, n^(-1/p) from L_p.
    Records with rows in [L, U], R = U - L.  Known size n (change-one, Hamming): one replaced row moves
    the mean by at most R / n; so n >= 1 is required.
    Unknown size (symmetric, insert-delete): a table of fewer than n0 = `at_least` rows is filled up to
    n0 rows with the public value m = `empty` (default 0), so the mean is total.  Below n0 rows an added
    row takes the place of an m and moves the mean by at most max(|U - m|, |L - m|) / n0; from n >= n0
    rows on, the mean moves by |x - mean| / (n + 1) <= R / (n0 + 1).  The bound is the larger one; with
    n0 = 1 it is max(R/2, |U - m|, |L - m|), and m = (L + U)/2 makes it R/2.
    Tight: n0 rows at U, add an L; or no rows, add the end that is farther from m.
    Source: OpenDP make_mean; leave-one-out form of the mean.  Exact sum, so order does not matter.
    """
    ...

def make_sized_bounded_sum(
    size: int,
    bounds: tuple[float, float],
    T: Any = ...,
) -> Transformation:
    """sum: the sum of the entries of a vector, or of the rows of a table.

    Stability.  Vectors over R: |sum x - sum x'| <= |x - x'|_1, and |v|_1 <= n^(1-1/p) |v|_p (Hoelder).
    Tight: L1 move one entry; L2 and LInf move all entries alike.
    Records with rows in [lo, hi]: one added or removed row moves the sum by at most max(|lo|, |hi|);
    one replaced row by at most hi - lo; k rows by k times that (triangle inequality).  Tight: copies
    of the larger end added; rows at one end replaced by the other.
    Source: folklore; rules of Lp norms; cf. OpenDP make_sum.  Exact addition, so order does not matter.
    """
    ...

def make_sized_bounded_variance(
    size: int,
    bounds: tuple[float, float],
    ddof: int = ...,
    T: Any = ...,
) -> Transformation:
    """variance: the sum of squared deviations of the rows over n - ddof.

    Stability.  Rows in [L, U], R = U - L, known size n (change-one, Hamming): k replaced rows move it
    by at most R^2 j(n - j)/(n (n - ddof)), j = min(k, floor(n/2)); proof in `_deviations`.  Where the
    number of rows is private there is no bound that falls with n: the rule refuses.
    Tight: all rows at L, k of them replaced by U.
    Source: leave-one-out form of the variance; rules of tables: R^2 (n - 1)/n^2 for ddof = 0, R^2/n for
    ddof = 1.  OpenDP's map is k times the value for one row.
    """
    ...

def make_split_dataframe(
    separator: str,
    col_names: Any,
    K: Any = ...,
) -> Transformation:
    """split_lines: the lines of a text as the rows of a table.

    A line break ends a line, with or without a carriage return; one at the end begins no other line.
    Stability.  The distance of two texts is the symmetric distance of their lines: 1.
    Tight: add a line.
    Source: rules of tables; OpenDP make_split_lines.


    split_records: every line cut into cells at a separator, spaces around them left out.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: add a line, or replace it.
    Source: rules of tables, row-wise maps; OpenDP make_split_records.


    create_dataframe: rows whose cells are found by the public names of columns.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a line that is too short ends in empty cells, and what a line has too much is left out.
    Tight: add a line, or replace it.
    Source: rules of tables, row-wise maps; OpenDP make_create_dataframe.
    """
    ...

def make_split_lines() -> Transformation:
    """split_lines: the lines of a text as the rows of a table.

    A line break ends a line, with or without a carriage return; one at the end begins no other line.
    Stability.  The distance of two texts is the symmetric distance of their lines: 1.
    Tight: add a line.
    Source: rules of tables; OpenDP make_split_lines.
    """
    ...

def make_split_records(
    separator: str,
) -> Transformation:
    """split_records: every line cut into cells at a separator, spaces around them left out.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: add a line, or replace it.
    Source: rules of tables, row-wise maps; OpenDP make_split_records.
    """
    ...

def make_unclamp(
    bounds: tuple[float, float],
    TA: Any = ...,
) -> Transformation:
    """identity: the value itself.

    Stability.  Outputs are the inputs: 1 in every metric.
    Tight: any two values.
    Source: definition of a stability map; OpenDP make_identity.
    """
    ...
