# ruff: noqa
# fmt: off
# Written by `python -m metricdp.opendp.stubs`; do not edit.
"""Transformations by OpenDP's names."""

from collections.abc import Callable, Iterable
from typing import Any

from metricdp.opendp.constructor import Partial as Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation

def make_b_ary_tree(
    input_domain: Domain,
    input_metric: Metric,
    leaf_count: Any,
    branching_factor: Any,
) -> Transformation:
    """b_ary_tree: the counts of the leaves, and above them the sums of b children each, as one vector.

    Breadth first, the root first; missing leaves count 0, and of the last level only the leaves that
    there are is kept.  h is the number of levels, s_1, s_2, ... are the sizes of the groups of leaves
    below the nodes of a level, at most m = min(b^level, leaves).
    Stability.  From L1: a leaf is in h sums: h in L1, sqrt(h) in L2, 1 in LInf.
    From L2: a level is a sum over disjoint groups, sqrt(m) in L2, so the root of the sum of m over the
    levels in L2; h sqrt(leaves) in L1; sqrt(leaves) in LInf.
    From LInf: h leaves in L1, the root of the sum of s_i^2 over all nodes in L2, leaves in LInf.
    Tight: one leaf; all leaves alike.  From L2 to L2 with fewer than b^(h - 1) leaves: a bound.
    Source: Hay et al. 2010; rules of norms.  Under L2 the height alone, as in OpenDP, is unsound.
    """
    ...

def then_b_ary_tree(
    leaf_count: Any,
    branching_factor: Any,
) -> Partial:
    """`make_b_ary_tree` on the space to the left of `>>`."""
    ...

def make_bounded_float_checked_sum(
    size_limit: Any,
    bounds: tuple[float, float],
    S: Any = ...,
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

def make_bounded_float_ordered_sum(
    size_limit: Any,
    bounds: tuple[float, float],
    S: Any = ...,
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

def make_bounded_int_monotonic_sum(
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

def make_bounded_int_ordered_sum(
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

def make_bounded_int_split_sum(
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
    input_domain: Domain,
    input_metric: Metric,
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

def then_cast(
    TOA: Any,
) -> Partial:
    """`make_cast` on the space to the left of `>>`."""
    ...

def make_cast_default(
    input_domain: Domain,
    input_metric: Metric,
    TOA: Any,
) -> Transformation:
    """cast_default: every row as a value of another type, 0, False or "" where there is none.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: what has no value in the type, and what is missing, becomes the type's default.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_cast_default.
    """
    ...

def then_cast_default(
    TOA: Any,
) -> Partial:
    """`make_cast_default` on the space to the left of `>>`."""
    ...

def make_cast_inherent(
    input_domain: Domain,
    input_metric: Metric,
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

def then_cast_inherent(
    TOA: Any,
) -> Partial:
    """`make_cast_inherent` on the space to the left of `>>`."""
    ...

def make_checked(
    input_domain: Domain,
    input_metric: Metric,
    function: Any,
) -> Any:
    """A checked function as a map of the library: its bound is proved from its source.

    Args:
        function: decorated with `metricdp.transformation` or `metricdp.measurement`, with one
            private argument and no public ones, or what its `.at(...)` returns.
    """
    ...

def then_checked(
    function: Any,
) -> Partial:
    """`make_checked` on the space to the left of `>>`."""
    ...

def make_clamp(
    input_domain: Domain,
    input_metric: Metric,
    bounds: tuple[float, float],
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

def then_clamp(
    bounds: tuple[float, float],
) -> Partial:
    """`make_clamp` on the space to the left of `>>`."""
    ...

def make_count(
    input_domain: Domain,
    input_metric: Metric,
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

def then_count(
    TO: Any = ...,
) -> Partial:
    """`make_count` on the space to the left of `>>`."""
    ...

def make_count_by(
    input_domain: Domain,
    input_metric: Metric,
    TV: Any = ...,
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

def then_count_by(
    TV: Any = ...,
) -> Partial:
    """`make_count_by` on the space to the left of `>>`."""
    ...

def make_count_by_categories(
    input_domain: Domain,
    input_metric: Metric,
    categories: Any,
    null_category: Any = ...,
    MO: Any = ...,
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

def then_count_by_categories(
    categories: Any,
    null_category: Any = ...,
    MO: Any = ...,
    TOA: Any = ...,
) -> Partial:
    """`make_count_by_categories` on the space to the left of `>>`."""
    ...

def make_count_distinct(
    input_domain: Domain,
    input_metric: Metric,
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

def then_count_distinct(
    TO: Any = ...,
) -> Partial:
    """`make_count_distinct` on the space to the left of `>>`."""
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

def make_df_cast_default(
    input_domain: Domain,
    input_metric: Metric,
    column_name: Any,
    TIA: Any,
    TOA: Any,
) -> Transformation:
    """df_cast_default: the cell of one public name in every row as a value of another type.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a cell that is not there, or has no value in the type, becomes 0, False or empty text.
    Tight: add a row, or replace it by one with another cell.
    Source: rules of tables, row-wise maps; OpenDP make_df_cast_default.
    """
    ...

def then_df_cast_default(
    column_name: Any,
    TIA: Any,
    TOA: Any,
) -> Partial:
    """`make_df_cast_default` on the space to the left of `>>`."""
    ...

def make_df_is_equal(
    input_domain: Domain,
    input_metric: Metric,
    column_name: Any,
    value: Any,
    TIA: Any = ...,
) -> Transformation:
    """df_is_equal: the cell of one public name in every row replaced by whether it has a public value.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A cell
    that is not there has no value; a number and a text are never equal.
    Tight: add a row, or replace it by one with another answer.
    Source: rules of tables, row-wise maps; OpenDP make_df_is_equal.
    """
    ...

def then_df_is_equal(
    column_name: Any,
    value: Any,
    TIA: Any = ...,
) -> Partial:
    """`make_df_is_equal` on the space to the left of `>>`."""
    ...

def make_drop_null(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """drop_null: the rows that are there, in their order.

    Stability.  A filter: an added or removed row adds or removes at most that row, 1 under the
    symmetric and insert-delete distances.  A row that is replaced can become another that is there, so
    one leaves and one enters: 2 from change-one distance to the symmetric, from Hamming to the
    insert-delete distance, and the number of rows becomes private.
    Tight: rows that are there are added, or replaced by others.
    Source: rules of tables, filter; OpenDP make_drop_null.
    """
    ...

def then_drop_null() -> Partial:
    """`make_drop_null` on the space to the left of `>>`."""
    ...

def make_find(
    input_domain: Domain,
    input_metric: Metric,
    categories: Any,
) -> Transformation:
    """find: the position of each row in a public list of categories; missing where it is none of them.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: rows of one category are added, or take the place of rows of another.
    Source: rules of tables, row-wise maps; OpenDP make_find.
    """
    ...

def then_find(
    categories: Any,
) -> Partial:
    """`make_find` on the space to the left of `>>`."""
    ...

def make_find_bin(
    input_domain: Domain,
    input_metric: Metric,
    edges: Any,
) -> Transformation:
    """find_bin: the number of public edges at or below each row, which is the bin that it falls into.

    Bin 0 lies below the first edge, bin i holds edge i - 1 and what follows it.
    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: rows of one bin are added, or take the place of rows of another.
    Source: rules of tables, row-wise maps; OpenDP make_find_bin.
    """
    ...

def then_find_bin(
    edges: Any,
) -> Partial:
    """`make_find_bin` on the space to the left of `>>`."""
    ...

def make_identity(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """identity: the value itself.

    Stability.  Outputs are the inputs: 1 in every metric.
    Tight: any two values.
    Source: definition of a stability map; OpenDP make_identity.
    """
    ...

def then_identity() -> Partial:
    """`make_identity` on the space to the left of `>>`."""
    ...

def make_impute_constant(
    input_domain: Domain,
    input_metric: Metric,
    constant: Any,
) -> Transformation:
    """impute: puts a public constant in the place of missing rows.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  The
    constant is public; one computed from the data (their mean) would move every missing row.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_impute_constant.
    """
    ...

def then_impute_constant(
    constant: Any,
) -> Partial:
    """`make_impute_constant` on the space to the left of `>>`."""
    ...

def make_impute_uniform_float(
    input_domain: Domain,
    input_metric: Metric,
    bounds: tuple[float, float],
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

def then_impute_uniform_float(
    bounds: tuple[float, float],
) -> Partial:
    """`make_impute_uniform_float` on the space to the left of `>>`."""
    ...

def make_index(
    input_domain: Domain,
    input_metric: Metric,
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

def then_index(
    categories: Any,
    null: Any,
    TOA: Any = ...,
) -> Partial:
    """`make_index` on the space to the left of `>>`."""
    ...

def make_is_equal(
    input_domain: Domain,
    input_metric: Metric,
    value: Any,
) -> Transformation:
    """is_equal: whether each row equals a public value.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A
    missing row equals no value.
    Tight: rows with the value are added, or take the place of others.
    Source: rules of tables, row-wise maps; OpenDP make_is_equal.
    """
    ...

def then_is_equal(
    value: Any,
) -> Partial:
    """`make_is_equal` on the space to the left of `>>`."""
    ...

def make_is_null(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """is_null: whether each row is missing.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: missing rows are added, or take the place of others.
    Source: rules of tables, row-wise maps; OpenDP make_is_null.
    """
    ...

def then_is_null() -> Partial:
    """`make_is_null` on the space to the left of `>>`."""
    ...

def make_lipschitz_float_mul(
    input_domain: Domain,
    input_metric: Metric,
    constant: Any,
    bounds: tuple[float, float],
) -> Transformation:
    """lipschitz_float_mul: a number, clamped, times a public constant, without rounding; |constant| * d_in."""
    ...

def then_lipschitz_float_mul(
    constant: Any,
    bounds: tuple[float, float],
) -> Partial:
    """`make_lipschitz_float_mul` on the space to the left of `>>`."""
    ...

def make_mean(
    input_domain: Domain,
    input_metric: Metric,
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

def then_mean() -> Partial:
    """`make_mean` on the space to the left of `>>`."""
    ...

def make_metric_bounded(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """metric_bounded: tables of one public size, by the number of rows replaced.

    Two tables of one size are an even number of additions and removals apart, two for each row that is
    replaced, so the map is floor(d_in / 2).  From the insert-delete to the Hamming distance there is no
    such map: moving the first row to the end is 2 apart and changes every position.
    """
    ...

def then_metric_bounded() -> Partial:
    """`make_metric_bounded` on the space to the left of `>>`."""
    ...

def make_metric_unbounded(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """metric_bounded: tables of one public size, by the number of rows replaced.

    Two tables of one size are an even number of additions and removals apart, two for each row that is
    replaced, so the map is floor(d_in / 2).  From the insert-delete to the Hamming distance there is no
    such map: moving the first row to the end is 2 apart and changes every position.
    """
    ...

def then_metric_unbounded() -> Partial:
    """`make_metric_unbounded` on the space to the left of `>>`."""
    ...

def make_ordered_random(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """ordered: the rows in a public order that depends on their values only and looks random.

    The j-th copy of a value stands where the hash of (value, j) puts it; nothing is drawn, so the map
    can be attacked.
    Stability.  One row added or removed is one key more or less in a sorted list, since copies are
    numbered: symmetric to insert-delete distance, 1.  A replaced row moves from one place to another,
    and all rows between shift: change-one to Hamming distance has no better bound than the number of
    rows.  (A secret uniform permutation would give 1, by using the same permutation on both sides.)
    Tight: add a row; replace the first row by one that is last.
    Source: conversions between metrics on tables, "sort"; OpenDP make_ordered_random.
    """
    ...

def then_ordered_random() -> Partial:
    """`make_ordered_random` on the space to the left of `>>`."""
    ...

def make_quantile_score_candidates(
    input_domain: Domain,
    input_metric: Metric,
    candidates: Any,
    alpha: float,
) -> Transformation:
    """quantile_scores: how far each public candidate is from being the alpha-quantile of the rows.

    The score of a candidate t is |(1 - alpha) #{rows < t} - alpha #{rows > t}| times `scale`: small at
    the quantile.
    Stability.  A row added or removed moves one of the two numbers by 1, so every score by at most
    max(alpha, 1 - alpha) in LInf, and m times that in L1, sqrt(m) times in L2, for m candidates.  A
    replaced row moves a score by at most (1 - alpha) + alpha = 1.  All times `scale`.
    Tight: add rows on the heavier side of all candidates; move rows from below all candidates to above.
    Source: Smith 2011; rules of tables; OpenDP make_quantile_score_candidates.
    """
    ...

def then_quantile_score_candidates(
    candidates: Any,
    alpha: float,
) -> Partial:
    """`make_quantile_score_candidates` on the space to the left of `>>`."""
    ...

def make_resize(
    input_domain: Domain,
    input_metric: Metric,
    size: int,
    constant: Any,
    MO: Any = ...,
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

def then_resize(
    size: int,
    constant: Any,
    MO: Any = ...,
) -> Partial:
    """`make_resize` on the space to the left of `>>`."""
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

def make_sized_bounded_float_checked_sum(
    size: int,
    bounds: tuple[float, float],
    S: Any = ...,
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

def make_sized_bounded_float_ordered_sum(
    size: int,
    bounds: tuple[float, float],
    S: Any = ...,
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

def make_sized_bounded_int_checked_sum(
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

def make_sized_bounded_int_monotonic_sum(
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

def make_sized_bounded_int_ordered_sum(
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

def make_sized_bounded_int_split_sum(
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

def make_subset_by(
    indicator_column: Any,
    keep_columns: Any,
    TK: Any = ...,
) -> Transformation:
    """subset_by: the rows in which the cell of a public name is True, with some of their columns.

    Stability.  A filter: an added or removed row adds or removes at most that row, 1 under the
    symmetric and insert-delete distances.  A replaced row can leave while its successor enters: 2 from
    change-one distance to the symmetric, from Hamming to the insert-delete distance.
    Tight: rows that are kept are added, or replaced by others that are kept.
    Source: rules of tables, filter; OpenDP make_subset_by.
    """
    ...

def make_sum(
    input_domain: Domain,
    input_metric: Metric,
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

def then_sum() -> Partial:
    """`make_sum` on the space to the left of `>>`."""
    ...

def make_sum_of_squared_deviations(
    input_domain: Domain,
    input_metric: Metric,
    S: Any = ...,
) -> Transformation:
    """sum_of_squared_deviations: the sum of (x - mean)^2 over the rows of a table.

    Stability.  Rows in [L, U], R = U - L.  Known size n (change-one, Hamming): k replaced rows move it
    by at most R^2 j(n - j)/n, j = min(k, floor(n/2)); proof in `_deviations`.
    Unknown size: a row added to n >= 1 rows adds n/(n + 1) (x - mean)^2 < R^2, and the first row adds
    0: R^2 under the symmetric and insert-delete distances.
    Tight: rows at L replaced by U, all others at L; for unknown size approached by adding a U to many
    rows at L.
    Source: leave-one-out form of the sum of squares; rules of tables.  OpenDP's constant R^2 (n - 1)/n
    per row is loose for k > 1, and its mean was rounded in between; here the sum is exact.
    """
    ...

def then_sum_of_squared_deviations(
    S: Any = ...,
) -> Partial:
    """`make_sum_of_squared_deviations` on the space to the left of `>>`."""
    ...

def make_unordered(
    input_domain: Domain,
    input_metric: Metric,
) -> Transformation:
    """unordered: the same rows, whose order is no longer observed.

    Stability.  A row that is inserted or deleted is a row added or removed: 1 from insert-delete to
    symmetric distance.  A row that differs at one position is one row replaced: 1 from Hamming to
    change-one distance.
    Tight: insert a row; replace one by another value.
    Source: conversions between metrics on tables; OpenDP make_unordered.
    """
    ...

def then_unordered() -> Partial:
    """`make_unordered` on the space to the left of `>>`."""
    ...

def make_user_transformation(
    input_domain: Domain,
    input_metric: Metric,
    output_domain: Domain,
    output_metric: Metric,
    function: Any,
    stability_map: Callable[[Any], Any],
    attack: Any = ...,
) -> Transformation:
    """A function of the user with a stability map that is believed, not proved.

    Args:
        function: total and deterministic, on plain values of the input domain.
        stability_map: from distances of the input metric to those of the output metric.
        attack: search for neighbours that refute the map first (True, or a seed).

    Raises:
        ParameterError: the attack found a counterexample.
    """
    ...

def then_user_transformation(
    output_domain: Domain,
    output_metric: Metric,
    function: Any,
    stability_map: Callable[[Any], Any],
    attack: Any = ...,
) -> Partial:
    """`make_user_transformation` on the space to the left of `>>`."""
    ...

def make_variance(
    input_domain: Domain,
    input_metric: Metric,
    ddof: int = ...,
    S: Any = ...,
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

def then_variance(
    ddof: int = ...,
    S: Any = ...,
) -> Partial:
    """`make_variance` on the space to the left of `>>`."""
    ...

from metricdp.opendp.postprocess import choose_branching_factor as choose_branching_factor

from metricdp.opendp.postprocess import make_cdf as make_cdf

from metricdp.opendp.postprocess import make_consistent_b_ary_tree as make_consistent_b_ary_tree

from metricdp.opendp.postprocess import make_quantiles_from_counts as make_quantiles_from_counts
