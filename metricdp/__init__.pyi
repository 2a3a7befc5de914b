# ruff: noqa
# fmt: off
# Written by `python -m metricdp.checked.stubs`; do not edit.
"""metricdp: differential privacy that is checked before it runs.

Ordinary Python in which every value carries a metric.  Public names load on first use, so that
`import metricdp` stays light.
"""

from fractions import Fraction
from typing import Any, overload

from metricdp import algorithms as algorithms
from metricdp import audit as audit
from metricdp import errors as errors
from metricdp import laws as laws
from metricdp import maps as maps
from metricdp import measures as measures
from metricdp import opendp as opendp
from metricdp import pictures as pictures
from metricdp import sessions as sessions
from metricdp._typing import Aligned as Aligned
from metricdp._typing import Bool as Bool
from metricdp.spaces.refinements import Bounds as Bounds
from metricdp.sessions.budget import Budget as Budget
from metricdp.spaces.metrics import ChangeOne as ChangeOne
from metricdp._typing import Data as Data
from metricdp._typing import Gradient as Gradient
from metricdp.spaces.metrics import Hamming as Hamming
from metricdp.spaces.ids import Ids as Ids
from metricdp.spaces.metrics import InsertDelete as InsertDelete
from metricdp._typing import Int as Int
from metricdp.spaces.norms import L1 as L1
from metricdp.spaces.norms import L2 as L2
from metricdp.spaces.norms import LInf as LInf
from metricdp.sessions.ledger import Ledger as Ledger
from metricdp.sessions.limits import Limit as Limit
from metricdp._typing import Matrix as Matrix
from metricdp.maps.measurement import Measurement as Measurement
from metricdp.spaces.annotation import MetricGradient as MetricGradient
from metricdp.spaces.annotation import MetricMatrix as MetricMatrix
from metricdp.spaces.annotation import MetricVector as MetricVector
from metricdp.spaces.refinements import NoNaN as NoNaN
from metricdp.spaces.refinements import NonNegative as NonNegative
from metricdp.engines.opened import OpenTable as OpenTable
from metricdp._typing import Real as Real
from metricdp.run.emit import Recording as Recording
from metricdp._typing import Records as Records
from metricdp.run.release import Release as Release
from metricdp.run.emit import Replay as Replay
from metricdp.spaces.refinements import RowBound as RowBound
from metricdp.spaces.scalars import Scalar as Scalar
from metricdp.run.emit import Seeded as Seeded
from metricdp.sessions.session import Session as Session
from metricdp.spaces.refinements import Size as Size
from metricdp.spaces.metrics import Symmetric as Symmetric
from metricdp.sessions.tracked import Tracked as Tracked
from metricdp.maps.transformation import Transformation as Transformation
from metricdp.sessions.unit import Unit as Unit
from metricdp._typing import Vector as Vector
from metricdp.spaces.zones import Zone as Zone
from metricdp.checked.decorators import black_box as black_box
from metricdp.run.emit import handling as handling
from metricdp.checked.decorators import measurement as measurement
from metricdp.run.private_selection import private_selection as private_selection
from metricdp.columns.progress import progress as progress
from metricdp.run.sampling import sample as sample
from metricdp.answers.schema import schema_of as schema_of
from metricdp.spaces.annotation import space_of as space_of
from metricdp.engines.opened import table as table
from metricdp.effort import time_limit as time_limit
from metricdp.checked.decorators import transformation as transformation

__version__: str

def above_threshold(
    queries: Any,
    eps: float | Fraction | None = ...,
    data: Any = ...,
    threshold: Any = ...,
    reports: int | None = ...,
    scale: float | Fraction | None = ...,
    query_scale: float | Fraction | None = ...,
    candidates: Any = ...,
    monotone: bool | None = ...,
) -> Any:
    """The position of the first query whose noisy answer reaches a noisy threshold.

    Arguments: `queries` is the vector of the answers, as check read them; `threshold` is public. With `candidates` check read one function of the data and a public candidate. Exactly one of the target `eps` and the two scales.

    One call:
        >>> @dp.measurement
        ... def example(visits: dp.Records[float]):
        ...     return dp.above_threshold([dp.count(visits, lambda v: v > 100), dp.count(visits)], eps=1, threshold=2)
        >>> example([3.0, 9.0, 12.0])  # noise of one seed
        Release 1   cost ε = 1   NaN counts as 0

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        queries in Vector[Int, LInf] of n: ε = eps*d_in; ρ = eps*tanh(eps*d_in/2)*d_in
        queries in Vector[Int, LInf] of n: ε = 2*d_in/query_scale + d_in/scale; ρ = 2*tanh(d_in/query_scale + d_in/(2*scale))*d_in/query_scale + tanh(d_in/query_scale + d_in/(2*scale))*d_in/scale
        queries in Vector[Int, LInf] of n: ε = d_in/query_scale + d_in/scale; ρ = tanh(d_in/(2*query_scale) + d_in/(2*scale))*d_in/query_scale + tanh(d_in/(2*query_scale) + d_in/(2*scale))*d_in/scale   (monotone = True)
        queries in Vector[Int, LInf] of n: ε = eps*d_in; ρ = eps*tanh(eps*d_in/2)*d_in   (monotone = True)

    Elsewhere:
        Duet and DiffPrivacyInference: above_threshold

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        size-mismatch: two sizes that have to be equal are different
        wrong-arguments: the call does not fit the function's parameters
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    above_threshold: the position of the first query whose noisy answer reaches a noisy threshold.

    Privacy.  Laplace noise of scale b1 on the threshold, once, and fresh noise of scale b2 on every
    answer; no answer moves by more than d.  Fix the noise of the answers before the one that is
    reported: they stay below when the threshold's noise moves by d (a factor e^(d/b1)), and the
    reported answer then needs 2d more noise (a factor e^(2d/b2)): epsilon = d/b1 + 2d/b2, for any
    number of queries, and also for "none".  `eps` is a target: b1 = 2D/eps, b2 = 4D/eps for the largest
    single-input bound D of the queries; `scale=b1, query_scale=b2` state the noise instead.  The bound
    of the queries counts, not that of the data alone.  With `reports=c` it goes on to the c-th report,
    with one noisy threshold and fresh noise for every query: each report needs 2d more, so
    epsilon = d/b1 + 2 c d/b2, and a target has b2 = 4 c D/eps.
    Answers that all rise or all fall when a record is added, one record after the other (`monotone`,
    which check finds out by itself), cost epsilon = d/b1 + c d/b2, and a target has b2 = 2 c D/eps: let
    q' = q + t with every t in [0, d].  From q to q', the threshold's noise moves by d up, which keeps
    the answers below it, and a reported one needs d more to reach a threshold d higher.  From q' to q
    the threshold stays: answers that are lower stay below, and a reported one needs at most d more.
    Free are only the number of queries and the answer "below": reusing the noise of a query, releasing
    the noisy answer, going on after the last report, or an unlimited number of reports are not covered
    (Lyu, Su and Li list four published variants that fail there).
    Approached by answers that hold the threshold up, and a last one far below them.
    Source: Dwork and Roth (2014), Theorem 3.23; Lyu, Su and Li (2017), Algorithm 1.
    """
    ...

def abs(
    x: Any,
) -> Any:
    """|x|, for a number or for every entry of a vector or matrix.

    Arguments: A number or a container of numbers.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.abs(x)
        >>> example(-3)
        3

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int within [-9, 0] -> Int: d_in
        x in Data within [-9, 4] -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        Python: abs
        NumPy: numpy.abs, numpy.absolute
        Duet and DiffPrivacyInference: abs

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    abs: |x|, for a number or for every entry of a vector or matrix.

    Stability.  ||x| - |x'|| <= |x - x'|: 1-stable in every norm.  Tight: move on one side of 0.  Where
    the sign is known it is x or -x, and the conclusion is linear.  On discrete entries 1.
    Source: reverse triangle inequality.
    """
    ...

def add(
    x: Any,
    y: Any,
) -> Any:
    """x + y, for numbers, vectors and matrices of one shape.

    Arguments: Two numbers, two containers of one shape, or a number added to every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.add(x, y)
        >>> example(3, 4)
        7

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Int, y in Int -> Int: d_in
        x in Real -> Real: d_in
        x in Data, y in Data -> Data: 1

    Elsewhere:
        Python: +
        NumPy: numpy.add

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    add: x + y, for numbers, vectors and matrices of one shape.

    Stability.  |x + y - x' - y'| <= |x - x'| + |y - y'|: 1-stable in each private argument, in every
    norm; a public argument is free.  Tight: move one argument.  A private number that is added to every
    entry of an n-vector moves it by n in L1, sqrt(n) in L2 and 1 in LInf.  On discrete entries the sum
    is any function of its arguments: 1 per argument, whatever the values.
    The conclusion is linear, so the checker keeps x + y as a form: (a + x) - a is 1-stable.
    Source: triangle inequality.
    """
    ...

def array(
    *xs: Any,
) -> Any:
    """The vector of several numbers, in their order.

    Arguments: Private and public numbers, at least one of them private; or one private vector.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.array(x, y)
        >>> example(3, 4)
        [3, 4]

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Vector[Real, L2] of 1: d_in
        x in Real, y in Int within [-2, 3] -> Vector[Real, L2] of 2: d_in
        x in Real within [0, 1], y in Bool -> Vector[Real, L2] of 2: d_in
        x in Data, y in Data -> Vector[Data, LInf] of 2: 1

    Elsewhere:
        NumPy: numpy.array, numpy.asarray

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    array: the vector of several numbers, in their order.

    Stability.  Every number is one entry: when they move by d_1, ..., d_k, the vector moves by the sum
    of these in L1, by sqrt(d_1^2 + ... + d_k^2) in L2, and by the largest of them in LInf.
    Entries in [a_i, b_i] with m_i = max(|a_i|, |b_i|) give a vector whose norms are at most those of
    (m_1, ..., m_k).  Discrete numbers make a discrete vector: 1 in LInf, however many of them differ.
    A vector is the array of itself.  Truth values alone are refused, since NumPy adds them up by `or`.
    Tight: one number moved.
    Source: definition of the norms.
    """
    ...

def b_ary_tree(
    x: Any,
    branching: int,
    leaves: int | None = ...,
) -> Any:
    """The counts of the leaves, and above them the sums of b children each, as one vector.

    Arguments: A vector of numbers; `branching` at least 2 and, where its size is open, `leaves`.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(4)]):
        ...     return dp.b_ary_tree(v, 2)
        >>> example([1, 2, 3, 4])
        [10, 3, 7, 1, 2, 3, 4]

    Proved of it:
        one unit of L1 distance moves the result by at most 3   (distance d_in: 3*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 4 -> Vector[Real, L1] of 7: 3*d_in   (branching = 2)
        x in Vector[Real, L2] of 4 -> Vector[Real, L2] of 7: sqrt(7)*d_in   (branching = 2)
        x in Vector[Real, LInf] of 4 -> Vector[Real, LInf] of 7: 4*d_in   (branching = 2)
        x in Vector[Int, L1] of 5 within [0, oo] -> Vector[Int, L1] of 12: 4*d_in   (branching = 2)

    Elsewhere:
        OpenDP: make_b_ary_tree

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    b_ary_tree: the counts of the leaves, and above them the sums of b children each, as one vector.

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

def canonical_noise(
    x: Any,
    *,
    epsilon: float | Fraction,
    delta: float | Fraction | None = ...,
    sensitivity: float | Fraction | None = ...,
) -> Any:
    """Adds noise to a number that spends exactly (epsilon, delta), and no less.

    Arguments: A real number; public epsilon > 0 and 0 <= delta < 1, exact; `sensitivity` > 0 is public.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Real):
        ...     return dp.canonical_noise(x, epsilon=1, delta=0.001)
        >>> example(7)  # noise of one seed
        Release 6.85 ± 2.97 (95%)   cost ε = 1, δ = 0.001   NaN counts as 0

    Proved of it:
        distance 1: ε = 1, δ = 1/1000

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ε = epsilon*ceiling(d_in/sensitivity); ρ = epsilon*ceiling(d_in/sensitivity)*tanh(epsilon*ceiling(d_in/sensitivity)/2)
        x in Int: ε = epsilon*ceiling(d_in/sensitivity), δ = delta*Sum(exp(_step*epsilon), (_step, 0, ceiling(d_in/sensitivity) - 1))
        x in Int: ε = epsilon*ceiling(d_in), δ = delta*Sum(exp(_step*epsilon), (_step, 0, ceiling(d_in) - 1))
        x in Real: ε = epsilon*ceiling(d_in); ρ = epsilon*ceiling(d_in)*tanh(epsilon*ceiling(d_in)/2)

    Elsewhere:
        OpenDP: make_canonical_noise

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        vacuous-guarantee: the guarantee says nothing
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    canonical_noise: adds noise to a number that spends exactly (epsilon, delta), and no less.

    Privacy.  With s the sensitivity, x + s N is released, N the Tulap law of (epsilon, delta)
    (`noise.canonical`): a density that is constant on unit cells, falls by e^-epsilon from cell to
    cell, and is cut off at +-c.  Two centres at most K s apart, K whole, have cells that differ by at
    most K everywhere, so where both densities are positive their ratio is at most e^(K epsilon); and
    one is positive alone with probability at most P(N < K - c).  For K = 1 that is delta: the cut is
    made so.  Group privacy for K = ceil(d / s) steps then gives
    (K epsilon, delta (e^(K epsilon) - 1) / (e^epsilon - 1)), which P(N < K - c) equals while K <= c.
    Without delta: epsilon K, exactly, and rho = K epsilon tanh(K epsilon / 2).
    At d < s the cost of s is charged: epsilon is met there, too.
    At one sensitivity the trade-off between the errors of every test is that of (epsilon, delta),
    nowhere above: so the noise is canonical.
    Whole numbers are released as whole numbers, others on a public grid; rounding comes after the
    noise.  Tight: centres one sensitivity apart, and the outcomes that only one of them has.
    Noise: `sensitivity=s`; when left out, the largest single-input movement at distance 1.
    Source: Awan and Slavkovic (2018), for the Tulap law; Awan and Vadhan (2023), for what is canonical.
    """
    ...

def cast(
    x: Any,
    to: Any,
) -> Any:
    """Every row as a value of another type; rows without such a value are missing.

    Arguments: A table with one column; `to` is "float", "int", "bool", "str" or a type such as "u8".

    One call:
        >>> @dp.transformation
        ... def example(texts: dp.Records[str]):
        ...     return dp.cast(texts, 'int')
        >>> example(['3', 'many'])
        [3, None]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[int | None]: d_in   (to = 'int')
        x in Records[float, InsertDelete] -> Records[int | None, InsertDelete]: d_in   (to = 'int')
        x in Records[float, ChangeOne] of n -> Records[int | None, ChangeOne] of n: d_in   (to = 'int')
        x in Records[float, Hamming] of n -> Records[int | None, Hamming] of n: d_in   (to = 'int')

    Elsewhere:
        OpenDP: make_cast, make_cast_inherent

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    cast: every row as a value of another type; rows without such a value are missing.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: what has no value in the type (text that is no number, a number beyond the type's range)
    becomes missing, and no exception speaks of the data.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_cast and make_cast_inherent.
    """
    ...

def cast_default(
    x: Any,
    to: Any,
) -> Any:
    """Every row as a value of another type, 0, False or "" where there is none.

    Arguments: A table with one column; `to` as for `cast`.

    One call:
        >>> @dp.transformation
        ... def example(texts: dp.Records[str]):
        ...     return dp.cast_default(texts, 'int')
        >>> example(['3', 'many'])
        [3, 0]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[str] -> Records[int]: d_in   (to = 'int')
        x in Records[str, InsertDelete] -> Records[int, InsertDelete]: d_in   (to = 'int')
        x in Records[str, ChangeOne] of n -> Records[int, ChangeOne] of n: d_in   (to = 'int')
        x in Records[str, Hamming] of n -> Records[int, Hamming] of n: d_in   (to = 'int')

    Elsewhere:
        OpenDP: make_cast_default

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    cast_default: every row as a value of another type, 0, False or "" where there is none.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: what has no value in the type, and what is missing, becomes the type's default.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_cast_default.
    """
    ...

def ceil(
    x: Any,
) -> Any:
    """The smallest integer at or above x.

    Arguments: A number or a vector; the result is Int.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.ceil(x)
        >>> example(2.5)
        3

    Proved of it:
        distance 1 moves the result by at most 1   (distance d_in: ceiling(d_in))

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: ceiling(d_in)
        x in Real within [-3/2, 9/2] -> Int: ceiling(d_in)
        x in Int within [0, 9] -> Int: d_in
        x in Data -> Data: 1

    Elsewhere:
        NumPy: numpy.ceil
        Python and SciPy: math.ceil

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    ceil: the smallest integer at or above x.

    Stability.  Between x and x + d lie at most ceil(d) jumps: map ceil(d).  Tight: x an integer.
    In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further entry may cross a jump for
    almost nothing; L2 at most d + sqrt(n) (each entry moves by less than d_i + 1; not known tight).
    Integers stay where they are: 1.  Discrete entries: 1.  No linear constant exists on the reals.
    Source: counting jumps between two reals.
    """
    ...

def clamp(
    x: Any,
    lower: Any,
    upper: Any,
) -> Any:
    """Moves a number into [lower, upper]; on vectors, matrices and columns every entry or row.

    Arguments: Numbers lower <= upper; x is a number, a container or a table with one column.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.clamp(visits, 0, 20)
        >>> example([3.0, -5.0, 120.0])
        [3, 0, 20]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int within [5, 50] -> Real: d_in
        x in Data -> Data: 1
        x in Real, lower in Real, upper in Real -> Real: d_in

    Elsewhere:
        NumPy: numpy.clip
        Duet and DiffPrivacyInference: clamp
        OpenDP: make_clamp

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        reversed-bounds: the lower bound is above the upper bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    clamp: moves a number into [lower, upper]; on vectors, matrices and columns every entry or row.

    Stability.  Clamping is the nearest point of an interval, so it is 1-stable on every entry, hence in
    every norm; over discrete entries equal values stay equal, 1 as well; on a table it is a map of
    rows, 1-stable in every metric on records.  Private bounds cost 1 each: max(lower, min(x, upper))
    moves by at most the largest movement of the three.  Tight: move inside the interval.
    The range of the result is what makes sums, products and undisc finite.
    Source: projection on an interval is 1-Lipschitz; OpenDP make_clamp.
    """
    ...

def clip(
    x: Any,
    norm: Any,
    radius: float | Fraction = ...,
) -> Any:
    """Scales a vector into a ball, v * min(1, c/|v|).

    Arguments: A vector, a gradient or the rows of a matrix, a norm and a public radius > 0; also with the norm first.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L2]):
        ...     return dp.clip(v, dp.L2, radius=1)
        >>> example([3, 4])
        [0.6, 0.8]

    Proved of it:
        one unit of L2 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: Min(2, n)*d_in   (norm = dp.L1)
        x in Vector[Data, L1] of n -> Vector[Data, L1] of n: n   (norm = dp.L1)
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: sqrt(n)*d_in/2 + d_in/2   (norm = dp.L2)
        x in Vector[Data, L1] of n -> Vector[Data, L1] of n: n   (norm = dp.L2)

    Elsewhere:
        Duet and DiffPrivacyInference: clip

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    clip: scales a vector into a ball, v * min(1, c/|v|).

    Stability over the reals, n entries (independent of the radius c; suprema unless "1"):
        |              | in L1           | in L2   | in LInf         |
        | clip to L1   | min(2, n)       | sqrt n  | max(1, n - 1)   |
        | clip to L2   | (1 + sqrt n)/2  | 1       | (1 + sqrt n)/2  |
        | clip to LInf | max(1, n - 1)   | sqrt n  | min(2, n)       |
    Proof: operator norms of the derivative on the sphere, I - x x^T for L2 (the projection on a
    Euclidean ball is 1-Lipschitz), I - x s^T with signs s for L1, I - x e_k^T for LInf; any radial
    clip is at most 2 in its own norm.  From L2 the clip to L2 also moves by sqrt n in L1 and by 1 in
    LInf: it is 1 in L2, and |v|_1 <= sqrt n |v|_2, max |v| <= |v|_2.
    Approached by small steps from points of the sphere.
    Over discrete entries clip is any function: all n entries may change, n^(1/q) in L_q.  Tight:
    raising one entry rescales all others.
    The reference rounds inward: the result never leaves the ball.  So undisc after clip costs 2 c.
    A matrix is clipped row by row: distances add up over rows, so the constants are those of one row,
    with n the number of columns; every discrete row that changes is at distance 1 or more from what it
    was, and costs the constant of one row.
    Source: rules of clipping; projection on a convex set.
    """
    ...

def clipn(
    x: Any,
    upper: Any,
    lower: Any,
) -> Any:
    """Clamp with the upper bound first, `clipn(x, upper, lower)`.

    Arguments: As for `clamp`, the upper bound first.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.clipn(x, 20, 0)
        >>> example(120)
        20

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Vector[Data, LInf] of n -> Vector[Data, LInf] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: clipn

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    clipn: clamp with the upper bound first, `clipn(x, upper, lower)`.

    Stability.  The same function as clamp: 1-stable on every entry.  Tight: move inside the interval.
    Source: the proof note of clamp.
    """
    ...

def column(
    m: Any,
    j: Any,
) -> Any:
    """One column of a matrix, at a public index.

    Arguments: The column `m[:, j]` under L1; a public negative index counts from the end.

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.column(m, 0)
        >>> example([[1, 2], [3, 4]])
        [1, 3]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of n: d_in
        m in Matrix[Int, L1] of n x m within [0, 9] -> Vector[Int, L1] of n: d_in
        m in Matrix[Data, L1] of n x m -> Vector[Data, L1] of n: d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L1] of n: d_in

    Diagnostics (`metricdp explain NAME`):
        private-index: a private value chooses which entry is read
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    column: one column of a matrix, at a public index.

    Stability.  Row i holds one entry of the column, which moves by at most the distance of the row, so
    the L1 distance of the columns is at most the row-summed distance, from every L_p; and L1 bounds L2
    and LInf.  Over discrete entries a changed row counts at least 1 and changes at most one entry of
    the column: 1 into discrete L1.  An index outside the matrix is clamped into it.
    Tight: one row moves in that column.
    Source: projection of a sum of norms.
    """
    ...

def concat(
    *xs: Any,
) -> Any:
    """Several vectors one after the other.

    Arguments: Private vectors, all discrete in one norm or all over numbers.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L1], w: dp.Vector[dp.Real, dp.L1]):
        ...     return dp.concat(v, w)
        >>> example([1, 2], [3])
        [1, 2, 3]

    Proved of it:
        one unit of L1 distance in v moves the result by at most 1
        one unit of L1 distance in w moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in
        x in Vector[Real, L1] of n, y in Vector[Int, L1] of n -> Vector[Real, L1] of 2*n: d_in
        x in Vector[Real, L1] of n within [-3, 1], y in Vector[Real, L1] of n within [-3, 1] -> Vector[Real, L1] of 2*n: d_in
        x in Vector[Data, L1] of n -> Vector[Data, L1] of n: d_in

    Elsewhere:
        NumPy: numpy.concatenate, numpy.hstack

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    concat: several vectors one after the other.

    Stability.  Every argument keeps its entries: 1 per argument in each norm.  When several move at
    once, by d_1, ..., d_k in one norm, the entries stand side by side, so the result moves by that norm
    of (d_1, ..., d_k): the sum in L1, sqrt(d_1^2 + ... + d_k^2) in L2, the largest in LInf.  Discrete
    vectors must share one norm, and their movements add up.
    Tight: move one argument, or all of them.
    Source: definition of the norms.
    """
    ...

def contains(
    x: Any,
    y: Any,
) -> Any:
    """`x in y`, a private value among public ones, or one text in another.

    Arguments: A value and what may hold it: public values, a private text, the parts of one.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return [t in ('Oslo', 'Rome') for t in towns]
        >>> example(['Rome', 'Lima'])
        [True, False]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Data -> Bool: 1
        x in Int -> Bool: 1
        x in Bool -> Bool: 1
        x in Data -> Bool: 1   (y = 'abc')

    Elsewhere:
        Python: in

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    contains: `x in y`, a private value among public ones, or one text in another.

    Stability.  Different integers, Booleans, texts and data have distance at least 1, and the answer
    moves by at most 1: 1 per private argument.  Of a real number infinite: an arbitrarily small step
    leaves a set of points.  A value that is missing is one more value, a member where None is one.
    Total: what can be no member is none, where Python would raise.
    Tight: step from a value that is there to one that is not.
    Source: any function from a space with least distance 1 into one of diameter 1 is 1-stable.
    """
    ...

def cos(
    x: Any,
) -> Any:
    """The cosine, of a number or of every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.cos(x)
        >>> example(0)
        1

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real within [1099/100, 1101/100] -> Real: d_in
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        NumPy: numpy.cos
        Python and SciPy: math.cos

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    cos: the cosine, of a number or of every entry.

    Stability.  The derivative is at most 1 in size: 1-stable in every norm; results lie in [-1, 1].
    Approached near 11, close to 7 pi / 2 by small steps.  On discrete entries 1.
    Exact numbers beyond (2**2048 + 1/2) pi, a zero, count as that zero.
    Source: mean value theorem.
    """
    ...

def count(
    x: Any,
    predicate: Any = ...,
) -> Any:
    """How many rows there are, or how many rows a predicate accepts.

    Arguments: A table, a vector, or the rows of a matrix; the predicate is optional.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.count(visits, lambda v: v > 5)
        >>> example([3.0, 9.0, 12.0])
        2

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Int: d_in
        x in Records[int, InsertDelete] -> Int: d_in
        x in Records[int, ChangeOne] of n -> Int: d_in
        x in Records[int, Hamming] of n -> Int: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: count
        OpenDP: make_count

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    count: how many rows there are, or how many rows a predicate accepts.

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

def count_by(
    x: Any,
) -> Any:
    """How many rows there are of each value, as a dictionary; values that no row has are not in it.

    Arguments: A table with one column of any metric.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return dp.count_by(towns)
        >>> example(['Rome', 'Oslo', 'Rome'])
        {'Oslo': 1, 'Rome': 2}

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Keyed[int, Int, L01Inf]: d_in
        x in Records[str] -> Keyed[str, Int, L01Inf]: d_in
        x in Records[bool] within [0, 1] -> Keyed[bool, Int, L01Inf]: d_in
        x in Records[int, InsertDelete] -> Keyed[int, Int, L01Inf]: d_in

    Elsewhere:
        OpenDP: make_count_by

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    count_by: how many rows there are of each value, as a dictionary; values that no row has are not
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

def count_distinct(
    x: Any,
) -> Any:
    """How many different values the rows of a table have.

    Arguments: A table with one column of any metric.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return dp.count_distinct(towns)
        >>> example(['Rome', 'Oslo', 'Rome'])
        2

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Int: d_in
        x in Records[int, InsertDelete] -> Int: d_in
        x in Records[str] -> Int: d_in
        x in Records[str, InsertDelete] -> Int: d_in

    Elsewhere:
        OpenDP: make_count_distinct

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    count_distinct: how many different values the rows of a table have.

    Stability.  A row added or removed brings or takes at most one value: 1 under the symmetric and
    insert-delete distances.  A replaced row may take the last of one value away and bring a new one,
    which cancel, or do one of the two: 1 under change-one and Hamming distance as well.
    Tight: add rows of new values; make rows that were equal different.
    Source: folklore; rules of tables; OpenDP make_count_distinct.
    """
    ...

def count_ids(
    x: Any,
    per: Any,
) -> Any:
    """How many different persons a table has.

    Arguments: A table with ids, and its column of ids.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.count_ids(visits, '0')
        >>> example([('Ann', 3), ('Ann', 4), ('Ben', 5)])
        2

    Proved of it:
        all records of one 0 added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[tuple[int, int], Ids("0")] -> Int: d_in   (per = '0')
        x in Records[tuple[int, int], Ids("0", ChangeOne)] -> Int: d_in   (per = '0')
        x in Records[tuple[str, int], Ids("0")] -> Int: d_in   (per = '0')
        x in Records[tuple[str, int], Ids("0", ChangeOne)] -> Int: d_in   (per = '0')

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    count_ids: how many different persons a table has.

    Stability.  The ids of two tables differ by those that stand in one of them only, and each of these
    is at least one unit of distance: 1, whether persons are added and removed or changed.  A person
    whose rows differ and who is in both is counted in both.
    Tight: add persons with one row each.
    Source: rules of tables, count of different values; OpenDP make_count_distinct over identifiers.
    """
    ...

def covariance(
    x: Any,
    ddof: int | None = ...,
) -> Any:
    """The sum of (x - mean of x)(y - mean of y) over the rows (x, y), over n - ddof.

    Arguments: A table of pairs of bounded numbers, their number public; `ddof` is public, 1 by default.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     pairs: Annotated[dp.Records[tuple[Annotated[float, dp.Bounds(0, 10)], Annotated[float, dp.Bounds(0, 10)]], dp.ChangeOne], dp.Size(3)],
        ... ):
        ...     return dp.covariance(pairs)
        >>> example([(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)])
        2

    Proved of it:
        one record replaced moves the result by at most 100/3
           (distance d_in: 50*Min(1, d_in) + 50*floor(Min(3, d_in)**2/4)/3 - 50*Min(1, d_in)**2/3)

    At distance d_in of one argument the result moves by at most:
        x in Records[tuple[float, float], ChangeOne] of n -> Real: 20*d_in/n
        x in Records[tuple[float, float], Hamming] of n -> Real: 20*d_in/n
        x in Records[tuple[float, float], ChangeOne] of n -> Real: 20*d_in/(n*(ddof - n)) - 20*d_in/(ddof - n)

    Elsewhere:
        OpenDP: make_sized_bounded_covariance

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        requirement-fails: a requirement on the public parameters does not hold
        unbounded-sum: one person can move this sum by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    covariance: the sum of (x - mean of x)(y - mean of y) over the rows (x, y), over n - ddof.

    Stability.  Rows in a box of widths R_x and R_y, known size n (change-one, Hamming): k replaced rows
    move it by at most R_x R_y (j(n - j) + floor(k^2/4))/(n (n - ddof)), j = min(k, floor(n/2)), k at
    most n; proof in `_deviations`.  For one row that is R_x R_y (n - 1)/(n (n - ddof)).  Where the
    number of rows is private the rule refuses.
    Tight: all rows at one corner; k of them at the opposite corner, against k of them divided between
    the two others.
    Source: the range of (x - a)(y - b) over a box; rules of tables.
    """
    ...

def create_dataframe(
    x: Any,
    columns: Any,
) -> Any:
    """Rows whose cells are found by the public names of columns.

    Arguments: Lines of cells; different public names.

    One call:
        >>> @dp.transformation
        ... def example(lines: dp.Records[str]):
        ...     return dp.select_column(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), 'town', 'str')
        >>> example(['1, Rome', '2, Oslo'])
        ['Rome', 'Oslo']

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Cells] -> Records[Named]: d_in
        x in Records[Cells, InsertDelete] -> Records[Named, InsertDelete]: d_in
        x in Records[Cells, ChangeOne] of n -> Records[Named, ChangeOne] of n: d_in
        x in Records[Cells, Hamming] of n -> Records[Named, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_create_dataframe

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    create_dataframe: rows whose cells are found by the public names of columns.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a line that is too short ends in empty cells, and what a line has too much is left out.
    Tight: add a line, or replace it.
    Source: rules of tables, row-wise maps; OpenDP make_create_dataframe.
    """
    ...

def df_cast_default(
    x: Any,
    name: Any,
    to: Any,
) -> Any:
    """The cell of one public name in every row as a value of another type.

    Arguments: Rows by name; a public name; `to` as for `cast`.

    One call:
        >>> @dp.transformation
        ... def example(lines: dp.Records[str]):
        ...     return dp.select_column(dp.df_cast_default(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), 'id', 'int'), 'id', 'int')
        >>> example(['1, Rome', 'x, Oslo'])
        [1, 0]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[Named]: d_in   (name = 'a', to = 'int')
        x in Records[Named, InsertDelete] -> Records[Named, InsertDelete]: d_in   (name = 'a', to = 'int')
        x in Records[Named, ChangeOne] of n -> Records[Named, ChangeOne] of n: d_in   (name = 'a', to = 'int')
        x in Records[Named, Hamming] of n -> Records[Named, Hamming] of n: d_in   (name = 'a', to = 'int')

    Elsewhere:
        OpenDP: make_df_cast_default

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    df_cast_default: the cell of one public name in every row as a value of another type.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a cell that is not there, or has no value in the type, becomes 0, False or empty text.
    Tight: add a row, or replace it by one with another cell.
    Source: rules of tables, row-wise maps; OpenDP make_df_cast_default.
    """
    ...

def df_is_equal(
    x: Any,
    name: Any,
    value: Any,
) -> Any:
    """The cell of one public name in every row replaced by whether it has a public value.

    Arguments: Rows by name; a public name and a public value.

    One call:
        >>> @dp.transformation
        ... def example(lines: dp.Records[str]):
        ...     return dp.select_column(dp.df_is_equal(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), 'town', 'Rome'), 'town', 'bool')
        >>> example(['1, Rome', '2, Oslo'])
        [True, False]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[Named]: d_in   (name = 'a', value = '1')
        x in Records[Named, InsertDelete] -> Records[Named, InsertDelete]: d_in   (name = 'a', value = '1')
        x in Records[Named, ChangeOne] of n -> Records[Named, ChangeOne] of n: d_in   (name = 'a', value = '1')
        x in Records[Named, Hamming] of n -> Records[Named, Hamming] of n: d_in   (name = 'a', value = '1')

    Elsewhere:
        OpenDP: make_df_is_equal

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    df_is_equal: the cell of one public name in every row replaced by whether it has a public value.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A cell
    that is not there has no value; a number and a text are never equal.
    Tight: add a row, or replace it by one with another answer.
    Source: rules of tables, row-wise maps; OpenDP make_df_is_equal.
    """
    ...

def different_parts(
    x: Any,
) -> Any:
    """The different parts of a private text, `set(t.split(","))`.

    Arguments: The parts of a private text.

    One call:
        >>> @dp.transformation
        ... def example(rows: dp.Records[str]):
        ...     return [len(set(r.split(','))) for r in rows]
        >>> example(['a,a', 'b,a'])
        [1, 2]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Cells -> Cells: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    different_parts: the different parts of a private text, `set(t.split(","))`.

    Stability.  Parts are under the discrete metric, and so are sets of them: 1.  How many there are,
    and whether a text is among them, is asked of a set; in which order they stand is not.
    Tight: parts of which one is another text.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def discrete(
    x: Any,
) -> Any:
    """The same value under the discrete metric, where any change is a change of 1.

    Arguments: A number or container over Real, Int or Bool; discrete values stay as they are.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.discrete(x)
        >>> example(7)
        7

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Data: 1
        x in Bool -> Data: 1
        x in Real -> Data: oo
        x in Data -> Data: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: discrete

    Diagnostics (`metricdp explain NAME`):
        real-discretised: reading real numbers as discrete data has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    discrete: the same value under the discrete metric, where any change is a change of 1.

    Stability.  Different integers are at distance at least 1: 1, entry by entry (L_p to L_q as between
    discrete norms).  On reals infinite: an arbitrarily small step is a whole change.  Tight: one step.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

def discrete_gaussian(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    rho: float | Fraction | None = ...,
) -> Any:
    """Adds discrete Gaussian noise to whole numbers, in L2.

    Arguments: A whole number or a vector of them; exactly one of `scale` (sigma) and the target `rho`.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Int):
        ...     return dp.discrete_gaussian(x, scale=2)
        >>> example(7)  # noise of one seed
        Release 7 ± 4.00 (95%)   cost ρ = 0.125

    Proved of it:
        distance 1: ρ = 1/8

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ρ = d_in**2/(2*scale**2)
        x in Vector[Int, L2] of n: ρ = d_in**2/(2*scale**2)
        x in Int: ρ = rho*d_in**2

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    discrete_gaussian: adds discrete Gaussian noise to whole numbers, in L2.

    Privacy.  P(k) is proportional to exp(-(k - x)^2 / (2 sigma^2)) on the integers; completing the
    square gives Renyi divergence alpha d^2 / (2 sigma^2) at integer alpha d, at most that elsewhere,
    so rho = d^2 / (2 sigma^2) for integer inputs, several entries in L2.  Tight at integer shifts.
    Noise: `scale=sigma`, or the target `rho=`, sigma = bound / sqrt(2 rho).
    Source: Canonne, Kamath, Steinke (2020), Theorem 14.
    """
    ...

def discrete_laplace(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
) -> Any:
    """Adds discrete Laplace (two-sided geometric) noise to whole numbers.

    Arguments: A whole number or a vector of them; exactly one of `scale` and the target `epsilon`.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Int):
        ...     return dp.discrete_laplace(x, epsilon=0.5)
        >>> example(7)  # noise of one seed
        Release 7 ± 6.00 (95%)   cost ε = 0.5

    Proved of it:
        distance 1 changes the chance of any outcome by at most a factor e^(1/2)   (ε = 1/2, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ε = d_in/scale; ρ = tanh(d_in/(2*scale))*d_in/scale
        x in Vector[Int, L1] of n: ε = d_in/scale; ρ = tanh(d_in/(2*scale))*d_in/scale
        x in Int: ε = epsilon*d_in; ρ = epsilon*tanh(epsilon*d_in/2)*d_in

    Elsewhere:
        OpenDP: make_geometric, make_base_geometric

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    discrete_laplace: adds discrete Laplace (two-sided geometric) noise to whole numbers.

    Privacy.  P(k) is proportional to exp(-|k - x|/b) on the integers, so the log-ratio of two outputs
    moves by at most |x - x'|_1 / b: epsilon = d_1 / b.  Tight: any outcome beyond both centres.
    A real statistic must be rounded first, and the map of the rounding paid: `dp.floor`.
    Noise: `scale=b`, or the target `epsilon=` (see `laplace`).
    Source: Ghosh, Roughgarden, Sundararajan (2009); Canonne, Kamath, Steinke (2020).
    """
    ...

def div(
    x: Any,
    y: Any,
) -> Any:
    """x / y, for numbers, or entry by entry.

    Arguments: A public divisor, or a private divisor that keeps away from 0.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.div(x, 4)
        >>> example(10)
        2.5

    Proved of it:
        distance 1 moves the result by at most 1/4   (distance d_in: d_in/4)

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in/Abs(y)
        x in Int -> Real: d_in/Abs(y)
        y in Real within [1000, 5000] -> Real: Abs(x)*d_in/1000000
        y in Real within [-5000, -1000] -> Real: Abs(x)*d_in/1000000

    Elsewhere:
        Python: /
        NumPy: numpy.divide, numpy.true_divide

    Diagnostics (`metricdp explain NAME`):
        private-divisor: the divisor is private and may be near zero
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    div: x / y, for numbers, or entry by entry.

    Stability.  x / c with public c != 0: 1/|c|, linear.  On |x| <= A and y of one sign with |y| >= b:
    1/b in x and A/b^2 in y, because |x/y - x/y'| = |x| |y - y'| / (|y| |y'|); with public x that is
    |x|/b^2 (not 1/b).  Where y may be 0 or change sign: infinite.  Tight: y = b.  On discrete entries:
    1 per argument.  At run time x / 0 is 0, so no private divisor raises.
    Source: triangle inequality; derivative at b.
    """
    ...

def dot(
    x: Any,
    w: Any,
) -> Any:
    """The sum of x_i w_i, one vector private or both.

    Arguments: Two vectors of one length.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)]):
        ...     return dp.dot(v, (3, -1))
        >>> example([1, 2])
        1

    Proved of it:
        one unit of L1 distance moves the result by at most 3   (distance d_in: 3*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Real: 4*d_in
        w in Vector[Int, L1] of n -> Real: d_in
        x in Vector[Real, L1] of n, w in Vector[Real, L1] of n -> Real: 2*d_in
        x in Vector[Real, L1] of n, w in Vector[Real, L1] of n -> Real: oo of x, 2*d_in of w

    Elsewhere:
        NumPy: numpy.inner

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unbounded-product: a product of two private values has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    dot: the sum of x_i w_i, one vector private or both.

    Stability.  Public w: the dual norm of w, max |w_i| from L1, |w|_2 from L2, sum |w_i| from LInf
    (Hoelder).  Tight: move along the extremal vector of w.
    Both private: |x.y - x'.y'| <= |x - x'|_p |y|_p* + |y - y'|_p |x'|_p*, so each argument pays the
    bound on the other's dual norm; infinite without one.
    Source: Hoelder's inequality.
    """
    ...

def drop_null(
    x: Any,
) -> Any:
    """The rows that are there, in their order.

    Arguments: A table with one column.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float | None]):
        ...     return dp.drop_null(visits)
        >>> example([3.0, None])
        [3]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[float]: d_in
        x in Records[float | None, InsertDelete] -> Records[float, InsertDelete]: d_in
        x in Records[float | None, ChangeOne] of n -> Records[float]: 2*d_in
        x in Records[float | None, Hamming] of n -> Records[float, InsertDelete]: 2*d_in

    Elsewhere:
        OpenDP: make_drop_null

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    drop_null: the rows that are there, in their order.

    Stability.  A filter: an added or removed row adds or removes at most that row, 1 under the
    symmetric and insert-delete distances.  A row that is replaced can become another that is there, so
    one leaves and one enters: 2 from change-one distance to the symmetric, from Hamming to the
    insert-delete distance, and the number of rows becomes private.
    Tight: rows that are there are added, or replaced by others.
    Source: rules of tables, filter; OpenDP make_drop_null.
    """
    ...

def entry_of(
    entries: Any,
    key: Any,
    default: Any,
    kind: Any,
) -> Any:
    """What a public dictionary has under a private key; a public value where it has none.

    Arguments: A public dictionary, a private key, and public values of one kind.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str], rates: dict[str, float]):
        ...     return [rates.get(t, 0) for t in towns]
        >>> example(['Rome', 'Lima'], {'Rome': 0.5})
        [0.5, 0]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        key in Data -> Data: 1   (kind = 'str', default = '')
        key in Data -> Real: oo   (kind = 'float')
        key in Data -> Int: oo   (kind = 'int')

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unbounded-sum: one person can move this sum by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    entry_of: what a public dictionary has under a private key; a public value where it has none.

    Stability.  Keys that differ are at distance 1, and two entries may be any two numbers: infinite for
    numbers; for texts, which are at distance 1 as well, 1.  Total: a key that is not there gives the
    default, and of numbers NaN is 0 and an infinite one the largest double, as in data.
    Tight: step from one key to another one.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def eq(
    x: Any,
    y: Any,
) -> Any:
    """x == y, a Bool, or Bools entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.eq(x, 3)
        >>> example(3)
        True

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Data -> Bool: 1   (y = 'a')

    Elsewhere:
        Python: ==
        NumPy: numpy.equal

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    eq: x == y, a Bool, or Bools entry by entry.

    Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
    most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
    turns the comparison around.  A value that is missing is one more value, which equals no other.
    Tight: step across the threshold.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

def exp(
    x: Any,
) -> Any:
    """The exponential of a number with an upper bound.

    Arguments: A number or container with an upper bound.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.exp(dp.clamp(x, 0, 1))
        >>> example(9)
        2.71828

    Proved of it:
        distance 1 moves the result by at most exp(1)   (distance d_in: exp(1)*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Real within [-1, 1] -> Real: exp(1)*d_in
        x in Real within [-1/100, 1/100] -> Real: exp(1/100)*d_in
        x in Real within [-3, oo] -> Real: oo

    Elsewhere:
        NumPy: numpy.exp
        Python and SciPy: math.exp

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    exp: the exponential of a number with an upper bound.

    Stability.  On (-oo, b] the derivative is at most e^b: e^b-stable, entry by entry in every norm;
    without an upper bound infinite.  Tight: near b for small steps.
    The reference gives a rational within 2^-100, which is never negative.
    Source: mean value theorem.
    """
    ...

def exponential_mechanism(
    s: float | Fraction | None = ...,
    eps: float | Fraction | None = ...,
    candidates: Any = ...,
    score: Any = ...,
    epsilon: float | Fraction | None = ...,
    monotone: bool | None = ...,
) -> Any:
    """Chooses a candidate with probability proportional to e^(score / T).

    Arguments: Public `candidates`; `score`, a function of one of them, read as the vector of all scores; `epsilon`, or `s` and `eps`.

    One call:
        >>> @dp.measurement
        ... def example(visits: dp.Records[float]):
        ...     return dp.exponential_mechanism(candidates=(5, 10), score=lambda c: dp.count(visits, lambda v: v > c), epsilon=1)
        >>> example([3.0, 9.0, 12.0])  # noise of one seed
        Release 10   cost ε = 1   NaN counts as 0

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        score in Vector[Int, LInf] of n: ε = eps*d_in/s; ρ = eps**2*d_in**2/(8*s**2)
        score in Vector[Int, LInf] of n: ε = epsilon*d_in; ρ = epsilon**2*d_in**2/8
        score in Vector[Int, LInf] of n: ε = epsilon*d_in; ρ = epsilon**2*d_in**2/8   (monotone = True)

    Elsewhere:
        Duet and DiffPrivacyInference: exponential_mechanism

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        claimed-sensitivity: the sensitivity given to a mechanism is smaller than the real one
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        size-mismatch: two sizes that have to be equal are different
        wrong-arguments: the call does not fit the function's parameters
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    exponential_mechanism: chooses a candidate with probability proportional to e^(score / T).

    Privacy.  When no score moves by more than d, a weight moves by a factor of at most e^(d/T), and so
    does the sum of the weights: epsilon = 2 d_LInf / T.  `exponential_mechanism(s, eps, candidates,
    score)` has T = 2 s / eps for a claimed bound s of the scores, which must be at least the inferred
    one; with `epsilon=` alone, T comes from the inferred bound.  What all scores share cancels, so
    check takes half of how far they move apart as d, but for a claimed bound of every score.  Scores
    that all rise or all fall when a record is added (`monotone=True`, which check proves) move each
    weight and the sum of weights in the same direction, so that only one of the two factors counts:
    epsilon = d_LInf / T, one record after the other.
    Candidates are public: they come from no private data.
    The log-ratio lies in an interval of length epsilon (bounded range), so rho = epsilon^2 / 8.
    A score under the discrete metric has no bound until it is read as a number (undisc).
    Approached by a candidate far below all others, which rises while they fall.
    Source: McSherry and Talwar (2007); Cesar and Rogers (2021), Lemma 3.2, for rho; Dong, Durfee and
    Rogers (2020) for the range.
    """
    ...

def fill_missing(
    x: Any,
    constant: Any,
) -> Any:
    """One value that may be missing, and a public constant where it is.

    Arguments: A private value that may be missing; a public value of its type.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float | None]):
        ...     return [dp.fill_missing(v, 0.0) for v in visits]
        >>> example([3.0, None])
        [3, 0]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in float | None -> Data: 1
        x in int | None -> Data: 1   (constant = 0)
        x in str | None -> Data: 1   (constant = '?')
        x in bool | None -> Data: 1   (constant = False)

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    fill_missing: one value that may be missing, and a public constant where it is.

    Stability.  Different values have distance 1, and what is made of them has distance at most 1.
    Where a program has asked `if x is not None`, a read of `x` is this record: there the constant is
    never taken, and it is chosen inside the range of the values where that is possible.
    Tight: a value that is there, and one that is missing.
    Source: any function from a discrete space into one of diameter 1 is 1-stable.
    """
    ...

def filter(
    predicate: Any,
    x: Any,
) -> Any:
    """The rows that a predicate accepts, in their order.

    Arguments: A table of any metric; the predicate is deterministic.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.filter(lambda v: v > 5, visits)
        >>> example([3.0, 9.0])
        [9]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Records[int]: d_in
        x in Records[int, InsertDelete] -> Records[int, InsertDelete]: d_in
        x in Records[int, ChangeOne] of n -> Records[int]: 2*d_in
        x in Records[int, Hamming] of n -> Records[int, InsertDelete]: 2*d_in

    Elsewhere:
        Python: filter
        OpenDP: make_filter

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    filter: the rows that a predicate accepts, in their order.

    Stability.  The predicate looks at one row, so an added or removed row adds or removes at most that
    row: 1 under the symmetric and insert-delete distances.  A replaced row can leave while its
    successor enters: 2 from change-one distance to the symmetric, from Hamming to the insert-delete
    distance, and the number of rows becomes private.  Tight: accepted rows that become other ones.
    Tables with ids: a person whose rows are the same in both tables keeps the same ones, a person in
    one table only is in one or none afterwards, and one whose rows differ counts at most as before: 1.
    A private variable that the predicate captures can turn every row: no bound.
    Source: rules of tables; OpenDP make_filter; a filter commutes with multiset union.
    """
    ...

def find(
    x: Any,
    categories: Any,
) -> Any:
    """The position of each row in a public list of categories; missing where it is none of them.

    Arguments: A table with one column; different public categories of the column's type.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return dp.find(towns, ('Oslo', 'Rome'))
        >>> example(['Rome', 'Lima'])
        [1, None]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[str] -> Records[int | None]: d_in
        x in Records[str, InsertDelete] -> Records[int | None, InsertDelete]: d_in
        x in Records[str, ChangeOne] of n -> Records[int | None, ChangeOne] of n: d_in
        x in Records[str, Hamming] of n -> Records[int | None, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_find

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    find: the position of each row in a public list of categories; missing where it is none of them.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: rows of one category are added, or take the place of rows of another.
    Source: rules of tables, row-wise maps; OpenDP make_find.
    """
    ...

def find_bin(
    x: Any,
    edges: Any,
) -> Any:
    """The number of public edges at or below each row, which is the bin that it falls into.

    Arguments: A table with one column of numbers that are there; public edges that rise.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.find_bin(visits, (5, 10))
        >>> example([3.0, 12.0])
        [0, 2]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[int]: d_in
        x in Records[float, InsertDelete] -> Records[int, InsertDelete]: d_in
        x in Records[float, ChangeOne] of n -> Records[int, ChangeOne] of n: d_in
        x in Records[float, Hamming] of n -> Records[int, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_find_bin

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    find_bin: the number of public edges at or below each row, which is the bin that it falls into.

    Bin 0 lies below the first edge, bin i holds edge i - 1 and what follows it.
    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: rows of one bin are added, or take the place of rows of another.
    Source: rules of tables, row-wise maps; OpenDP make_find_bin.
    """
    ...

def flatten(
    m: Any,
) -> Any:
    """The entries of a matrix, row by row, as one vector.

    Arguments: A private matrix to the vector of its rows * cols entries.

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.flatten(m)
        >>> example([[1, 2], [3, 4]])
        [1, 2, 3, 4]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m*n: d_in
        m in Matrix[Data, L1] of n x m -> Vector[Data, L1] of m*n: d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L2] of m*n: d_in
        m in Matrix[Data, L2] of n x m -> Vector[Data, L2] of m*n: d_in

    Elsewhere:
        NumPy: numpy.ravel, numpy.flatten

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    flatten: the entries of a matrix, row by row, as one vector.

    Stability.  The L_p norm of the whole is at most the sum of the rows' L_p norms, so 1 in the own
    norm, and c^max(0, 1/q - 1/p) from row-summed L_p to L_q with c columns.  Over discrete entries 1 in
    the own norm, and under LInf the constant 1.  Tight: one row moves.
    Source: triangle inequality; Hoelder; extreme points of row-sum norms are single rows.
    """
    ...

def floor(
    x: Any,
) -> Any:
    """The largest integer at or below x.

    Arguments: A number or a vector; the result is Int.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.floor(x)
        >>> example(2.5)
        2

    Proved of it:
        distance 1 moves the result by at most 1   (distance d_in: ceiling(d_in))

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: ceiling(d_in)
        x in Real within [-3/2, 9/2] -> Int: ceiling(d_in)
        x in Int within [0, 9] -> Int: d_in
        x in Data -> Data: 1

    Elsewhere:
        NumPy: numpy.floor
        Python and SciPy: math.floor

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    floor: the largest integer at or below x.

    Stability.  Between x and x + d lie at most ceil(d) jumps: map ceil(d).  Tight: x an integer.
    In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further entry may cross a jump for
    almost nothing; L2 at most d + sqrt(n) (each entry moves by less than d_i + 1; not known tight).
    Integers stay where they are: 1.  Discrete entries: 1.  No linear constant exists on the reals.
    Source: counting jumps between two reals.
    """
    ...

def floordiv(
    x: Any,
    y: Any,
) -> Any:
    """x // c with a public divisor.

    Arguments: A private number by a public one; the result is Int, in a float where one of them is one.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.floordiv(x, 5)
        >>> example(17)
        3

    Proved of it:
        distance 1 moves the result by at most 1   (distance d_in: ceiling(d_in/5))

    At distance d_in of one argument the result moves by at most:
        x in Int -> Int: ceiling(d_in/Abs(y))
        x in Real within [-9, 20] -> Int: ceiling(d_in/Abs(y))
        x in Data -> Data: 1

    Elsewhere:
        Python: //
        NumPy: numpy.floor_divide

    Diagnostics (`metricdp explain NAME`):
        private-divisor: the divisor is private and may be near zero
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    floordiv: x // c with a public divisor.

    Stability.  floor(x / c): map ceil(d / |c|), on reals and integers; the constant 1/|c| would be
    wrong (2 // 3 = 0, 3 // 3 = 1).  Discrete values: 1.  Tight: x a multiple of c.
    Source: floor after division.
    """
    ...

def fold(
    f: Any,
    init: Any,
    xs: Any,
) -> Any:
    """Starts with a value and goes through the entries of a vector, or the rows of a matrix: acc = f(acc, x).

    Arguments: A function of the accumulator and an entry, its initial value, and the entries. The accumulator is a number; `functools.reduce(f, xs, init)` is the same.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L1]):
        ...     return dp.fold(lambda total, x: total + x, 0, v)
        >>> example([1, 2, 3])
        6

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        init in Real, xs in Vector[Real, L1] of n -> Real: d_in
        xs in Matrix[Real, L1] of n x m -> Real: d_in
        init in Real, xs in Vector[Real, L2] of n -> Real: d_in of init, sqrt(n)*d_in of xs
        xs in Matrix[Real, L2] of n x m -> Real: sqrt(m)*d_in

    Elsewhere:
        Python and SciPy: functools.reduce
        Duet and DiffPrivacyInference: fold

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    fold: starts with a value and goes through the entries of a vector, or the rows of a matrix:
    acc = f(acc, x).

    Stability.  If f moves by at most a * (movement of acc) + s * (movement of x) + k * (movement of a
    captured variable), then after n entries (induction) the initial value pays a^n, a captured variable
    k (1 + a + ... + a^(n-1)), and entry i pays s a^(n-1-i).  By Hoelder, for a vector: from L1
    s max(1, a)^(n-1), from L2 s sqrt(1 + a^2 + ... + a^(2n-2)), from LInf s (1 + ... + a^(n-1)).
    A matrix with c columns: the worst single row, so the same with c for n, times max(1, a)^(n-c).
    Over discrete entries each changed entry pays at most w = f's movement for it: w max(1, a)^(n-1) per
    change, at most w (1 + ... + a^(n-1)) in all.
    Tight for f(acc, x) = a acc + s x: move the first entry (a > 1), or all entries by the weights.
    Using s alone for the entries, or n for captured variables, is unsound for a > 1.
    Source: linear recurrences; Hoelder.
    """
    ...

def gaussian(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    rho: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
    delta: float | Fraction | None = ...,
    alpha: Any = ...,
    omega: float | Fraction | None = ...,
) -> Any:
    """Adds Gaussian noise to a real number, or to every entry of a vector, in L2.

    Arguments: A real number or vector; exactly one of `scale` (sigma), `rho`, `rho` and `omega`, `epsilon` and `alpha`, `epsilon` and `delta`.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Real):
        ...     return dp.gaussian(x, rho=0.5)
        >>> example(7)  # noise of one seed
        Release 6.51 ± 1.96 (95%)   cost ρ = 0.5   NaN counts as 0

    Proved of it:
        distance 1: ρ = 1/2

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ρ = d_in**2/(2*scale**2)
        x in Vector[Int, L2] of n: ρ = d_in**2/(2*scale**2)
        x in Int: ρ = rho*d_in**2
        x in Int: ρ = epsilon*d_in**2/alpha

    Elsewhere:
        OpenDP: make_gaussian, make_base_gaussian

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        vacuous-guarantee: the guarantee says nothing
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    gaussian: adds Gaussian noise to a real number, or to every entry of a vector, in L2.

    Privacy.  With standard deviation sigma a movement of d in L2 has Renyi divergence
    alpha d^2 / (2 sigma^2) at every order, so rho = d^2 / (2 sigma^2), exactly; there is no finite
    epsilon at delta = 0.
    Noise: `scale=sigma`; or the target `rho=`, sigma = bound / sqrt(2 rho), also as `rho=` and `omega=`
    (truncated: rho-zCDP holds at every order, so up to omega > 1); or the targets `alpha=` and
    `epsilon=`, D_alpha <= epsilon with alpha > 1: rho = epsilon / alpha; or the targets `epsilon=` and
    `delta=`: the least sigma whose exact profile at the bound is at most delta (`analytic_sigma`,
    any epsilon).  It costs (epsilon, delta) up to one bound; beyond, by group privacy, K = ceil(ratio)
    steps cost (K epsilon, delta (e^(K epsilon) - 1) / (e^epsilon - 1)), for real ratios too, since
    segments of R^n can be cut into K equal steps; the Gaussian's own profile lies below.
    What is released is x plus continuous noise, rounded to a public grid: post-processing, so the cost
    is that of the ideal mechanism for every movement.  Tight: rho of the continuous law, which the grid
    of a release approaches.
    Source: Bun and Steinke (2016), Lemma 2.5; Balle and Wang (2018), Theorem 8.
    """
    ...

def gaussian_mechanism(
    s: float | Fraction,
    eps: float | Fraction,
    delta: float | Fraction,
    x: Any,
) -> Any:
    """Classical Gaussian noise on x, of a claimed sensitivity s.

    Arguments: A real number or vector in L2; `s` (claimed sensitivity), `eps` and `delta` are public.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Real):
        ...     return dp.gaussian_mechanism(1, 0.5, 0.001, x)
        >>> example(7)  # noise of one seed
        Release 3.3 ± 14.8 (95%)   cost ε = 0.5, δ = 0.001   NaN counts as 0

    Proved of it:
        distance 1: ε = 1/2, δ = 1/1000

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ε = eps*ceiling(d_in), δ = delta*Sum(exp(_step*eps), (_step, 0, ceiling(d_in) - 1))
        x in Vector[Int, L2] of n: ε = eps*ceiling(d_in), δ = delta*Sum(exp(_step*eps), (_step, 0, ceiling(d_in) - 1))

    Elsewhere:
        Duet and DiffPrivacyInference: gaussian_mechanism

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        claimed-sensitivity: the sensitivity given to a mechanism is smaller than the real one
        classical-gaussian-epsilon: the classical Gaussian formula holds only for epsilon below 1
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        vacuous-guarantee: the guarantee says nothing
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    gaussian_mechanism: classical Gaussian noise on x, of a claimed sensitivity s.

    Privacy.  The standard deviation is s sqrt(2 ln(1.25/delta)) / eps, which is (eps, delta)-DP for
    movements up to s when 0 < eps < 1; the claimed s must be at least the inferred bound, and the
    charge is (eps, delta) as soon as the argument moves.  Beyond one bound: group privacy (`gaussian`).
    Not tight: at most a third of delta is used.
    Source: Dwork and Roth (2014), Theorem A.1; the seed system's rule.
    """
    ...

def gaussian_threshold(
    x: Any,
    *,
    scale: float | Fraction,
    threshold: Any,
) -> Any:
    """Normal noise on every value of a dictionary; only large ones are released.

    Arguments: A dictionary with private keys; `scale` (sigma) and `threshold` are public and positive.

    One call:
        >>> @dp.measurement
        ... def example(towns: dp.Records[str]):
        ...     return dp.gaussian_threshold(dp.count_by(towns), scale=2, threshold=20)
        >>> example(['Rome'] * 40)  # noise of one seed
        Release {'Rome': 39}   cost ρ = 0.125, δ = 1.12247e-20

    Proved of it:
        one record added or removed: ρ = 1/8, δ = erfc(37*sqrt(2)/8)/2

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Keyed[str, Int, L02Inf]: ρ = d_in**2/(2*scale**2), δ = 1 - (1 - erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*d_in/(2*scale) - sqrt(2)/(4*scale))/2)**d_in
        x in Keyed[str, Int, L02Inf]: ρ = 9*d_in**2/(2*scale**2), δ = 1 - (1 - erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*d_in/scale - sqrt(2)/(4*scale))/2)**(2*d_in)
        x in Keyed[str, Int, L02Inf]: ρ = d_in**2/(2*scale**2), δ = Min(1, 2*erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*scale*d_in/(2*Max(ceiling(threshold)*d_in - d_in**2 - d_in/2, scale**2)) - sqrt(2)/(4*scale))*d_in + erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*d_in/(2*scale) - sqrt(2)/(4*scale))/2 - erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*scale*d_in/(2*Max(ceiling(threshold)*d_in - d_in**2 - d_in/2, scale**2)) - sqrt(2)/(4*scale))/2, erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*d_in/(2*scale) - sqrt(2)/(4*scale))*d_in**2/(2*Min(2*scale**2/(2*ceiling(threshold) - 1), d_in)**2) + 2*erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*Min(2*scale**2/(2*ceiling(threshold) - 1), d_in, sqrt(d_in)/2)/(2*scale) - sqrt(2)/(4*scale))*d_in - erfc(sqrt(2)*ceiling(threshold)/(2*scale) - sqrt(2)*Min(2*scale**2/(2*ceiling(threshold) - 1), d_in)/(2*scale) - sqrt(2)/(4*scale))*d_in**2/(2*Min(2*scale**2/(2*ceiling(threshold) - 1), d_in)**2))

    Elsewhere:
        OpenDP: make_gaussian_threshold

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        unsupported-call: check has no rule for this function
        wrong-metric: the value carries another metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    gaussian_threshold: normal noise on every value of a dictionary; only large ones are released.

    Privacy.  Inputs differ in at most l0 keys, by at most l2 in Euclidean distance and linf in one, an
    absent key counting 0.  Let E be the event that no key which only this input has is released.  Given
    E on both sides, what is released follows from normal noise of standard deviation sigma on the keys
    that both have, which move by at most l2: rho = l2^2 / (2 sigma^2).  A key that only one input has
    is seen with chance at most delta1 = P(N(0, sigma) >= T - linf) for real values, and at most
    P(N(0, sigma) >= ceil(T) - 1/2 - linf) for whole ones, whose noise is rounded to whole numbers; so E
    fails with chance at most delta = 1 - (1 - delta1)^l0.  That is delta-approximate rho-zCDP, stated
    as (rho, delta); an (epsilon, delta) follows from the normal profile at rho, with the deltas added.
    With T in place of T - linf delta would be too small.
    Where l2 is less than l0 keys of linf each would make it, as with weights, delta is less (`_among`).
    Rounding is post-processing, so the normal law's rho holds for what is released.
    Tight: one new key of value linf for delta; one key of both inputs that moves by l2 for rho.
    Source: Bun and Steinke (2016), Definition 8.1 and Lemma 2.5; Korolova, Kenthapadi, Mishra, Ntoulas
    (2009) for the threshold; Rogers (2023), for the triple of distances.
    """
    ...

def ge(
    x: Any,
    y: Any,
) -> Any:
    """x >= y, a Bool, or Bools entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.ge(x, 3)
        >>> example(3)
        True

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Data -> Bool: 1   (y = 'a')

    Elsewhere:
        Python: >=
        NumPy: numpy.greater_equal

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    ge: x >= y, a Bool, or Bools entry by entry.

    Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
    most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
    turns the comparison around.  Tight: step across the threshold.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

def gt(
    x: Any,
    y: Any,
) -> Any:
    """x > y, a Bool, or Bools entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.gt(x, 3)
        >>> example(3)
        False

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Data -> Bool: 1   (y = 'a')

    Elsewhere:
        Python: >
        NumPy: numpy.greater

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    gt: x > y, a Bool, or Bools entry by entry.

    Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
    most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
    turns the comparison around.  Tight: step across the threshold.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

def histogram(
    x: Any,
    *,
    categories: Any = ...,
    edges: Any = ...,
    null_category: Any = ...,
) -> Any:
    """How many rows equal each of the public categories, or lie between each two public edges, as one vector of counts.

    Arguments: A table with one column, or a vector of discrete entries; public categories, or edges.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return dp.histogram(towns, categories=('Oslo', 'Rome'))
        >>> example(['Rome', 'Oslo', 'Rome'])
        [1, 2]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Vector[Int, L1] of 3: d_in
        x in Records[int, InsertDelete] -> Vector[Int, L1] of 3: d_in
        x in Records[int, ChangeOne] of n -> Vector[Int, L1] of 3: 2*d_in
        x in Records[int, Hamming] of n -> Vector[Int, L1] of 3: 2*d_in

    Elsewhere:
        OpenDP: make_count_by_categories

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    histogram: how many rows equal each of the public categories, or lie between each two public
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

def identity(
    x: Any,
) -> Any:
    """The value itself.

    Arguments: Any private value.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.identity(visits)
        >>> example([3.0, 4.0])
        [3, 4]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int | None] -> Records[int | None]: d_in
        x in Records[int | None, InsertDelete] -> Records[int | None, InsertDelete]: d_in
        x in Records[int | None, ChangeOne] of n -> Records[int | None, ChangeOne] of n: d_in
        x in Records[int | None, Hamming] of n -> Records[int | None, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_identity

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    identity: the value itself.

    Stability.  Outputs are the inputs: 1 in every metric.
    Tight: any two values.
    Source: definition of a stability map; OpenDP make_identity.
    """
    ...

def impute(
    x: Any,
    constant: Any,
) -> Any:
    """Puts a public constant in the place of missing rows.

    Arguments: A table with one column; a public value of its type. Rows that cannot be missing stay.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float | None]):
        ...     return dp.impute(visits, 0.0)
        >>> example([3.0, None])
        [3, 0]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[float]: d_in
        x in Records[float | None, InsertDelete] -> Records[float, InsertDelete]: d_in
        x in Records[float | None, ChangeOne] of n -> Records[float, ChangeOne] of n: d_in
        x in Records[float | None, Hamming] of n -> Records[float, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_impute_constant

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    impute: puts a public constant in the place of missing rows.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  The
    constant is public; one computed from the data (their mean) would move every missing row.
    Tight: add a row, or replace it by one with another value.
    Source: rules of tables, row-wise maps; OpenDP make_impute_constant.
    """
    ...

def impute_uniform(
    x: Any,
    lower: Any,
    upper: Any,
) -> Any:
    """Missing rows become numbers spread evenly over [lower, upper].

    Arguments: A table with one column of floats that may be missing; public finite bounds.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float | None]):
        ...     return dp.impute_uniform(visits, 0, 20)
        >>> example([3.0, 4.0])
        [3, 4]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[float]: d_in
        x in Records[float | None, InsertDelete] -> Records[float]: d_in
        x in Records[float | None, ChangeOne] of n -> Records[float, ChangeOne] of n: d_in
        x in Records[float | None, Hamming] of n -> Records[float, ChangeOne] of n: d_in

    Elsewhere:
        OpenDP: make_impute_uniform_float

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        reversed-bounds: the lower bound is above the upper bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    impute_uniform: missing rows become numbers spread evenly over [lower, upper].

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

def index(
    x: Any,
    i: Any,
) -> Any:
    """x[i], an entry of a vector, a row of a matrix, a record of a table of public length.

    Arguments: A container and one public or private whole position.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L1]):
        ...     return dp.index(v, 1)
        >>> example([5, 6, 7])
        6

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Real: d_in
        x in Vector[Data, L1] of n -> Data: 1
        x in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in
        x in Matrix[Data, L1] of n x m -> Vector[Data, L1] of m: d_in

    Elsewhere:
        Python: []

    Diagnostics (`metricdp explain NAME`):
        partial-operation: private data decide whether an operation runs that may fail
        private-index: a private value chooses which entry is read
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    index: x[i], an entry of a vector, a row of a matrix, a record of a table of public length.

    Stability.  A public position: the entry moves by at most the norm of the vector, 1 from every
    norm; a row by the distance of the matrix.  A private position: the result jumps between entries,
    by at most their diameter, a constant; infinite where the entries have no bounds.  Discrete
    entries: 1 each.  A table under Hamming distance: 1; a part that a text certainly has: 1.  At run
    time a private position is clamped into range.
    Tight: change the entry that is read; entries at both ends of the range.
    Source: |x_i| <= |x|_p; any function into diameter w.
    """
    ...

def interval_quantile(
    x: Any,
    lower: Any,
    upper: Any,
    alpha: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
) -> Any:
    """A real number between public bounds, by how well it splits the rows.

    Arguments: A table of numbers; public lower < upper; 0 <= alpha <= 1; one of `scale` and `epsilon`.

    One call:
        >>> @dp.measurement
        ... def example(visits: dp.Records[float]):
        ...     return dp.interval_quantile(visits, 0, 20, 0.5, epsilon=1)
        >>> example([3.0, 9.0, 12.0])  # noise of one seed
        Release 17.6145   cost ε = 1   NaN counts as 0

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Records[int]: ε = 2*Max(1 - alpha, alpha)*d_in/scale; ρ = Max(1 - alpha, alpha)**2*d_in**2/(2*scale**2)
        x in Records[int, ChangeOne]: ε = 2*d_in/scale; ρ = d_in**2/(2*scale**2)
        x in Records[int]: ε = epsilon*d_in; ρ = epsilon**2*d_in**2/8

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        reversed-bounds: the lower bound is above the upper bound
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    interval_quantile: a real number between public bounds, by how well it splits the rows.

    Privacy.  Exponential weights over all reals of [lower, upper]: density proportional to e^(u(t)/T),
    u(t) = -|(1 - alpha) #{x < t} - alpha #{x > t}|.  A row moves two scores apart by at most
    2 max(alpha, 1 - alpha) when it is added or removed, by at most 2 when it is replaced (see
    `private_quantile`), so the log-ratio of two densities lies in an interval of that length over T:
    epsilon = 2 max(alpha, 1 - alpha) d / T or 2 d / T, and rho = epsilon^2 / 8.  Sampled as the
    interval between two neighbouring rows, with weight length times e^(u/T), and a uniform point in
    it; rows are moved into the bounds first.  The number is rounded down to a public grid, the width
    about 2^40 times its step: post-processing.
    Approached when all rows lie in a short interval.
    Source: Smith (2011), section 3; Cesar and Rogers (2021), Lemma 3.2, for rho.
    """
    ...

def is_equal(
    x: Any,
    value: Any,
) -> Any:
    """Whether each row equals a public value.

    Arguments: A table with one column; a public value of the column's type.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return dp.is_equal(towns, 'Rome')
        >>> example(['Rome', 'Oslo'])
        [True, False]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[bool]: d_in
        x in Records[float, InsertDelete] -> Records[bool, InsertDelete]: d_in
        x in Records[float, ChangeOne] of n -> Records[bool, ChangeOne] of n: d_in
        x in Records[float, Hamming] of n -> Records[bool, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_is_equal

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    is_equal: whether each row equals a public value.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A
    missing row equals no value.
    Tight: rows with the value are added, or take the place of others.
    Source: rules of tables, row-wise maps; OpenDP make_is_equal.
    """
    ...

def is_missing(
    x: Any,
) -> Any:
    """`x is None`, whether a value that may be missing is.

    Arguments: A private value that may be missing.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float | None]):
        ...     return [v is None for v in visits]
        >>> example([3.0, None])
        [False, True]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in float | None -> Bool: 1
        x in int | None -> Bool: 1
        x in str | None -> Bool: 1
        x in bool | None -> Bool: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    is_missing: `x is None`, whether a value that may be missing is.

    Stability.  Different values have distance 1, and the answer moves by at most 1.
    Tight: a value that is there, and one that is missing.
    Source: any function from a discrete space into one of diameter 1 is 1-stable.
    """
    ...

def is_null(
    x: Any,
) -> Any:
    """Whether each row is missing.

    Arguments: A table with one column.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float | None]):
        ...     return dp.is_null(visits)
        >>> example([3.0, None])
        [False, True]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[bool]: d_in
        x in Records[float | None, InsertDelete] -> Records[bool, InsertDelete]: d_in
        x in Records[float | None, ChangeOne] of n -> Records[bool, ChangeOne] of n: d_in
        x in Records[float | None, Hamming] of n -> Records[bool, Hamming] of n: d_in

    Elsewhere:
        OpenDP: make_is_null

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    is_null: whether each row is missing.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: missing rows are added, or take the place of others.
    Source: rules of tables, row-wise maps; OpenDP make_is_null.
    """
    ...

def join(
    a: Any,
    b: Any,
    key_a: Any,
    key_b: Any,
    multiplicity: int,
    multiplicity_b: Any = ...,
) -> Any:
    """The pairs of rows of two tables that have one key, at most so many of each table per key.

    Arguments: Two tables, the key of a row of each, and how many rows of each table a key may have: the first number in both, or in the first one, and another one in the second.

    One call:
        >>> @dp.transformation
        ... def example(a: dp.Records[tuple[int, float]], b: dp.Records[tuple[int, str]]):
        ...     return dp.join(a, b, lambda r: r[0], lambda r: r[0], 1)
        >>> example([(1, 2.0), (2, 5.0)], [(1, 'Rome')])
        [(1, 2, 1, 'Rome')]

    Proved of it:
        one record added or removed in a moves the result by at most 2   (distance d_in: 2*d_in)
        one record added or removed in b moves the result by at most 2   (distance d_in: 2*d_in)

    At distance d_in of one argument the result moves by at most:
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 2*d_in   (multiplicity = 1)
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 4*d_in   (multiplicity = 2)
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 6*d_in   (multiplicity = 3)
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 6*d_in of a, 2*d_in of b   (multiplicity = 1, multiplicity_b = 3)

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    join: the pairs of rows of two tables that have one key, at most so many of each table per key.

    Of the rows of a key the first table keeps the k, and the second one the m, that come first in the
    order of a hash of their content (`_keys`), equal hashes by the content itself; m is k where it is
    not given.  The constant of the hash is public and the same in
    every run: which rows are kept has nothing to do with what they say, and is the same tomorrow.

    Stability.  For every such order that depends on the rows alone: a row that is added or removed may
    change places with one other, so keeping k rows per key is 2-stable.  A row of the first table that
    is kept meets at most m rows of the second one, so 2m in the first table, and 2k in the second; when
    both move, the sum: the joins differ by what the first table changes beside the old second one, and
    what the second one changes beside the new first one.  m alone, without the row that is pushed out,
    would be too small.  Without such bounds one row may meet all rows of the other table.  A private
    variable in a key function may move every row, infinite.
    Tight: a full key in the first table, and a new first row for it, beside m rows of the second; and
    the same of the second one.
    Source: rules of tables, truncated joins; triangle inequality.

    Names.  Where both tables name their fields in one way, a row of the result has these names; a name
    that stands in both gets `_a` in the first table and `_b` in the second, since either reading of the
    bare name would be a guess.  Otherwise a row is a tuple.
    """
    ...

def join_by_id(
    a: Any,
    b: Any,
    on: Any,
    how: Any = ...,
    columns: Any = ...,
) -> Any:
    """The rows of every person in two tables about the same persons, side by side.

    Arguments: Two tables about the same persons, the column of ids (one name, or one for each table), and the columns of the second one that come along.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     visits: dp.Records[tuple[str, int], dp.Ids('0')],
        ...     bills: dp.Records[tuple[str, float], dp.Ids('0')],
        ... ):
        ...     return dp.count_ids(dp.join_by_id(visits, bills, '0'), '0')
        >>> example([('Ann', 3), ('Ann', 4), ('Ben', 5)], [('Ann', 9.5), ('Cyd', 2.0)])
        1

    Proved of it:
        all records of one 0 in visits and bills added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        a in Records[Visit, Ids("who")], b in Records[Bill, Ids("whom", unit="who")] -> Records[Visit and Bill, Ids("who")]: d_in   (how = 'inner')
        a in Records[Visit, Ids("who")], b in Records[Bill, Ids("whom", unit="who")] -> Records[Visit and Bill, Ids("who")]: d_in of a, 2*d_in of b   (how = 'left')
        a in Records[Visit, Ids("who")], b in Records[Bill, Ids("whom", unit="who")] -> Records[Visit, Ids("who")]: d_in   (how = 'semi')
        a in Records[Visit, Ids("who")], b in Records[Bill, Ids("whom", unit="who")] -> Records[Visit, Ids("who")]: d_in   (how = 'anti')

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    join_by_id: the rows of every person in two tables about the same persons, side by side.

    `how="inner"`: every row of a person in the first table beside each of theirs in the second one;
    "left": the same, and the rows of the first table of those who are not in the second one, with
    missing values in its columns; "semi": the rows of the first table of those who are in the second
    one too; "anti": of those who are not.  Ids are never missing, and meet where they are equal: whole
    numbers as such, texts character by character; ids of two kinds are refused.  Which rows a person
    has in the result is a function of the rows of this person alone, and who has none in either table
    has none there.

    Stability.  A unit of distance is a person with all of their rows.  Where one table changes, the
    result changes for persons whose rows there differ, and for nobody else.  A person who is in or out
    of that table is in or out of the result, or not there at all: 1.  A person whose rows differ is
    counted 2 on both sides under add or remove, and 1 where one unit changes a person: 1.  So 1 in
    either table, and the sum where both change on their own; but in a left join a person who leaves the
    second table alone stays in the result with other rows, which is 2 under add or remove.  Tables that
    are one input change by the same persons: d units of it are persons who enter or leave all tables at
    once, and whose rows differ in some of them, counted twice; each of them counts as much in the
    result at most, so that it moves by d, and not by 2d or 3d (`combine`).  No bound on the rows of a
    person is needed, nor would one be kept: m rows beside n rows are m n.
    Tight: persons who have rows in the second table enter the first one; for "anti", who have none; for
    "left", who have rows in the first one enter the second.
    Source: rules of tables, semi joins and joins by the unit; Tumult's joins on an id space.

    Names.  The column of ids stands once, under its name in the first table.  Another name that both
    tables have gets `_a` in the first table and `_b` in the second, as in `join`; rows of two kinds,
    and tuples, make tuples.  `columns` names those of the second table that come along, in this order
    and under their names, whatever kind its rows are.  A left join needs it: where the second table has
    no row at all, nothing else would say what is missing.
    """
    ...

def join_public(
    x: Any,
    on: Any,
    table: Any,
    columns: Any,
    how: Any = ...,
) -> Any:
    """Every row of a table beside each row of a public table that has its key.

    Arguments: A table; its column with the key; a public table, written out, whose rows begin with the key; the names of its other columns; "inner" or "left".

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int]]):
        ...     return dp.count(dp.join_public(visits, '1', ((3, 'north'), (3, 'coast')), columns=('region',)))
        >>> example([('Ann', 3), ('Ben', 5)])
        2

    Proved of it:
        one record added or removed moves the result by at most 2   (distance d_in: 2*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit] -> Records[Visit and region, beds]: 2*d_in   (on = 'ward', how = 'inner')
        x in Records[Visit, Ids("who")] -> Records[Visit and region, beds, Ids("who")]: d_in   (on = 'ward', how = 'inner')
        x in Records[Visit, Ids("who", ChangeOne)] -> Records[Visit and region, beds, Ids("who", ChangeOne)]: d_in   (on = 'ward', how = 'inner')
        x in Records[Visit] -> Records[Visit and region, beds]: 2*d_in   (on = 'ward', how = 'left')

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    join_public: every row of a table beside each row of a public table that has its key.

    `how="inner"` leaves rows out whose key the public table has not; "left" keeps them, with missing
    values in its columns.  A key may stand in the public table several times: c is the largest number
    of its rows of one key, a public fact, and 1 where keys are different.  Keys are whole numbers,
    texts or truth values, of the kind of the column and never missing, so that equal ones are alike.

    Stability.  A row becomes the rows of the public table with its key, at most c, whatever other rows
    there are: c per row, under add or remove; in a left join one at least, which is no more.  A table
    with ids keeps them: the rows of a person are made of those of this person alone, and who has none
    has none in the result, so that d persons who enter, leave or change are d persons there: 1, without
    any bound on rows.
    Tight: rows with a key of c rows enter; persons do.
    Source: rules of tables, flat maps, joins with a public table; Tumult's public joins.
    """
    ...

def keep_ids(
    x: Any,
    per: Any,
    least: Any,
    most: Any = ...,
    value: Any = ...,
) -> Any:
    """The rows of those persons who have so many rows, all of them; of others none.

    Arguments: A table with ids, its column of ids, how many rows those have who are kept, or what a number of their rows adds up to.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.count_ids(dp.keep_ids(visits, '0', 2), '0')
        >>> example([('Ann', 3), ('Ann', 4), ('Ben', 5)])
        1

    Proved of it:
        all records of one 0 added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit, Ids("who")] -> Records[Visit, Ids("who")]: d_in   (per = 'who', least = 1)
        x in Records[Visit, Ids("who")] -> Records[Visit, Ids("who")]: d_in   (per = 'who', least = 2)
        x in Records[Visit, Ids("who")] -> Records[Visit, Ids("who")]: d_in   (per = 'who', least = 1, most = 1)
        x in Records[Visit, Ids("who")] -> Records[Visit, Ids("who")]: d_in   (per = 'who', least = 2, most = 3)

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    keep_ids: the rows of those persons who have so many rows, all of them; of others none.

    Whether a person is kept is decided by how many rows this person has: at least `least`, and no more
    than `most` where that is given.  As SQL says it: the rows of those who are among
    `SELECT person ... GROUP BY person HAVING COUNT(*) >= least`.  With a `value` of every row it is
    what these add up to, the number that `sum_per_id` makes of them: HAVING SUM(value) >= least.

    Stability.  What a person has in the result is a function of this person's rows alone, and who has
    no rows has none there.  A person whose rows are the same in both tables counts nothing.  A person
    who is in one table only is in one result or in none: 1.  A person whose rows differ is 2 under add
    or remove, and so much at most in the result, where the rows differ, or stand in one of them only:
    1; and 1 where one unit changes a person: 1.  No bound on the rows of a person, or on their values,
    is needed, nor does `most` make one that another rule uses.  A private variable that `value`
    captures may turn everybody: no bound.
    Tight: persons with `least` rows each are added.
    Source: rules of tables, functions of the rows of one unit; SQL's HAVING over groups by the unit.
    """
    ...

def laplace(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
) -> Any:
    """Adds Laplace noise to a real number, or to every entry of a vector.

    Arguments: A real number or vector; exactly one of `scale` (public) and `epsilon` (target).

    One call:
        >>> @dp.measurement
        ... def example(visits: dp.Records[float]):
        ...     return dp.laplace(dp.count(visits), epsilon=0.5)
        >>> example([3.0, 9.0, 12.0])  # noise of one seed
        Release 2.70 ± 5.99 (95%)   cost ε = 0.5   NaN counts as 0

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^(1/2)
           (ε = 1/2, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ε = d_in/scale; ρ = d_in/scale + exp(-d_in/scale) - 1
        x in Vector[Int, L1] of n: ε = d_in/scale; ρ = d_in/scale + exp(-d_in/scale) - 1
        x in Int: ε = epsilon*d_in; ρ = epsilon*d_in + exp(-epsilon*d_in) - 1

    Elsewhere:
        OpenDP: make_laplace, make_base_laplace

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    laplace: adds Laplace noise to a real number, or to every entry of a vector.

    Privacy.  The density of x plus noise at y is proportional to exp(-|y - x|/b), so the log-ratio of
    two densities moves by at most |x - x'|_1 / b: epsilon = d_1 / b, in the L1 norm and not in L2.
    What is released is x plus continuous noise, rounded to a public grid: post-processing, so the cost
    is that of the ideal mechanism for every movement.  Tight: any outcome beyond both centres.
    zCDP: with m = d_1 / b the Renyi divergence over its order is largest at order 1, the
    Kullback-Leibler divergence: rho = m - 1 + e^-m, exactly.
    Noise: `scale=b`, or the target `epsilon=`, and then b is the largest single-input movement at
    distance 1 divided by epsilon.
    Source: Dwork, McSherry, Nissim, Smith (2006), Theorem 1; Bun and Steinke (2016) for rho.
    """
    ...

def laplace_threshold(
    x: Any,
    *,
    scale: float | Fraction,
    threshold: Any,
) -> Any:
    """Laplace noise on every value of a dictionary; only large ones are released.

    Arguments: A dictionary with private keys; `scale` and `threshold` are public and positive.

    One call:
        >>> @dp.measurement
        ... def example(towns: dp.Records[str]):
        ...     return dp.laplace_threshold(dp.count_by(towns), scale=2, threshold=20)
        >>> example(['Rome'] * 40)  # noise of one seed
        Release {'Rome': 40}   cost ε = 0.5, δ = 0.0000465923

    Proved of it:
        one record added or removed: ε = 1/2, δ = exp(-9)/(exp(1/2) + 1)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Keyed[str, Int, L01Inf]: ε = d_in/scale, δ = Min(1 - (1 - Min(1, exp(d_in/scale + 1/scale - ceiling(threshold)/scale)/(exp(1/scale) + 1)))**d_in, Max(exp(1/scale)*d_in/(exp(1/scale) + 1), exp(d_in/scale)/(exp(1/scale) + 1))*exp(1/scale - ceiling(threshold)/scale))
        x in Keyed[str, Int, L01Inf]: ε = 3*d_in/scale, δ = Min(1 - (1 - Min(1, exp(2*d_in/scale + 1/scale - ceiling(threshold)/scale)/(exp(1/scale) + 1)))**(2*d_in), Max(3*exp(1/scale)*d_in/(exp(1/scale) + 1), exp(3*d_in/scale)/(exp(1/scale) + 1))*exp(1/scale - ceiling(threshold)/scale))

    Elsewhere:
        OpenDP: make_laplace_threshold

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        unsupported-call: check has no rule for this function
        wrong-metric: the value carries another metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    laplace_threshold: Laplace noise on every value of a dictionary; only large ones are released.

    Privacy.  Inputs differ in at most l0 keys, by at most l1 in all and linf in one, an absent key
    counting 0.  Keys of both inputs cost epsilon = l1 / b.  A key that only one input has is seen with
    chance at most delta1 = P(noise >= T - linf): e^(-(T - linf)/b) / 2 for continuous noise on real
    values, e^(-(ceil(T) - linf)/b) / (1 + e^(-1/b)) for discrete noise on whole ones; so
    delta = 1 - (1 - delta1)^l0.  Whole values that add up to l1 give no more than
    max(l1 delta1(1), delta1(l1)) either, where delta1(c) is the chance for the value c.
    With T in place of T - linf, or > in place of >= on whole numbers, delta would be too small.
    Tight: one new key of value linf = l1.
    Source: Korolova, Kenthapadi, Mishra, Ntoulas (2009); Rogers (2023), for the triple of distances.
    """
    ...

def laplacian_mechanism(
    s: float | Fraction,
    eps: float | Fraction,
    x: Any,
) -> Any:
    """Laplace noise on x, of a claimed sensitivity s.

    Arguments: A real number or vector in L1; `s` (claimed sensitivity) and `eps` are public.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Real):
        ...     return dp.laplacian_mechanism(1, 0.5, x)
        >>> example(7)  # noise of one seed
        Release 6.70 ± 5.99 (95%)   cost ε = 0.5   NaN counts as 0

    Proved of it:
        distance 1 changes the chance of any outcome by at most a factor e^(1/2)   (ε = 1/2, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ε = eps*d_in/s; ρ = eps*d_in/s + exp(-eps*d_in/s) - 1

    Elsewhere:
        Duet and DiffPrivacyInference: laplacian_mechanism

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        claimed-sensitivity: the sensitivity given to a mechanism is smaller than the real one
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    laplacian_mechanism: Laplace noise on x, of a claimed sensitivity s.

    Privacy.  The scale is s / eps, so a movement of d in L1 costs d * eps / s (see `laplace`), which is
    at most eps at distance 1 when the claimed s is at least the inferred bound; a smaller claim is
    rejected.  Tight: any outcome beyond both centres.
    Source: the seed system's rule; Dwork, McSherry, Nissim, Smith (2006), Theorem 1.
    """
    ...

def le(
    x: Any,
    y: Any,
) -> Any:
    """x <= y, a Bool, or Bools entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.le(x, 3)
        >>> example(3)
        True

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Data -> Bool: 1   (y = 'a')

    Elsewhere:
        Python: <=
        NumPy: numpy.less_equal

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    le: x <= y, a Bool, or Bools entry by entry.

    Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
    most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
    turns the comparison around.  Tight: step across the threshold.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

def len(
    x: Any,
) -> Any:
    """The number of entries or rows.

    Arguments: A container of public size gives a public number, rows that come and go a private count.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.len(visits)
        >>> example([3.0, 4.0])
        2

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Int: d_in
        x in Records[int, InsertDelete] -> Int: d_in
        x in Vector[Real, L2] of n -> a public value
        x in Data -> Data: 1

    Elsewhere:
        Python: len

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    len: the number of entries or rows.

    Stability.  Vectors, gradients, matrices and tables under change-one or Hamming distance of
    different lengths are infinitely far apart, so the length is public: 0.  Under symmetric and
    insert-delete distance one row more or less is at distance 1, and moves the number of rows by 1: a
    private count, as `count` gives it.  The length of a private text is an integer that it decides:
    1 under the discrete metric.
    Tight: a constant does not move; rows are added; a text of another length.
    Source: lengths are part of the domain; folklore for the count.
    """
    ...

def limit_groups(
    x: Any,
    per: Any,
    by: Any,
    groups: Any,
    rows: Any,
) -> Any:
    """At most k groups of every person, and at most m rows of the person in each.

    Arguments: A table with ids, its column of ids, the columns that a group is equal in, how many groups of an id are kept, and how many rows of it in each.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.limit_groups(visits, '0', by='1', groups=1, rows=1)
        >>> example([('Ann', 3), ('Ann', 4), ('Ben', 5)])
        [('Ann', 4), ('Ben', 5)]

    Proved of it:
        all records of one 0 added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit, Ids("who")] -> Records[Visit]: d_in   (per = 'who', by = 'where', groups = 1, rows = 1)
        x in Records[Visit, Ids("who")] -> Records[Visit]: 2*d_in   (per = 'who', by = 'where', groups = 2, rows = 1)
        x in Records[Visit, Ids("who")] -> Records[Visit]: 2*d_in   (per = 'who', by = 'where', groups = 1, rows = 2)
        x in Records[Visit, Ids("who")] -> Records[Visit]: 6*d_in   (per = 'who', by = 'where', groups = 2, rows = 3)

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    limit_groups: at most k groups of every person, and at most m rows of the person in each.

    Rows of a person that are equal in the columns `by` are one group.  Of a person's groups those are
    kept that come first in the order of a hash of the person and the group (`_keys`), equal hashes by
    these values themselves; of a kept group the first rows in the order of a hash of their content.
    Whoever has no more keeps all.  Which groups are kept has nothing to do with how many rows they
    have, or what these hold beside `by`; and neither choice depends on the order of the table or on
    anybody else.

    Stability.  Rows of a person whose rows are the same in both tables are kept alike.  A person who is
    in one table only brings at most k m rows: k m per unit under add or remove.  A person whose rows
    differ loses at most k m and brings at most k m others: 2 k m, which is the distance 2 of such a
    person under add or remove, and 1 where one unit changes a person: 2 k m per unit then.
    In groups.  A unit that adds or removes a person changes m rows in each of k groups at most; one
    that changes a person takes m rows out of k groups and puts m into k others or the same: m rows in
    each of 2 k groups, or 2 m in some, and no more than 2 k m in all.  That is the conclusion `Groups`,
    which counts and sums by group are charged by (`check.domain.groups`).
    Tight: persons with m rows in each of k groups, who are added; who have m others in k others.
    Source: rules of tables, truncation to so many groups of a person and so many rows in each; Tumult
    `MaxGroupsPerID` and `MaxRowsPerGroupPerID`, PipelineDP's L0 and Linf.
    """
    ...

def limit_rows(
    x: Any,
    per: Any,
    most: Any,
) -> Any:
    """At most so many rows of every person, so that one person is so many rows.

    Arguments: A table with ids, its column of ids, and how many rows of one id are kept.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.limit_rows(visits, '0', 1)
        >>> example([('Ann', 3), ('Ann', 4), ('Ben', 5)])
        [('Ann', 4), ('Ben', 5)]

    Proved of it:
        all records of one 0 added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit, Ids("who")] -> Records[Visit]: d_in   (per = 'who', most = 1)
        x in Records[Visit, Ids("who")] -> Records[Visit]: 2*d_in   (per = 'who', most = 2)
        x in Records[Visit, Ids("who")] -> Records[Visit]: 3*d_in   (per = 'who', most = 3)
        x in Records[tuple[int, float | None, date], Ids("0")] -> Records[tuple[int, float | None, date]]: 2*d_in   (per = '0', most = 2)

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    limit_rows: at most so many rows of every person, so that one person is so many rows.

    Of a person's rows those are kept that come first in the order of a hash of their content
    (`_keys`), equal hashes by the content itself; a person with fewer rows keeps all of them.  The
    order depends on that person's rows alone, and neither on the order of the table nor on anybody
    else.

    Stability.  Rows of a person whose rows are the same in both tables are kept alike.  A person who is
    in one table only brings at most m rows: m per unit under add or remove.  A person whose rows differ
    loses at most m and brings at most m others: 2m, which is the distance 2 of such a person under add
    or remove, and 1 where one unit changes a person: 2m per unit then.
    Tight: persons with m rows each who are added; who have m other rows.
    Source: rules of tables, truncation per user; OpenDP `truncate_per_group`, Tumult `MaxRowsPerID`.
    """
    ...

def log(
    x: Any,
) -> Any:
    """The natural logarithm of a number with a positive lower bound.

    Arguments: A number or container with a positive lower bound.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.log(dp.clamp(x, 1, 10))
        >>> example(0.5)
        0

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real within [1000, 9000] -> Real: d_in/1000
        x in Real -> Real: oo
        x in Vector[Real, L1] of n within [1000, 9000] -> Vector[Real, L1] of n: d_in/1000
        x in Vector[Real, L2] of n within [1000, 9000] -> Vector[Real, L2] of n: d_in/1000

    Elsewhere:
        NumPy: numpy.log
        Python and SciPy: math.log

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    log: the natural logarithm of a number with a positive lower bound.

    Stability.  On [a, oo) the derivative is at most 1/a: 1/a-stable, entry by entry in every norm;
    without a positive lower bound infinite.  At run time log of a number <= 0 is 0.  Tight: near a for
    small steps.  The reference gives a rational within 2^-100.
    Source: mean value theorem.
    """
    ...

def logical_and(
    x: Any,
    y: Any,
) -> Any:
    """`and` on private Booleans.

    Arguments: Private Booleans, or one and a public value.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Bool, y: dp.Bool):
        ...     return dp.logical_and(x, y)
        >>> example(True, False)
        False

    Proved of it:
        one value replaced in x moves the result by at most 1
        one value replaced in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Bool, y in Bool -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Bool -> Bool: 0   (y = False)

    Elsewhere:
        Python: and
        NumPy: numpy.logical_and

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    logical_and: `and` on private Booleans.

    Stability.  Booleans are at distance 1 or 0, so any function of them is 1-stable per argument.
    Tight: with a public True the result is the other operand.
    Source: a function between spaces of diameter 1 and least distance 1.
    """
    ...

def logical_not(
    x: Any,
) -> Any:
    """`not` on private Booleans.

    Arguments: Private Booleans.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Bool):
        ...     return dp.logical_not(x)
        >>> example(True)
        False

    Proved of it:
        one value replaced moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Bool -> Bool: 1
        x in Data within [0, 1] -> Bool: 1

    Elsewhere:
        Python: not
        NumPy: numpy.logical_not

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    logical_not: `not` on private Booleans.

    Stability.  Booleans are at distance 1 or 0, so any function of them is 1-stable per argument.
    Tight: negation turns every Boolean around.
    Source: a function between spaces of diameter 1 and least distance 1.
    """
    ...

def logical_or(
    x: Any,
    y: Any,
) -> Any:
    """`or` on private Booleans.

    Arguments: Private Booleans, or one and a public value.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Bool, y: dp.Bool):
        ...     return dp.logical_or(x, y)
        >>> example(True, False)
        True

    Proved of it:
        one value replaced in x moves the result by at most 1
        one value replaced in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Bool, y in Bool -> Bool: 1
        x in Bool -> Bool: 1   (y = False)
        x in Bool -> Bool: 0   (y = True)

    Elsewhere:
        Python: or
        NumPy: numpy.logical_or

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    logical_or: `or` on private Booleans.

    Stability.  Booleans are at distance 1 or 0, so any function of them is 1-stable per argument.
    Tight: with a public False the result is the other operand.
    Source: a function between spaces of diameter 1 and least distance 1.
    """
    ...

def logistic_step(
    theta: Any,
    rows: Any,
    rate: Any,
    decay: Any,
) -> Any:
    """One step of gradient descent on the l2-regularised logistic loss of private rows.

    Arguments: Weights (private, public, or a number for all), rows with the label last, public numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     theta: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)],
        ...     rows: Annotated[dp.Matrix[dp.Data, dp.L2], dp.Size(3, 3)],
        ... ):
        ...     return dp.logistic_step(theta, rows, rate=0.5, decay=0.1)
        >>> example([0, 0], [[1, 0, 1], [0, 1, 0], [1, 1, 1]])
        [0.142259, -0.0244078]

    Proved of it:
        one unit of L2 distance in theta moves the result by at most sqrt(2)/137438953472 + 68454714336031539/72057594037927936
           (distance d_in: 68454714336031539*d_in/72057594037927936 + sqrt(2)/137438953472)
        one entry replaced in rows moves the result by at most 1/3   (distance d_in: 2*Min(1/2, d_in/6))

    At distance d_in of one argument the result moves by at most:
        theta in Vector[Real, L2] of n, rows in Matrix[Data, L2] of n x m -> Vector[Real, L2] of m - 1: Max(Abs(4*decay*rate + rate - 4)/4, Abs(decay*rate - 1))*d_in + Abs(rate)*sqrt(m - 1)/68719476736 of theta, 2*Abs(rate)*Min(1, d_in/n) of rows
        rows in Matrix[Data, LInf] of n x m -> Vector[Real, L2] of m - 1: 2*Abs(rate)*Min(1, d_in/n)

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    logistic_step: one step of gradient descent on the l2-regularised logistic loss of private rows.

    theta' = theta - rate * (mean over rows (x, y) of (sigmoid(theta.x) - y) x + decay * theta), with x
    scaled into the unit ball and y clamped to [0, 1]: rows hold doubles, and what a row adds to the sum
    is moved into the unit ball on a grid of 2**-39.  From there on the step is exact.

    Stability.  In the rows, k of n replaced: two gradients of one row differ by at most 2, since both
    lie in the unit ball, and those of the other rows are the same; so |rate| * 2 k/n.  Approached by
    (e, f) against (e, -f) under a long theta along e.
    In theta, L2: the Hessian of the mean loss is mean s (1 - s) x x^T, whose eigenvalues lie in
    [0, 1/4]; the Jacobian of the step is symmetric with eigenvalues 1 - rate * (decay + e), so its norm
    is at most max(|1 - rate*decay|, |1 - rate*(decay + 1/4)|) (mean value theorem).  Approached: rows
    of zeros attain the first, equal unit rows near theta = 0 the second.
    The gradient of a row is computed to within sqrt(w) 2**-37 for w features (below), so two runs with
    other weights are further apart by twice that error, |rate| sqrt(w) 2**-36 in all.

    Error of a gradient, in L2, with u = 2**-52 and b the bits of w.  Sums of w doubles are made in
    halves, at most 2 b additions deep, so the scaled features x are at most 1 + (2 b + 8) u long, and
    z = (1 - (2 b + 8) 2 u) x lies in the unit ball: the loss is that of z.  theta.z is computed as
    theta.x in doubles while |theta| (4 b + 16) <= 2**14, to (5 b + 17) u |theta| < 2**-37.6, and from
    integers beyond, to 2**-48; the sigmoid, 1/4-stable, to 2**-50 (`columns.logistic`).  z in place of
    x makes (2 b + 8) 2 u, products 2 u, the grid sqrt(w) 2**-39, and a vector that is out of the ball
    by rounding is scaled by at most sqrt(w) 2**-39 + 2**-39 + (2 b + 8) u: in all below sqrt(w) 2**-37.
    Source: Chaudhuri, Monteleoni and Sarwate (2011); Wu et al. (2017), "Bolt-on Differential Privacy",
    whose constant is 2 rate / n per step: a bound without the rate is none.
    """
    ...

def logsumexp(
    x: Any,
) -> Any:
    """log(sum of e^x_i) of a vector, a smooth maximum.

    Arguments: A private vector of at least one number.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)]):
        ...     return dp.logsumexp(v)
        >>> example([0, 0])
        0.693147

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Real: d_in
        x in Vector[Real, L1] of n within [-1, 4] -> Real: d_in
        x in Vector[Real, L2] of n -> Real: d_in
        x in Vector[Real, L2] of n within [-1, 4] -> Real: d_in

    Elsewhere:
        Python and SciPy: scipy.special.logsumexp

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    logsumexp: log(sum of e^x_i) of a vector, a smooth maximum.

    Stability.  The gradient is the softmax, nonnegative with sum 1, so its L1, L2 and LInf norms are at
    most 1: 1-stable from every norm (Hoelder).  Approached when one entry is far above the others.
    Results lie between the largest entry and that plus log n.
    Source: mean value theorem; duality of norms.
    """
    ...

def lookup(
    x: Any,
    categories: Any,
    null: Any,
) -> Any:
    """The public value at the position that each row holds; `null` beyond the list.

    Arguments: A table with one column of integers; public values of one type.

    One call:
        >>> @dp.transformation
        ... def example(codes: dp.Records[int]):
        ...     return dp.lookup(codes, ('Oslo', 'Rome'), null='elsewhere')
        >>> example([0, 1, 7])
        ['Oslo', 'Rome', 'elsewhere']

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Records[str]: d_in   (null = '')
        x in Records[int, InsertDelete] -> Records[str, InsertDelete]: d_in   (null = '')
        x in Records[int, ChangeOne] of n -> Records[str, ChangeOne] of n: d_in   (null = '')
        x in Records[int, Hamming] of n -> Records[str, Hamming] of n: d_in   (null = '')

    Elsewhere:
        OpenDP: make_index

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    lookup: the public value at the position that each row holds; `null` beyond the list.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a position outside the list, or a missing one, gives the public `null`.
    Tight: rows at one position are added, or take the place of rows at another.
    Source: rules of tables, row-wise maps; OpenDP make_index.
    """
    ...

def lt(
    x: Any,
    y: Any,
) -> Any:
    """x < y, a Bool, or Bools entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.lt(x, 3)
        >>> example(3)
        False

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Data -> Bool: 1   (y = 'a')

    Elsewhere:
        Python: <
        NumPy: numpy.less

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    lt: x < y, a Bool, or Bools entry by entry.

    Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
    most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
    turns the comparison around.  Tight: step across the threshold.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

@overload
def map(
    f: Any,
    xs: Any,
) -> Any:
    """Applies one function to every entry of a vector, or to every row of a table.

    Arguments: A deterministic function, and a vector or table.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.map(lambda v: 2 * v, visits)
        >>> example([3.0, 4.0])
        [6, 8]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        xs in Vector[Real, L1] of n -> Vector[Real, L1] of n: 2*d_in
        xs in Vector[Data, L1] of n -> Vector[Bool, L1] of n: d_in
        xs in Vector[Int, L1] of n -> Vector[Bool, L1] of n: d_in
        xs in Vector[Real, L2] of n -> Vector[Real, L2] of n: 2*d_in

    Elsewhere:
        Python: map
        Duet and DiffPrivacyInference: map
        OpenDP: make_row_by_row

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map: applies one function to every entry of a vector, or to every row of a table.

    Stability.  Vectors: entry i of the result depends on entry i only.  A function that is s-stable is
    s-stable in every norm; one that moves by at most w per changed discrete or whole entry is w-stable,
    because such entries move by at least 1.  Any other map g of one real entry: LInf g(d), L1 the sum
    over the entries, L2 at most sqrt(n) g(d).  A captured private variable reaches all n entries.
    Tables: any function of one row keeps equal rows equal, 1-stable in every metric on records; a
    captured private variable may change every row, infinite.
    Tight when the function's own bound is tight: change one entry.
    Source: triangle inequality over entries; OpenDP make_row_by_row.
    """
    ...

@overload
def map(
    f: Any,
    xs: Any,
    ys: Any,
) -> Any:
    """Applies a function of two numbers to the entries of two vectors.

    Arguments: Two private vectors of one size, and a function from numbers to numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)],
        ...     w: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)],
        ... ):
        ...     return dp.map2(lambda a, b: a + b, v, w)
        >>> example([1, 2], [3, 4])
        [4, 6]

    Proved of it:
        one unit of L1 distance in v moves the result by at most 1
        one unit of L1 distance in w moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        xs in Vector[Real, L1] of n, ys in Vector[Real, L1] of n -> Vector[Real, L1] of n: 2*d_in of xs, 3*d_in of ys
        xs in Vector[Data, L1] of n, ys in Vector[Data, L1] of n -> Vector[Int, L1] of n: d_in
        xs in Vector[Real, L2] of n, ys in Vector[Real, L2] of n -> Vector[Real, L2] of n: 2*d_in of xs, 3*d_in of ys
        xs in Vector[Data, L2] of n, ys in Vector[Data, L2] of n -> Vector[Int, L2] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: map

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map2: applies a function of two numbers to the entries of two vectors.

    Stability.  Entry i of the result depends on entries i only.  Moving one vector while the other
    stays is `map`; both together add up (triangle inequality): s_1 and s_2 in every norm for stable
    functions, w per changed discrete entry.  A captured private variable reaches all n entries.
    Tight when the function's own bounds are tight: change one entry of both.
    Source: as map; triangle inequality over arguments.
    """
    ...

def map2(
    f: Any,
    xs: Any,
    ys: Any,
) -> Any:
    """Applies a function of two numbers to the entries of two vectors.

    Arguments: Two private vectors of one size, and a function from numbers to numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)],
        ...     w: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)],
        ... ):
        ...     return dp.map2(lambda a, b: a + b, v, w)
        >>> example([1, 2], [3, 4])
        [4, 6]

    Proved of it:
        one unit of L1 distance in v moves the result by at most 1
        one unit of L1 distance in w moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        xs in Vector[Real, L1] of n, ys in Vector[Real, L1] of n -> Vector[Real, L1] of n: 2*d_in of xs, 3*d_in of ys
        xs in Vector[Data, L1] of n, ys in Vector[Data, L1] of n -> Vector[Int, L1] of n: d_in
        xs in Vector[Real, L2] of n, ys in Vector[Real, L2] of n -> Vector[Real, L2] of n: 2*d_in of xs, 3*d_in of ys
        xs in Vector[Data, L2] of n, ys in Vector[Data, L2] of n -> Vector[Int, L2] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: map

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map2: applies a function of two numbers to the entries of two vectors.

    Stability.  Entry i of the result depends on entries i only.  Moving one vector while the other
    stays is `map`; both together add up (triangle inequality): s_1 and s_2 in every norm for stable
    functions, w per changed discrete entry.  A captured private variable reaches all n entries.
    Tight when the function's own bounds are tight: change one entry of both.
    Source: as map; triangle inequality over arguments.
    """
    ...

@overload
def map_cols(
    f: Any,
    m: Any,
) -> Any:
    """Applies one function to every column of a matrix.

    Arguments: A function from columns to vectors of public size, or to numbers.

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.map_cols(lambda c: dp.sum(c), m)
        >>> example([[1, 2], [3, 4]])
        [4, 6]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in
        m in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of 3 x m: 2*Min(1, m)*d_in
        m in Matrix[Data, L1] of n x m -> Vector[Int, L1] of m: Min(1, m)*d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L1] of m: 2*sqrt(m)*d_in

    Elsewhere:
        Duet and DiffPrivacyInference: map_cols

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map_cols: applies one function to every column of a matrix.

    Stability.  A function that is s-stable from L_p columns to L1: the columns' L_p distances t_j sum
    up to at most c^(1 - 1/p) d under row-summed L_p with c columns, so s c^(1 - 1/p) into every
    row-summed norm.  A function to numbers gives a vector; s c^max(0, 1/q - 1/p) into L_q over the
    reals, because single rows are the extreme points of row-sum norms.  Any other map g: the sum of
    g(t_j), and at most c g(d).  A captured variable reaches every column.
    Tight: one row moves, in one entry (L1) or in all entries alike (L2, LInf).
    Source: rules of matrices with row-sum metrics; Hoelder.
    """
    ...

@overload
def map_cols(
    f: Any,
    m: Any,
    n: Any,
) -> Any:
    """Applies a function of two columns to the columns of two matrices.

    Arguments: Two private matrices with as many columns, and a function to vectors or numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ...     n: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ... ):
        ...     return dp.map_cols2(lambda c, d: dp.sum(c) + dp.sum(d), m, n)
        >>> example([[1, 2], [3, 4]], [[5, 6], [7, 8]])
        [16, 20]

    Proved of it:
        one unit of L1 distance, added over rows in m moves the result by at most 1
        one unit of L1 distance, added over rows in n moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m, n in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in of m, 3*d_in of n
        m in Matrix[Real, L1] of n x m, n in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of 8 x m: 2*Min(1, m)*d_in of m, Min(1, m)*d_in of n

    Elsewhere:
        Duet and DiffPrivacyInference: map_cols

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map_cols2: applies a function of two columns to the columns of two matrices.

    Stability.  Moving one matrix while the other stays is `map_cols`; both together add up (triangle
    inequality), each with the norm of its own matrix.  A captured variable reaches every column.
    Tight: one row moves in both matrices.
    Source: as map_cols; triangle inequality over arguments.
    """
    ...

def map_cols2(
    f: Any,
    m: Any,
    n: Any,
) -> Any:
    """Applies a function of two columns to the columns of two matrices.

    Arguments: Two private matrices with as many columns, and a function to vectors or numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ...     n: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ... ):
        ...     return dp.map_cols2(lambda c, d: dp.sum(c) + dp.sum(d), m, n)
        >>> example([[1, 2], [3, 4]], [[5, 6], [7, 8]])
        [16, 20]

    Proved of it:
        one unit of L1 distance, added over rows in m moves the result by at most 1
        one unit of L1 distance, added over rows in n moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m, n in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in of m, 3*d_in of n
        m in Matrix[Real, L1] of n x m, n in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of 8 x m: 2*Min(1, m)*d_in of m, Min(1, m)*d_in of n

    Elsewhere:
        Duet and DiffPrivacyInference: map_cols

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map_cols2: applies a function of two columns to the columns of two matrices.

    Stability.  Moving one matrix while the other stays is `map_cols`; both together add up (triangle
    inequality), each with the norm of its own matrix.  A captured variable reaches every column.
    Tight: one row moves in both matrices.
    Source: as map_cols; triangle inequality over arguments.
    """
    ...

@overload
def map_rows(
    f: Any,
    m: Any,
) -> Any:
    """Applies one function to every row of a matrix.

    Arguments: Function from rows to vectors of public size (or to scalars: a vector in L1 results).

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.map_rows(lambda r: dp.sum(r), m)
        >>> example([[1, 2], [3, 4]])
        [3, 7]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of n x 2: 2*d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L1] of n: sqrt(2)*d_in

    Elsewhere:
        Duet and DiffPrivacyInference: map_rows

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map_rows: applies one function to every row of a matrix.

    Stability.  Row i of the result depends on row i only, so the row-summed distance is the sum of the
    rows' movements: a function that is s-stable from the rows' norm to the result's norm is s-stable
    on matrices.  Over discrete rows every nonzero row distance is at least 1, so a constant w per
    changed row gives w * d.  A variable that the function captures reaches every row: its movement is
    multiplied by the number of rows.  Tight when the function's own bound is tight: change one row.
    Source: triangle inequality over rows (rules of row-summed metrics); Duet's `mmap-row`.
    """
    ...

@overload
def map_rows(
    f: Any,
    m: Any,
    n: Any,
) -> Any:
    """Applies a function of two rows to the rows of two matrices.

    Arguments: Two private matrices with as many rows, and a function to vectors or numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ...     n: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ... ):
        ...     return dp.map_rows2(lambda r, s: dp.sum(r) + dp.sum(s), m, n)
        >>> example([[1, 2], [3, 4]], [[5, 6], [7, 8]])
        [14, 22]

    Proved of it:
        one unit of L1 distance, added over rows in m moves the result by at most 1
        one unit of L1 distance, added over rows in n moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m, n in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of n x 2: 2*d_in of m, 3*d_in of n
        m in Matrix[Data, LInf] of n x m, n in Matrix[Data, LInf] of n x m -> Vector[Int, L1] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: map_rows

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map_rows2: applies a function of two rows to the rows of two matrices.

    Stability.  Row i of the result depends on rows i only, so moving one matrix while the other stays
    adds up over the rows, and both together add up (triangle inequality): s_1 in the first, s_2 in the
    second, each with the norm of its own matrix.  Over discrete rows a constant w per changed row gives
    w * d.  A captured variable reaches every row.
    Tight when the function's own bounds are tight: change one row of both.
    Source: as map_rows; triangle inequality over arguments.
    """
    ...

def map_rows2(
    f: Any,
    m: Any,
    n: Any,
) -> Any:
    """Applies a function of two rows to the rows of two matrices.

    Arguments: Two private matrices with as many rows, and a function to vectors or numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ...     n: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)],
        ... ):
        ...     return dp.map_rows2(lambda r, s: dp.sum(r) + dp.sum(s), m, n)
        >>> example([[1, 2], [3, 4]], [[5, 6], [7, 8]])
        [14, 22]

    Proved of it:
        one unit of L1 distance, added over rows in m moves the result by at most 1
        one unit of L1 distance, added over rows in n moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m, n in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of n x 2: 2*d_in of m, 3*d_in of n
        m in Matrix[Data, LInf] of n x m, n in Matrix[Data, LInf] of n x m -> Vector[Int, L1] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: map_rows

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    map_rows2: applies a function of two rows to the rows of two matrices.

    Stability.  Row i of the result depends on rows i only, so moving one matrix while the other stays
    adds up over the rows, and both together add up (triangle inequality): s_1 in the first, s_2 in the
    second, each with the norm of its own matrix.  Over discrete rows a constant w per changed row gives
    w * d.  A captured variable reaches every row.
    Tight when the function's own bounds are tight: change one row of both.
    Source: as map_rows; triangle inequality over arguments.
    """
    ...

def matmul(
    x: Any,
    y: Any,
) -> Any:
    """The product with a public matrix or vector on either side, `x @ y`.

    Arguments: One operand is a private real vector or matrix; the other is public and known.

    One call:
        >>> @dp.transformation
        ... def example(m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)]):
        ...     return dp.matmul(m, (1, 1))
        >>> example([[1, 2], [3, 4]])
        [3, 7]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of n x 2: 7*d_in/2
        y in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of 3 x m: 4*d_in
        x in Vector[Real, L1] of n -> Vector[Real, L1] of 2: 7*d_in/2
        x in Vector[Real, L1] of n -> Real: 4*d_in

    Elsewhere:
        Python: @
        NumPy: numpy.matmul, numpy.dot

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        size-mismatch: two sizes that have to be equal are different
        unbounded-product: a product of two private values has no finite bound
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    matmul: the product with a public matrix or vector on either side, `x @ y`.

    Stability.  X B with B public: every row moves by |B|_{p -> q} times its movement (row-summed).
    A X with A public: row i of the result is sum_k A_ik X_k, so the row-summed distance moves by at
    most max_k sum_i |A_ik|, times c^max(0, 1/q - 1/p) from L_p to L_q.  A vector is one row; A v is
    v A^T.  v w with a public vector w: the dual norm of w.  Tight: one row moved along the extreme
    direction (L1: a unit vector).  Two private operands: no bound, and a shape from their public sizes;
    a table of private length is refused, because an error would tell its length.
    Source: operator norms and norm duality; see `_operator` for which are exact.
    """
    ...

def max(
    *xs: Any,
    default: Any = ...,
) -> Any:
    """The largest of several numbers, or of the entries of a vector.

    Arguments: Several numbers, or one vector or table; `default` is public, and that of an empty table.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.max(x, y)
        >>> example(3, 4)
        4

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Real, y in Real, z in Real within [-2, 2] -> Real: d_in
        x in Int -> Real: d_in
        x in Data within [0, 9], y in Data within [0, 9] -> Data: 1

    Elsewhere:
        Python: max
        NumPy: numpy.max, numpy.amax
        Duet and DiffPrivacyInference: max

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    max: the largest of several numbers, or of the entries of a vector.

    Stability.  |max x - max x'| <= max_i |x_i - x_i'|: 1-stable from LInf, hence from L1 and L2;
    several private arguments cost their largest movement, not the sum (a direct proof).  Tight: all
    move alike. Discrete entries: 1, any function.  Tables of public size with rows in [lo, hi]: the
    constant hi - lo, whatever the size (all rows at one end, one replaced).  Tables of any size, with
    a public `default` for the empty one: what they give lies between the least and the largest of lo,
    hi and the default, and moves by at most the distance of these (rows at one end, and one at the
    other; or no row, and one far from the default).
    Source: max is monotone and commutes with adding a constant.
    """
    ...

def maximum(
    x: Any,
    y: Any,
) -> Any:
    """The larger of two values, for numbers or entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.maximum(x, y)
        >>> example(3, 4)
        4

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Int -> Real: d_in
        x in Vector[Real, L1] of n, y in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        NumPy: numpy.maximum

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    maximum: the larger of two values, for numbers or entry by entry.

    Stability.  Two numbers: at most the larger of the two movements (a direct proof), so 1 in each and
    1 together.  Containers: 1 per argument in every norm, and a number that is compared with every
    entry moves all of them.  Tight: both numbers move alike.
    Source: |max(x, y) - max(x', y')| <= max(|x - x'|, |y - y'|).
    """
    ...

def mean(
    x: Any,
    empty: Any = ...,
    at_least: Any = ...,
) -> Any:
    """The mean of the entries of a vector, or of the rows of a table.

    Arguments: A vector, or a table with one column; `empty` and `at_least` are public.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.mean(dp.clamp(visits, 0, 20), empty=0, at_least=2)
        >>> example([3.0, 4.0, 120.0])
        9

    Proved of it:
        one record added or removed moves the result by at most 10   (distance d_in: 10*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Real: d_in/n
        x in Vector[Real, L2] of n -> Real: d_in/sqrt(n)
        x in Vector[Real, LInf] of n -> Real: d_in
        x in Records[float, ChangeOne] of n within [-3, 5] -> Real: 8*d_in/n

    Elsewhere:
        NumPy: numpy.mean
        Python and SciPy: statistics.mean, statistics.fmean
        Duet and DiffPrivacyInference: mean
        OpenDP: make_mean

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        requirement-fails: a requirement on the public parameters does not hold
        unbounded-mean: one person can move this mean by any amount
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters
        wrong-metric: the value carries another metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    mean: the mean of the entries of a vector, or of the rows of a table.

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

def min(
    *xs: Any,
    default: Any = ...,
) -> Any:
    """The smallest of several numbers, or of the entries of a vector.

    Arguments: Several numbers, or one vector or table; `default` is public, and that of an empty table.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.min(x, y)
        >>> example(3, 4)
        3

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Real, y in Real, z in Real within [-2, 2] -> Real: d_in
        x in Int -> Real: d_in
        x in Data within [0, 9], y in Data within [0, 9] -> Data: 1

    Elsewhere:
        Python: min
        NumPy: numpy.min, numpy.amin
        Duet and DiffPrivacyInference: min

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    min: the smallest of several numbers, or of the entries of a vector.

    Stability.  |min x - min x'| <= max_i |x_i - x_i'|: 1-stable from LInf, hence from L1 and L2;
    several private arguments cost their largest movement, not the sum (a direct proof).  Tight: all
    move alike. Discrete entries: 1, any function.  Tables of public size with rows in [lo, hi]: the
    constant hi - lo, whatever the size (all rows at one end, one replaced).  Tables of any size, with
    a public `default` for the empty one: what they give lies between the least and the largest of lo,
    hi and the default, and moves by at most the distance of these (rows at one end, and one at the
    other; or no row, and one far from the default).
    Source: min is monotone and commutes with adding a constant.
    """
    ...

def minimum(
    x: Any,
    y: Any,
) -> Any:
    """The smaller of two values, for numbers or entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.minimum(x, y)
        >>> example(3, 4)
        3

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Int -> Real: d_in
        x in Vector[Real, L1] of n, y in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        NumPy: numpy.minimum

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    minimum: the smaller of two values, for numbers or entry by entry.

    Stability.  Two numbers: at most the larger of the two movements (a direct proof), so 1 in each and
    1 together.  Containers: 1 per argument in every norm, and a number that is compared with every
    entry moves all of them.  Tight: both numbers move alike.
    Source: |max(x, y) - max(x', y')| <= max(|x - x'|, |y - y'|).
    """
    ...

def mod(
    x: Any,
    y: Any,
) -> Any:
    """x % c with a public whole divisor.

    Arguments: A private integer by a public one.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.mod(x, 5)
        >>> example(17)
        2

    Proved of it:
        distance 1 moves the result by at most 4

    At distance d_in of one argument the result moves by at most:
        x in Int -> Real: oo
        x in Data -> Data: 1
        x in Real -> Real: oo
        x in Real within [0, 4] -> Real: oo

    Elsewhere:
        Python: %
        NumPy: numpy.mod, numpy.remainder

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        private-divisor: the divisor is private and may be near zero
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    mod: x % c with a public whole divisor.

    Stability.  On integers the result lies in {0, ..., |c| - 1} (with the sign of c), so it moves by at
    most |c| - 1, a constant.  On reals infinite: an arbitrarily small step wraps around.  Discrete
    values: 1.  Where 0 <= x < c is known it is x itself.  Tight: c - 1 -> c at d = 1.
    Source: a function from a space with least distance 1 to a range of diameter w is w-stable.
    """
    ...

def mul(
    x: Any,
    y: Any,
) -> Any:
    """x * y, for numbers, or entry by entry.

    Arguments: A public factor, or two private factors with bounds.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.mul(x, 4)
        >>> example(3)
        12

    Proved of it:
        distance 1 moves the result by at most 4   (distance d_in: 4*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: Abs(y)*d_in
        y in Int -> Real: Abs(x)*d_in
        x in Real within [-5, 4], y in Real within [0, 1000] -> Real: 1000*d_in of x, 5*d_in of y
        x in Real, y in Real -> Real: oo

    Elsewhere:
        Python: *
        NumPy: numpy.multiply

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unbounded-product: a product of two private values has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    mul: x * y, for numbers, or entry by entry.

    Stability.  c * x with public c: |c| in every norm (absolute value: -3x is 3-stable).  Linear.
    Both private: |xy - x'y'| <= |y| |x - x'| + |x'| |y - y'|, so on |x| <= A, |y| <= B it is B-stable
    in x and A-stable in y; without bounds infinite (y as large as one likes).  Tight: y = B.  A private
    number times a vector moves by |v|_q in L_q.  On discrete entries: 1 per argument, whatever c is.
    Source: triangle inequality.
    """
    ...

def ne(
    x: Any,
    y: Any,
) -> Any:
    """X != y, a Bool, or Bools entry by entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Int):
        ...     return dp.ne(x, 3)
        >>> example(3)
        False

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1   (y = True)
        x in Data -> Bool: 1   (y = 'a')

    Elsewhere:
        Python: !=
        NumPy: numpy.not_equal

    Diagnostics (`metricdp explain NAME`):
        real-comparison: comparing private real numbers has no finite bound
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    ne: x != y, a Bool, or Bools entry by entry.

    Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
    most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
    turns the comparison around.  A value that is missing is one more value, which equals no other.
    Tight: step across the threshold.
    Source: a function from a space with least distance m to diameter w is w/m-stable.
    """
    ...

def neg(
    x: Any,
) -> Any:
    """-x, for a number or for every entry of a vector or matrix.

    Arguments: A number or a container of numbers.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.neg(x)
        >>> example(3)
        -3

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int within [0, 9] -> Int: d_in
        x in Bool -> Int: d_in
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        Python: -
        NumPy: numpy.negative

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    neg: -x, for a number or for every entry of a vector or matrix.

    Stability.  |-x + x'| = |x - x'|: 1-stable in every norm, over the reals and over discrete entries.
     Tight: every step.
    The conclusion is linear: x + (-x) is 0-stable.
    Source: a norm is even.
    """
    ...

def norm(
    x: Any,
    norm: Any = ...,
) -> Any:
    """The L1, L2 or LInf norm of a vector; the Frobenius norm of a matrix.

    Arguments: A private vector and a norm: L1, L2, LInf, 1, 2 or infinity; a matrix with L2 or "fro" only. The orders 1, 2 and infinity of a matrix are operator norms in NumPy, and have no rule.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L2]):
        ...     return dp.norm(v, dp.L2)
        >>> example([3, 4])
        5

    Proved of it:
        one unit of L2 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Real: d_in   (norm = dp.L1)
        x in Vector[Real, L1] of n -> Real: d_in   (norm = dp.L2)
        x in Vector[Real, L1] of n -> Real: d_in   (norm = dp.LInf)
        x in Matrix[Real, L1] of n x m -> Real: d_in

    Elsewhere:
        NumPy: numpy.linalg.norm

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    norm: the L1, L2 or LInf norm of a vector; the Frobenius norm of a matrix.

    Stability.  Any norm is 1-stable in itself (reverse triangle inequality), so from L_p the L_q norm
    moves by n^max(0, 1/q - 1/p).  A matrix: the Frobenius norm is at most the sum of the rows' L2
    norms, so c^max(0, 1/2 - 1/p) from row-summed L_p with c columns.
    Tight: from 0 along the worst direction.  The L2 norm is rational within 2^-120 below.
    Source: reverse triangle inequality; Hoelder.
    """
    ...

def norm_convert(
    x: Any,
    norm: Any,
) -> Any:
    """The same value, measured in another norm.

    Arguments: A vector, gradient or matrix, and a norm; also with the norm first.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(4)]):
        ...     return dp.norm_convert(v, dp.L1)
        >>> example([1, 2, 3, 4])
        [1, 2, 3, 4]

    Proved of it:
        one unit of L2 distance moves the result by at most 2   (distance d_in: 2*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in   (norm = dp.L1)
        x in Vector[Data, L1] of n -> Vector[Data, L1] of n: d_in   (norm = dp.L1)
        x in Matrix[Data, L1] of n x m -> Matrix[Data, L1] of n x m: d_in   (norm = dp.L1)
        x in Vector[Real, L1] of n -> Vector[Real, L2] of n   (norm = dp.L2)

    Elsewhere:
        Duet and DiffPrivacyInference: norm_convert

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    norm_convert: the same value, measured in another norm.

    Stability.  Over the reals a container carries its bounds in L1, L2 and LInf at once, related by
    n^max(0, 1/q - 1/p) for n entries (columns, for matrices): the conversion only chooses which one is
    printed.  Discrete vectors carry one norm: k changed entries are k in L1, sqrt(k) in L2, 1 in LInf,
    so L1 -> L2 is sqrt(d), L2 -> L1 is d^2 and at most sqrt(n) d, LInf -> L1 is n, LInf -> L2 sqrt(n).
    Discrete matrices: L1 -> L2 is d (the changes may lie in d rows), LInf -> L1 is c d with c columns.
    Tight: all entries changed; for the 1's a single one.
    Source: Hoelder; counting changed entries.
    """
    ...

def one_hot(
    i: Any,
    size: int,
    x: Any = ...,
) -> Any:
    """The vector that holds a number at one position, and 0 everywhere else.

    Arguments: A whole position, a public number of entries, and a number.

    One call:
        >>> @dp.transformation
        ... def example(i: dp.Int):
        ...     return dp.one_hot(i, 4)
        >>> example(2)
        [0, 0, 1, 0]

    Proved of it:
        distance 1 moves the result by at most 2

    At distance d_in of one argument the result moves by at most:
        i in Int -> Vector[Int, L1] of 3: 6   (size = 3, x = 3)
        x in Real within [0, 3] -> Vector[Real, L1] of 3: d_in   (i = 1, size = 3)
        i in Int, x in Real within [0, 3] -> Vector[Real, L1] of 3: 6 of i, d_in of x   (size = 3)
        x in Data within [0, 3] -> Vector[Int, L1] of 2: 3   (i = 0, size = 2)

    Diagnostics (`metricdp explain NAME`):
        private-index: a private value chooses which entry is read
        size-mismatch: two sizes that have to be equal are different
        unbounded-sum: one person can move this sum by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    one_hot: the vector that holds a number at one position, and 0 everywhere else.

    Stability.  Let |x| <= c.  Where the position alone changes, x leaves one entry and enters another:
    at most 2 c in L1, sqrt(2) c in L2, c in LInf, a constant.  Where x alone moves by d, one entry
    moves by d: d in every norm; x under the discrete metric goes to any other value of [lo, hi].
    Where both move, the sum (triangle inequality).  A position outside of the vector gives zeros, which
    are nearer to every such vector than two of them are to each other.
    Tight: the position changes with x at the end of its range; x moves.
    Source: folklore; a row of an indicator matrix.
    """
    ...

def ordered(
    x: Any,
) -> Any:
    """The rows in a public order that depends on their values only and looks random.

    Arguments: A table with one column under the symmetric or the change-one distance.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[int]):
        ...     return dp.ordered(visits)
        >>> example([3, 4, 3])
        [3, 3, 4]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Records[int, InsertDelete]: d_in
        x in Records[int, ChangeOne] of n -> Records[int, Hamming] of n: n
        x in Records[str | None] -> Records[str | None, InsertDelete]: d_in
        x in Records[str | None, ChangeOne] of n -> Records[str | None, Hamming] of n: n

    Elsewhere:
        OpenDP: make_ordered_random

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function
        wrong-metric: the value carries another metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    ordered: the rows in a public order that depends on their values only and looks random.

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

def outer(
    x: Any,
) -> Any:
    """x x^T of one vector, flattened row by row into n^2 entries.

    Arguments: A private vector of numbers in a ball.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)]):
        ...     return dp.outer(dp.clip(v, dp.L2, radius=1))
        >>> example([3, 4])
        [0.36, 0.48, 0.48, 0.64]

    Proved of it:
        one unit of L2 distance moves the result by at most sqrt(2)
           (distance d_in: Min(2*d_in, sqrt(2)))

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L2] of n -> Vector[Real, L2] of n**2: Min(d_in, sqrt(2)/4)
        x in Vector[Real, L1] of n -> Vector[Real, L2] of n**2
        x in Vector[Real, L2] of n -> Vector[Real, L2] of n**2: Min(1000000000000*sqrt(2), 2000000*d_in)
        x in Vector[Real, L2] of n -> Vector[Real, L2] of n**2: oo

    Diagnostics (`metricdp explain NAME`):
        unbounded-product: a product of two private values has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    outer: x x^T of one vector, flattened row by row into n^2 entries.

    Stability.  On |x|_2 <= c, with the Frobenius norm (L2 of the flattening): x x^T - y y^T is
    x (x - y)^T + (x - y) y^T, so 2 c |x - y|_2; and its square is |x|^4 + |y|^4 - 2 (x.y)^2 <= 2 c^4,
    so never more than sqrt(2) c^2 (x x^T and y y^T have no angle above a right one).  Without a bound
    on the norm of x there is none.
    Attained by orthogonal vectors of length c; the slope 2c is approached by a step towards 0.
    Source: X^T X under one replaced row; Dwork, Talwar, Thakurta and Zhang (2014), "Analyze Gauss".
    """
    ...

def outer_product(
    x: Any,
    y: Any,
) -> Any:
    """X y^T of two vectors, an array with a row for each entry of x.

    Arguments: Two vectors of numbers, at least one of them private.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     v: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)],
        ...     w: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)],
        ... ):
        ...     return dp.outer_product(dp.clip(v, dp.L2), dp.clip(w, dp.L2))
        >>> example([3, 4], [0, 2])
        [0, 0.6, 0, 0.8]

    Proved of it:
        one unit of L2 distance in v moves the result by at most 1
        one unit of L2 distance in w moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L2] of n, y in Vector[Real, L1] of n within [-1, 1] -> Gradient[Real, L2] of n**2
        x in Vector[Int, LInf] of n within [0, 3], y in Vector[Real, L2] of n -> Gradient[Real, L2] of n**2
        x in Vector[Real, L2] of n, y in Vector[Real, L2] of n -> Gradient[Real, L2] of n**2: 2*d_in of x, oo of y

    Elsewhere:
        NumPy: numpy.outer

    Diagnostics (`metricdp explain NAME`):
        unbounded-product: a product of two private values has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    outer_product: x y^T of two vectors, an array with a row for each entry of x.

    Stability.  |x y^T|_q = |x|_q |y|_q over the entries, for L1, L2 and LInf.  So
    |x y^T - x' y'^T|_q <= |x - x'|_q |y|_q + |x'|_q |y - y'|_q: each argument pays the bound on the
    norm of the other one; infinite without one.  A public vector that is not known has none.
    Bound; tight where one vector moves alone and the other one has the norm of its bound.
    Source: the norm of a rank-one array is the product of the norms; triangle inequality.
    """
    ...

def parallel_private_fold_rows(
    f: Any,
    init: Any,
    m: Any,
    n: Any,
) -> Any:
    """Goes through the rows of two aligned containers together: acc = f(acc, row_m, row_n).

    Arguments: A deterministic round: `f` summarises the accumulator and one row of each container.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     m: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)],
        ...     n: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)],
        ... ):
        ...     return dp.parallel_private_fold_rows(lambda total, a, b: total + a + b, 0, m, n)
        >>> example([1, 2], [3, 4])
        10

    Proved of it:
        one unit of L1 distance in m moves the result by at most 1
        one unit of L1 distance in n moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        init in Real, m in Vector[Real, L1] of n, n in Vector[Real, L1] of n -> Real: d_in of init, 2*d_in of m, 3*d_in of n
        init in Real, m in Vector[Real, L1] of n, n in Vector[Real, L1] of n -> Real: 2**n*d_in of init, 2**n*d_in of m, 3*2**n*d_in/2 of n

    Elsewhere:
        Duet and DiffPrivacyInference: parallel_private_fold_rows

    Diagnostics (`metricdp explain NAME`):
        loop-growth: a loop amplifies its own state in a way that has no closed bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    parallel_private_fold_rows: goes through the rows of two aligned containers together:
    acc = f(acc, row_m, row_n).

    Stability, and privacy.  Check reads the fold as the loop over zip(m, n) that it is.  A round may
    add noise to what it computes from its own rows and from the released accumulator, and to nothing
    else; then a changed row reaches the noise of its own round only, and of two neighbours at distance
    d, at most d rounds differ: one round's cost per changed row (parallel composition), for each
    container.  This needs containers whose rows are the rows of a person: parameters, or images in
    which one changed row changes one row (1-stable); twice a matrix over the reals moves each row by 2,
    and is rejected.
    Without noise the fold is a transformation: an accumulator that moves by a times its own movement
    pays a^n, and rows add up as in `loop_rows`.
    Tight: one row changes; for a > 1 the first row.
    Source: McSherry (2009), Theorem 4, for parallel composition; the seed system's rule, with the
    condition on its arguments that it forgets.
    """
    ...

def partition(
    records: Any,
    key: Any,
    keys: Any,
) -> Any:
    """One part of a table per public key; rows with none of the keys are left out.

    Arguments: A table, a deterministic function of one row, and the public keys.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return [dp.count(part) for part in dp.partition(towns, lambda t: t, ('Oslo', 'Rome'))]
        >>> example(['Rome', 'Oslo', 'Rome'])
        [1, 2]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        records in Records[int] -> parts of Records[int] of 3: d_in
        records in Records[int, InsertDelete] -> parts of Records[int, InsertDelete] of 3: d_in
        records in Records[int] -> parts of Records[int] of 2: d_in
        records in Records[int, InsertDelete] -> parts of Records[int, InsertDelete] of 2: d_in

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        private-argument: a private value stands where a public one is needed
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    partition: one part of a table per public key; rows with none of the keys are left out.

    Stability.  Keys are different, and a row belongs to the one that its own key equals, so one row
    added or removed adds or removes one row of one part: the distances of the parts add up to at most
    d.  A replaced row may leave one part and enter another: 2d, under change-one and Hamming distance,
    and the sizes of the parts are then private.
    Parallel composition.  A loop over the parts whose rounds add noise to their own part only costs the
    largest total over parts whose distances add up to that: one round, not one per key; twice one
    round under change-one.  Keys are public: keys found in the data would show who is there.  A private
    variable in the key function may move every row, infinite.
    Tight: one more row with a key; one row that changes its key.
    Source: McSherry (2009), Theorem 4 and section 3.4; Kifer and Machanavajjhala (2011), section 2, for
    the factor 2 under replacement.
    """
    ...

def permute_and_flip(
    candidates: Any = ...,
    score: Any = ...,
    *,
    epsilon: float | Fraction | None = ...,
    scale: float | Fraction | None = ...,
    monotone: bool | None = ...,
) -> Any:
    """Candidates in random order, each taken with chance e^((score - max)/T).

    Arguments: Public `candidates`; `score`, a function of one of them, read as the vector of all scores; one of `scale` (T) and `epsilon`.

    One call:
        >>> @dp.measurement
        ... def example(visits: dp.Records[float]):
        ...     return dp.permute_and_flip(candidates=(5, 10), score=lambda c: dp.count(visits, lambda v: v > c), epsilon=1)
        >>> example([3.0, 9.0, 12.0])  # noise of one seed
        Release 5   cost ε = 1   NaN counts as 0

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        score in Vector[Int, LInf] of n: ε = 2*d_in/scale; ρ = 2*tanh(d_in/scale)*d_in/scale
        score in Vector[Int, LInf] of n: ε = epsilon*d_in; ρ = epsilon*tanh(epsilon*d_in/2)*d_in   (monotone = False)
        score in Vector[Int, LInf] of n: ε = epsilon*d_in; ρ = epsilon*tanh(epsilon*d_in/2)*d_in   (monotone = True)

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        size-mismatch: two sizes that have to be equal are different
        wrong-arguments: the call does not fit the function's parameters
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    permute_and_flip: candidates in random order, each taken with chance e^((score - max)/T).

    Privacy.  Equal in law to the largest score after exponential noise of scale T on each score (Ding
    and others 2021).  Fix the noise of all other candidates: candidate i wins when its noise is at
    least some r*, which moves by at most 2d when no score moves by more than d, and by d when all
    scores move in one direction (`monotone=True`, which check proves); an exponential tail moves by
    e^(2d/T), or e^(d/T).  epsilon = 2 d_LInf / T, or d_LInf / T, one record after the other.  With
    `epsilon=` alone, T comes from the inferred bound.  What all scores share cancels, so check takes
    half of how far they move apart as d.
    Its expected error is never above that of exponential weights with the same epsilon.
    rho = epsilon tanh(epsilon / 2), since epsilon-DP implies it; the epsilon^2/8 of exponential weights
    is false here (scores (0, 0) against (1, -1)).
    Attained by a candidate far below two others, which falls while they rise.
    Source: McKenna and Sheldon (2020), Theorem 1 and Proposition 3.
    """
    ...

def power(
    x: Any,
    k: Any,
) -> Any:
    """x ** k with a public exponent k = 0, 1, 2, ...

    Arguments: A private base; the exponent is a public whole number >= 0.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.power(dp.clamp(x, 0, 5), 2)
        >>> example(7)
        25

    Proved of it:
        distance 1 moves the result by at most 10   (distance d_in: 10*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Real within [-900, 1000] -> Real: 2000*d_in   (k = 2)
        x in Real within [-900, 1000] -> Real: 3000000*d_in   (k = 3)
        x in Int within [-3000, 0] -> Int: 6000*d_in   (k = 2)
        x in Real -> Real: d_in   (k = 1)

    Elsewhere:
        Python: **
        NumPy: numpy.power

    Diagnostics (`metricdp explain NAME`):
        unbounded-product: a product of two private values has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    power: x ** k with a public exponent k = 0, 1, 2, ...

    Stability.  The derivative is k x^(k-1), so on |x| <= M the power is k M^(k-1)-stable (2M for the
    square), entry by entry in every norm; without bounds infinite.  Tight: near x = M, for small steps.
    On discrete entries 1.  Other exponents: use sqrt, exp or log.
    Source: mean value theorem.
    """
    ...

def private_quantile(
    x: Any,
    candidates: Any,
    alpha: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
    by: Any = ...,
) -> Any:
    """Chooses one of the public candidates, by how well it splits the rows.

    Arguments: A table of numbers; at least one candidate; 0 <= alpha <= 1; one of `scale` and `epsilon`.

    One call:
        >>> @dp.measurement
        ... def example(visits: dp.Records[float]):
        ...     return dp.private_quantile(visits, (0, 5, 10, 15), 0.5, epsilon=1)
        >>> example([3.0, 9.0, 12.0])  # noise of one seed
        Release 5   cost ε = 1   NaN counts as 0

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Records[int]: ε = 2*Max(1 - alpha, alpha)*d_in/scale; ρ = 2*Max(1 - alpha, alpha)*tanh(Max(1 - alpha, alpha)*d_in/scale)*d_in/scale   (by = 'permute_and_flip')
        x in Records[int, ChangeOne]: ε = 2*d_in/scale; ρ = 2*tanh(d_in/scale)*d_in/scale   (by = 'permute_and_flip')
        x in Records[int]: ε = 2*Max(1 - alpha, alpha)*d_in/scale; ρ = Max(1 - alpha, alpha)**2*d_in**2/(2*scale**2)   (by = 'exponential')
        x in Records[int, ChangeOne]: ε = 2*d_in/scale; ρ = d_in**2/(2*scale**2)   (by = 'exponential')

    Elsewhere:
        OpenDP: make_private_quantile

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    private_quantile: chooses one of the public candidates, by how well it splits the rows.

    Privacy.  The score of t is -|(1 - alpha) #{x < t} - alpha #{x > t}|, and 0 where a share alpha of
    the rows lies below.  A row that is added or removed moves each score by at most
    m = max(alpha, 1 - alpha), up or down, so two scores move apart by at most 2m; a replaced row
    moves (1 - alpha) #{x < t} - alpha #{x > t} by at most 1, so 2; for alpha 0 or 1 all scores move one
    way, so 1 each.  The choice by permute-and-flip (`by="exponential"`: by exponential weights) at
    temperature T depends on differences of scores alone: epsilon = 2 m d / T, and 2 d / T for replaced
    rows; rho = epsilon tanh(epsilon / 2), and epsilon^2 / 8 for exponential weights.  With `epsilon=`,
    T comes from the inferred bound.
    Candidates are public: they come from no private data.
    Approached when all rows lie between low candidates and a far one.
    Source: Smith (2011), section 3; McKenna and Sheldon (2020).
    """
    ...

def quantile_scores(
    x: Any,
    candidates: Any,
    alpha: Any,
    scale: float | Fraction | None = ...,
) -> Any:
    """How far each public candidate is from being the alpha-quantile of the rows.

    Arguments: A table with one column of numbers, public candidates, alpha in [0, 1], a public unit.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.quantile_scores(visits, (0, 5, 10), 0.5)
        >>> example([3.0, 4.0, 9.0])
        [1.5, 0.5, 1.5]

    Proved of it:
        one record added or removed moves the result by at most 1/2   (distance d_in: d_in/2)

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Vector[Real, LInf] of 2: Max(1 - alpha, alpha)*d_in
        x in Records[float, InsertDelete] -> Vector[Real, LInf] of 2: Max(1 - alpha, alpha)*d_in
        x in Records[int] within [-4, 9] -> Vector[Real, LInf] of 3: scale*Max(1 - alpha, alpha)*d_in
        x in Records[float, ChangeOne] of n -> Vector[Real, LInf] of 2: d_in

    Elsewhere:
        OpenDP: make_quantile_score_candidates

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    quantile_scores: how far each public candidate is from being the alpha-quantile of the rows.

    The score of a candidate t is |(1 - alpha) #{rows < t} - alpha #{rows > t}| times `scale`: small at
    the quantile.
    Stability.  A row added or removed moves one of the two numbers by 1, so every score by at most
    max(alpha, 1 - alpha) in LInf, and m times that in L1, sqrt(m) times in L2, for m candidates.  A
    replaced row moves a score by at most (1 - alpha) + alpha = 1.  All times `scale`.
    Tight: add rows on the heavier side of all candidates; move rows from below all candidates to above.
    Source: Smith 2011; rules of tables; OpenDP make_quantile_score_candidates.
    """
    ...

def randomized_response(
    x: Any,
    *,
    epsilon: float | Fraction | None = ...,
    choices: Any = ...,
) -> Any:
    """Tells the truth with weight e^epsilon against 1 for every other answer.

    Arguments: Bool, or Data or Int with `choices`: a public tuple of at least two different answers.

    One call:
        >>> @dp.measurement
        ... def example(smokes: dp.Bool):
        ...     return dp.randomized_response(smokes, epsilon=1)
        >>> example(True)  # noise of one seed
        Release False   cost ε = 1

    Proved of it:
        one value replaced changes the chance of any outcome by at most a factor e^1   (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Bool: ε = epsilon*Min(1, d_in); ρ = epsilon*Min(1, d_in)*tanh(epsilon*Min(1, d_in)/2)
        x in Data: ε = epsilon*Min(1, d_in); ρ = epsilon*Min(1, d_in)*tanh(epsilon*Min(1, d_in)/2)

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-arguments: the call does not fit the function's parameters
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    randomized_response: tells the truth with weight e^epsilon against 1 for every other answer.

    Privacy.  Of k answers the true one has probability p = e^epsilon / (e^epsilon + k - 1) and every
    other one q = 1 / (e^epsilon + k - 1), so for two inputs every answer has a probability ratio in
    {e^epsilon, 1, e^-epsilon}: epsilon when the input moved, 0 when not.  A value that is none of the
    answers counts as the first of them.  Tight: the answer that is the truth of one input.
    rho = epsilon tanh(epsilon / 2) bounds it, exactly for k = 2.
    Source: Warner (1965); Kairouz, Oh, Viswanath (2014).
    """
    ...

def randomized_response_bits(
    x: Any,
    *,
    f: Any,
) -> Any:
    """Every bit of a list is told, or turned with probability f / 2.

    Arguments: A vector of Booleans; `f` is public, 0 < f <= 1: twice the chance that a bit is turned.

    One call:
        >>> @dp.measurement
        ... def example(bits: dp.Vector[dp.Bool, dp.L1]):
        ...     return dp.randomized_response_bits(bits, f=0.5)
        >>> example([True, False, True])  # noise of one seed
        Release [True, False, True]   cost ε = 1.09862

    Proved of it:
        one entry replaced changes the chance of any outcome by at most a factor e^(log(3))
           (ε = log(3), δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Vector[Bool, L1] of n: ε = log(2/f - 1)*d_in; ρ = log(2/f - 1)*tanh(log(2/f - 1)/2)*d_in
        x in Vector[Bool, L2] of n: ε = log(2/f - 1)*d_in**2; ρ = log(2/f - 1)*tanh(log(2/f - 1)/2)*d_in**2

    Elsewhere:
        OpenDP: make_randomized_response_bitvec

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    randomized_response_bits: every bit of a list is told, or turned with probability f / 2.

    Privacy.  Each bit has its own coin, so its truth has probability 1 - f/2 and its opposite f/2: a
    bit that differs has a ratio of at most (2 - f) / f, and a list with k different bits
    epsilon = k ln((2 - f) / f).  Lists at distance d in L1 differ in at most d bits, in L2 in at most
    d^2.  Two lists of one length with at most m ones differ in at most 2m bits.  The length of the list
    is public: it is released.
    f = 1 tells nothing.  Tight: the answer that is the truth of one list.
    rho = d e tanh(e / 2), e = ln((2 - f) / f), as each different bit is one answer of two.
    Source: Erlingsson, Pihur, Korolova (2014), Theorem 1 (permanent randomized response).
    """
    ...

def randomized_response_kept(
    x: Any,
    *,
    prob: float | Fraction,
    choices: Any = ...,
) -> Any:
    """Tells the truth with probability p, else one of the other answers.

    Arguments: Bool, or Data or Int with `choices`: a public tuple of at least two different answers. `prob` is public, 0 < prob < 1.

    One call:
        >>> @dp.measurement
        ... def example(smokes: dp.Bool):
        ...     return dp.randomized_response_kept(smokes, prob=0.75)
        >>> example(True)  # noise of one seed
        Release False   cost ε = 1.09862

    Proved of it:
        one value replaced changes the chance of any outcome by at most a factor e^(log(3))
           (ε = log(3), δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Bool: ε = Max(-log(-prob/(prob - 1)), log(-prob/(prob - 1)))*Min(1, d_in); ρ = Max(-log(-prob/(prob - 1)), log(-prob/(prob - 1)))*Min(1, d_in)*tanh(Max(-log(-prob/(prob - 1)), log(-prob/(prob - 1)))*Min(1, d_in)/2)
        x in Data: ε = Max(-log(-2*prob/(prob - 1)), log(-2*prob/(prob - 1)))*Min(1, d_in); ρ = Max(-log(-2*prob/(prob - 1)), log(-2*prob/(prob - 1)))*Min(1, d_in)*tanh(Max(-log(-2*prob/(prob - 1)), log(-2*prob/(prob - 1)))*Min(1, d_in)/2)

    Elsewhere:
        OpenDP: make_randomized_response, make_randomized_response_bool

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-arguments: the call does not fit the function's parameters
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    randomized_response_kept: tells the truth with probability p, else one of the other answers.

    Privacy.  Of k answers the true one has probability p and every other one q = (1 - p) / (k - 1), so
    for two inputs every answer has a probability ratio in {p/q, 1, q/p}: epsilon = |ln(p/q)| when the
    input moved, 0 when not.  For p < 1/k the truth is the rarest answer, and the ratio q/p counts: a
    bound that takes ln(p/q) alone is negative there.  p = 0 and p = 1 tell inputs apart for certain.
    A value that is none of the answers counts as the first of them.  Tight: the answer that is the
    truth of one input.  rho = epsilon tanh(epsilon / 2) bounds it, exactly for k = 2.
    Source: Warner (1965); Kairouz, Oh, Viswanath (2014).
    """
    ...

def reduce_cols(
    f: Any,
    m: Any,
) -> Any:
    """Applies one function to every column, given to it as a matrix of one column.

    Arguments: A function from one-column matrices to numbers, which adds no noise.

    One call:
        >>> @dp.transformation
        ... def example(m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)]):
        ...     return dp.reduce_cols(lambda c: dp.sum(dp.flatten(c)), m)
        >>> example([[1, 2], [3, 4]])
        [4, 6]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in
        m in Matrix[Data, L1] of n x m -> Vector[Int, L1] of m: Min(1, m)*d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L1] of m: sqrt(m)*d_in
        m in Matrix[Data, L2] of n x m -> Vector[Int, L1] of m: sqrt(m)*Min(1, sqrt(m))*d_in

    Elsewhere:
        Duet and DiffPrivacyInference: reduce_cols

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    reduce_cols: applies one function to every column, given to it as a matrix of one column.

    Stability.  A matrix of one column is at the L1 distance t_j of its entries, whatever the norm of
    the rows: t_j <= d for each column, and sum t_j <= c^(1 - 1/p) d under row-summed L_p with c
    columns, the constants of `map_cols`.  Over discrete rows under LInf each column is 1-stable.
    Privacy.  Check reads a function that adds noise as a loop over the columns: all of them may move,
    so c columns cost c times what one of them costs (sequential composition).
    Tight: one row moves, in one entry (L1) or in all entries alike (LInf).
    Source: rules of matrices with row-sum metrics; sequential composition.
    """
    ...

def relu(
    x: Any,
) -> Any:
    """max(x, 0), of a number or of every entry.

    Arguments: A number or a container of numbers.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.relu(x)
        >>> example(-3)
        0

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int within [0, 9] -> Int: d_in
        x in Data within [-9, 4] -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    relu: max(x, 0), of a number or of every entry.

    Stability.  1-stable in every norm, entry by entry.  Tight: move on the positive side.  Where the
    sign is known it is x or 0.  On discrete entries 1.
    Source: projection on a half-line; the L_p norms grow with the absolute values of the entries.
    """
    ...

def report_noisy_max(
    scores: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
) -> Any:
    """The position of the largest score after Laplace noise on every score.

    Arguments: A vector of scores; exactly one of `scale` (public) and `epsilon` (target).

    One call:
        >>> @dp.measurement
        ... def example(towns: dp.Records[str]):
        ...     return dp.report_noisy_max(dp.histogram(towns, categories=('Oslo', 'Rome')), epsilon=1)
        >>> example(['Rome', 'Oslo', 'Rome'])  # noise of one seed
        Release 1   cost ε = 1

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        scores in Vector[Int, LInf] of n: ε = 2*d_in/scale; ρ = 2*tanh(d_in/scale)*d_in/scale
        scores in Vector[Int, LInf] of n: ε = epsilon*d_in; ρ = epsilon*tanh(epsilon*d_in/2)*d_in

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        size-mismatch: two sizes that have to be equal are different
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    report_noisy_max: the position of the largest score after Laplace noise on every score.

    Privacy.  Fix the noise of all other scores.  Candidate i wins when its own noise is at least some
    r*.  When no score moves by more than d, 2d more is enough for the other input, and one Laplace tail
    is at most e^(2d/b) times the tail 2d further out: epsilon = 2 d_LInf / b, for any number of
    candidates, also with ties and on a grid.  Only the position is released: the noisy score itself
    would be a second release.  What all scores share moves no position, so check takes half of how far
    they move apart as d (`check.domain.apart`): d_LInf / b for counts of records that are added or
    removed, which all rise or all fall.
    rho = epsilon tanh(epsilon / 2), since epsilon-DP implies it; the eps^2/8 of exponential weights
    does not hold here.  Approached by a candidate far below two others.
    Source: Dwork and Roth (2014), Claim 3.9, which is about counts.
    """
    ...

def resize(
    x: Any,
    size: int,
    constant: Any,
) -> Any:
    """A table of exactly `size` rows: rows are dropped, or a constant is appended.

    Arguments: A table with one column, a public number of rows, a public row to fill up with.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.resize(visits, 3, 0.0)
        >>> example([3.0, 4.0])
        [3, 4, 0]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[float] within [-3, 2] -> Records[float, ChangeOne] of size: d_in
        x in Records[int] within [0, 5] -> Records[int, ChangeOne] of 3: d_in   (size = 3, constant = 7)
        x in Records[int] within [0, 5] -> Records[int, ChangeOne] of 6: d_in   (size = 6, constant = 7)
        x in Records[float, InsertDelete] within [-3, 2] -> Records[float, ChangeOne] of size: d_in

    Elsewhere:
        OpenDP: make_resize, make_bounded_resize

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        requirement-fails: a requirement on the public parameters does not hold
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    resize: a table of exactly `size` rows: rows are dropped, or a constant is appended.

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

def reveal(
    x: Any,
) -> Any:
    """The value itself; check says its space and bound, and nothing happens when it runs.

    Arguments: Any one value.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.reveal(x)
        >>> example(3)
        3

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Vector[Real, L2] of n -> Vector[Real, L2] of n: d_in
        x in Data -> Data: d_in
        x in Vector[Data, L1] of n -> Vector[Data, L1] of n: d_in

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    reveal: the value itself; check says its space and bound, and nothing happens when it runs.

    Stability.  The identity moves by exactly what its argument moves: 1-stable in every metric.
    Tight: any pair.
    Source: definition.
    """
    ...

def ridge_step(
    theta: Any,
    rows: Any,
    rate: Any,
    decay: Any,
    radius: float | Fraction,
) -> Any:
    """One projected step of gradient descent on the ridge loss of private rows.

    Arguments: Weights (private, public, or a number for all), rows with the label last, public numbers.

    One call:
        >>> @dp.transformation
        ... def example(
        ...     theta: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)],
        ...     rows: Annotated[dp.Matrix[dp.Data, dp.L2], dp.Size(3, 3)],
        ... ):
        ...     return dp.ridge_step(theta, rows, rate=0.5, decay=0.1, radius=1)
        >>> example([0, 0], [[1, 0, 1], [0, 1, 0], [1, 1, 1]])
        [0.284518, 0.117851]

    Proved of it:
        one unit of L2 distance in theta moves the result by at most 68454714336031539/72057594037927936
           (distance d_in: 68454714336031539*d_in/72057594037927936)
        one entry replaced in rows moves the result by at most sqrt(3)/4
           (distance d_in: 3*sqrt(3)*Min(1/2, d_in/6)/2)

    At distance d_in of one argument the result moves by at most:
        theta in Vector[Real, L2] of n, rows in Matrix[Data, L2] of n x m -> Vector[Real, L2] of m - 1: Max(Abs(decay*rate + rate - 1), Abs(decay*rate - 1))*d_in of theta, 4*radius**2*Abs(rate)*Min(1, d_in/n)*sqrt(1 - 4*radius**2/(sqrt(8*radius**2 + 1) + 1)**2)/(sqrt(8*radius**2 + 1) + 1) + 2*Abs(rate)*Min(1, d_in/n)*sqrt(1 - 4*radius**2/(sqrt(8*radius**2 + 1) + 1)**2) of rows
        rows in Matrix[Data, LInf] of n x m -> Vector[Real, L2] of m - 1: 4*radius**2*Abs(rate)*Min(1, d_in/n)*sqrt(1 - 4*radius**2/(sqrt(8*radius**2 + 1) + 1)**2)/(sqrt(8*radius**2 + 1) + 1) + 2*Abs(rate)*Min(1, d_in/n)*sqrt(1 - 4*radius**2/(sqrt(8*radius**2 + 1) + 1)**2)

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    ridge_step: one projected step of gradient descent on the ridge loss of private rows.

    p = theta scaled into the L2 ball of `radius`;
    theta' = p - rate * (mean over rows (x, y) of (p.x - y) x + decay * p), with x scaled into the unit
    ball and y clamped to [-1, 1]: rows are moved there as doubles, and onto a grid of 2**-39, inward.
    From there on the step is exact: with G = sum x x^T and b = sum y x, in whole numbers of the grid,
    p - rate * ((G p - b) / n + decay * p).

    Stability.  In theta, L2: the projection is 1-stable; the Hessian of the mean loss is mean x x^T,
    with eigenvalues in [0, 1], so max(|1 - rate*decay|, |1 - rate*(decay + 1)|).  Attained by rows of
    zeros and by equal unit rows, inside the ball.
    In the rows, k of n replaced: with |p| <= R the gradients g = (p.x - y) x of two rows differ by at
    most h(R) = max over angles a of 2 (1 + R cos a) sin a, at cos a = 2R / (1 + sqrt(1 + 8 R^2)).
    Proof: for a unit u at angle b to p, max g.u over rows is max over a of R/2 (cos b + cos(2a - b)) +
    |cos(a - b)|; the sum over u and -u, maximised over b, is max R |sin(a - a')| + |cos a| + |cos a'|,
    which is largest for a = -a'.  So |rate| h(R) k/n; 2 at R = 0, less than 2 (1 + R).
    Tight: mirrored rows under p = R e.
    Source: Wu et al. (2017), "Bolt-on Differential Privacy", with the diameter of the gradients.
    """
    ...

def round(
    x: Any,
) -> Any:
    """The nearest integer, halves to the even one, as Python and NumPy do.

    Arguments: A number or a vector; the result is Int.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.round(x)
        >>> example(2.5)
        2

    Proved of it:
        distance 1 moves the result by at most 2   (distance d_in: floor(d_in) + 1)

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: floor(d_in) + 1
        x in Real within [-3/2, 9/2] -> Int: floor(d_in) + 1
        x in Int within [0, 9] -> Int: d_in
        x in Data -> Data: 1

    Elsewhere:
        Python: round
        NumPy: numpy.round, numpy.rint

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    round: the nearest integer, halves to the even one, as Python and NumPy do.

    Stability.  Each rounding error is at most 1/2: map floor(d) + 1, at d = 1 two (0.5 -> 0, 1.5 ->
    2).  Tight for odd d. In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further
    entry may cross a jump for almost nothing; L2 at most d + sqrt(n) (each entry moves by less than
    d_i + 1; not known tight). Integers stay where they are: 1.  Discrete entries: 1.  No linear
    constant exists on the reals.
    Source: counting jumps between two reals.
    """
    ...

def row(
    m: Any,
    i: Any,
) -> Any:
    """One row of a matrix, at a public or private index.

    Arguments: The row `m[i]`; a public negative index counts from the end.

    One call:
        >>> @dp.transformation
        ... def example(m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)]):
        ...     return dp.row(m, 0)
        >>> example([[1, 2], [3, 4]])
        [1, 2]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in
        m in Matrix[Data, L1] of n x m -> Vector[Data, L1] of m: d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L2] of m: d_in
        m in Matrix[Data, L2] of n x m -> Vector[Data, L2] of m: d_in

    Diagnostics (`metricdp explain NAME`):
        private-index: a private value chooses which entry is read
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    row: one row of a matrix, at a public or private index.

    Stability.  One row moves by at most the row-summed distance: 1 in its own norm; over R,
    c^max(0, 1/q - 1/p) from L_p to L_q with c columns.  A private index from a discrete or integer
    space can choose any other row, so it moves the result by the diameter of the rows, never by 0; an
    index from the reals has no bound.  An index outside the matrix is clamped into it.
    Tight: move the row that is read; two rows at opposite ends and an index that moves between them.
    Source: projection of a sum of norms; rules of private indices.
    """
    ...

def row_to_vec(
    m: Any,
) -> Any:
    """A matrix of one row as a vector.

    Arguments: A private matrix; that it has one row is required.

    One call:
        >>> @dp.transformation
        ... def example(m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(1, 2)]):
        ...     return dp.row_to_vec(m)
        >>> example([[1, 2]])
        [1, 2]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in
        m in Matrix[Data, L1] of n x m -> Vector[Data, L1] of m: d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L2] of m: d_in
        m in Matrix[Data, L2] of n x m -> Vector[Data, L2] of m: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: row_to_vec

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    row_to_vec: a matrix of one row as a vector.

    Stability.  The distance of the row is the row-summed distance: 1 in every norm.
    Tight: move one entry.
    Source: definition of the row-sum metric.
    """
    ...

def scale_gradient(
    x: Any,
    y: Any,
) -> Any:
    """A gradient times a number.

    Arguments: The factor first, then the gradient; where the factor is private, the gradient is too.

    One call:
        >>> @dp.transformation
        ... def example(g: dp.Gradient[dp.Real, dp.L1]):
        ...     return dp.scale_gradient(0.5, g)
        >>> example([1, 2])
        [0.5, 1]

    Proved of it:
        one unit of L1 distance moves the result by at most 1/2   (distance d_in: d_in/2)

    At distance d_in of one argument the result moves by at most:
        y in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: Abs(x)*d_in
        x in Real within [-3, 3], y in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: 2*d_in of x, 3*d_in of y
        y in Gradient[Data, L1] of n -> Gradient[Data, L1] of n: d_in
        y in Gradient[Real, L2] of n -> Gradient[Real, L2] of n: Abs(x)*d_in

    Elsewhere:
        Duet and DiffPrivacyInference: scale_gradient

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unbounded-product: a product of two private values has no finite bound
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    scale_gradient: a gradient times a number.

    Stability.  c * g with a public c: |c| in every norm; linear.  A private factor moves the result by
    the norm of the gradient, which must be bounded, and the gradient pays the bound of the factor.  On
    discrete entries 1, whatever the factor is.
    Tight: move one argument.
    Source: as `mul`.
    """
    ...

def select_column(
    x: Any,
    name: Any,
    to: Any,
) -> Any:
    """The cell of one public name in every row, in a public type.

    Arguments: Rows by name; a public name; `to` as for `cast`.

    One call:
        >>> @dp.transformation
        ... def example(lines: dp.Records[str]):
        ...     return dp.select_column(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), 'id', 'int')
        >>> example(['1, Rome', '2, Oslo'])
        [1, 2]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[str]: d_in   (name = 'a', to = 'str')
        x in Records[Named, InsertDelete] -> Records[str, InsertDelete]: d_in   (name = 'a', to = 'str')
        x in Records[Named, ChangeOne] of n -> Records[str, ChangeOne] of n: d_in   (name = 'a', to = 'str')
        x in Records[Named, Hamming] of n -> Records[str, Hamming] of n: d_in   (name = 'a', to = 'str')

    Elsewhere:
        OpenDP: make_select_column

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    select_column: the cell of one public name in every row, in a public type.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
    total: a cell that is not there, or has no value in the type, is 0, False or empty text.
    Tight: add a row, or replace it by one with another cell.
    Source: rules of tables, row-wise maps; OpenDP make_select_column.
    """
    ...

def sigmoid(
    x: Any,
) -> Any:
    """1/(1 + e^-x), of a number or of every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.sigmoid(x)
        >>> example(0)
        0.5

    Proved of it:
        distance 1 moves the result by at most 1/4   (distance d_in: d_in/4)

    At distance d_in of one argument the result moves by at most:
        x in Real within [-1/100, 1/100] -> Real: d_in/4
        x in Real -> Real: d_in/4
        x in Data -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in/4

    Elsewhere:
        Python and SciPy: scipy.special.expit

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sigmoid: 1/(1 + e^-x), of a number or of every entry.

    Stability.  The derivative s (1 - s) is at most 1/4: 1/4-stable in every norm; results lie in
    [0, 1].  Approached near 0 by small steps.  On discrete entries 1.
    Source: mean value theorem.
    """
    ...

def sin(
    x: Any,
) -> Any:
    """The sine, of a number or of every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.sin(x)
        >>> example(0)
        0

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real within [-1/100, 1/100] -> Real: d_in
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        NumPy: numpy.sin
        Python and SciPy: math.sin

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sin: the sine, of a number or of every entry.

    Stability.  The derivative is at most 1 in size: 1-stable in every norm; results lie in [-1, 1].
    Approached near 0 by small steps.  On discrete entries 1.
    Exact numbers beyond 2**2048 pi, a zero, count as that zero.
    Source: mean value theorem.
    """
    ...

def size(
    x: Any,
    axis: Any = ...,
) -> Any:
    """The public number of entries of a container, or its length along one axis.

    Arguments: Of a matrix: rows * cols, rows with axis 0, cols with axis 1.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(3)]):
        ...     return v[0] + dp.size(v)
        >>> example([1, 2, 3])
        4

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L2] of n -> a public value
        x in Matrix[Data, LInf] of n x m -> a public value
        x in Matrix[Data, LInf] of 3 x 2 -> a public value   (axis = 0)
        x in Matrix[Data, LInf] of 3 x 2 -> a public value   (axis = 1)

    Elsewhere:
        NumPy: numpy.size
        Duet and DiffPrivacyInference: size

    Diagnostics (`metricdp explain NAME`):
        private-length: private data decide a length
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    size: the public number of entries of a container, or its length along one axis.

    Stability.  Containers of different shapes are infinitely far apart, so shapes are public: 0.
    Tables under symmetric and insert-delete distance have a private size and are refused.
    Tight: nothing moves.
    Source: definition of the distances.
    """
    ...

def slice(
    x: Any,
    start: Any,
    stop: Any,
    step: Any,
) -> Any:
    """Some entries of a vector, some rows of a matrix or a table, a part of a text, or some of its parts, between public ends.

    Arguments: A private vector or matrix and public ends; `...` stands for an end that is left out.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(4)]):
        ...     return v[1:3]
        >>> example([1, 2, 3, 4])
        [2, 3]

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 2: d_in   (start = Ellipsis, stop = 2, step = Ellipsis)
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 2: d_in   (start = 0, stop = -1, step = 1)
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 2: d_in   (start = Ellipsis, stop = Ellipsis, step = 2)
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in   (start = Ellipsis, stop = Ellipsis, step = -1)

    Diagnostics (`metricdp explain NAME`):
        private-index: a private value chooses which entry is read
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    slice: some entries of a vector, some rows of a matrix or a table, a part of a text, or some of
    its parts, between public ends.

    Stability.  Leaving entries out moves no entry: 1 in every norm, from the same norm; the rows of a
    matrix likewise, over R and over discrete entries (so a slice of the rows of an (LInf, Data) matrix
    is 1-stable).  A negative step permutes.  Bounds of entries and of norms stay.  A part of a text is
    another text, and some of the parts of one are other parts: 1 under the discrete metric.
    A table of n rows under Hamming distance: two tables that differ at k positions differ at no more of
    those that are kept, 1; how many are kept is public.  Under any other metric of tables a row may
    change its position, which nobody promises, and there is no rule.
    Tight: move an entry that is kept; a slice that keeps nothing does not move.
    Source: projection.
    """
    ...

def slice_cols(
    m: Any,
    start: Any,
    stop: Any,
    step: Any,
) -> Any:
    """Some columns of a matrix, between public ends.

    Arguments: `m[:, start:stop:step]` with public ends; `...` stands for an end that is left out.

    One call:
        >>> @dp.transformation
        ... def example(m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 3)]):
        ...     return m[:, 0:2]
        >>> example([[1, 2, 3], [4, 5, 6]])
        [[1, 2], [4, 5]]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 2 x 3 -> Matrix[Real, L1] of 2 x 2: d_in   (start = Ellipsis, stop = 2, step = Ellipsis)
        m in Matrix[Data, L1] of 2 x 3 -> Matrix[Data, L1] of 2 x 1: d_in   (start = Ellipsis, stop = 2, step = 2)
        m in Matrix[Int, L1] of 2 x 2 within [0, 5] -> Matrix[Int, L1] of 2 x 1: d_in   (start = 0, stop = -1, step = 1)
        m in Matrix[Real, L2] of 2 x 3 -> Matrix[Real, L2] of 2 x 2: d_in   (start = Ellipsis, stop = 2, step = Ellipsis)

    Diagnostics (`metricdp explain NAME`):
        private-index: a private value chooses which entry is read
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    slice_cols: some columns of a matrix, between public ends.

    Stability.  Every row loses entries, so its distance shrinks in every norm: 1 in every row-summed
    norm, from the same norm, over R and over discrete entries.  Bounds of entries and of rows stay.
    Tight: move an entry that is kept.
    Source: projection of every row.
    """
    ...

def softmax(
    x: Any,
) -> Any:
    """e^x_i / sum of e^x_j; the entries of the result are nonnegative with sum 1.

    Arguments: A private vector of numbers to probabilities of the same size.

    One call:
        >>> @dp.transformation
        ... def example(v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)]):
        ...     return dp.softmax(v)
        >>> example([0, 0])
        [0.5, 0.5]

    Proved of it:
        one unit of L1 distance moves the result by at most 1/2   (distance d_in: d_in/2)

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in/2
        x in Vector[Real, L1] of n within [-1/100, 1/100] -> Vector[Real, L1] of n: d_in/2
        x in Vector[Real, L2] of n -> Vector[Real, L2] of n: d_in/2
        x in Vector[Real, L2] of n within [-1/100, 1/100] -> Vector[Real, L2] of n: d_in/2

    Elsewhere:
        Python and SciPy: scipy.special.softmax

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    softmax: e^x_i / sum of e^x_j; the entries of the result are nonnegative with sum 1.

    Stability.  The derivative at a result s is S = diag(s) - s s^T, symmetric.  Its operator norms,
    over all s, for at least two entries:
        |           | to L1     | to L2     | to LInf   |
        | from L1   | 1/2       | sqrt(2)/4 | 1/4       |
        | from L2   | sqrt(2)/2 | 1/2       | sqrt(2)/4 |
        | from LInf | 1         | sqrt(2)/2 | 1/2       |
    Columns of S: 2 s (1 - s), at most sqrt(2) s (1 - s), s (1 - s).  L2 to L2: half the spread of
    the unit coordinates (Popoviciu).  LInf to L_q: at sign vectors with mass a on the plus side, where
    the L2 norm squared is at most 8 a^2 (1 - a)^2.  The rest by duality.
    Approached by small steps from two equal entries far above the others.
    Source: covariance of the softmax law; mean value theorem.
    """
    ...

def softplus(
    x: Any,
) -> Any:
    """log(1 + e^x), of a number or of every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.softplus(x)
        >>> example(0)
        0.693147

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real within [99999/100, 100001/100] -> Real: d_in
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    softplus: log(1 + e^x), of a number or of every entry.

    Stability.  The derivative is the sigmoid, below 1: 1-stable in every norm; results are at least 0.
    Approached near 1000, where the derivative is 1 - e^-1000.  On discrete entries 1.
    Source: mean value theorem.
    """
    ...

def sort(
    x: Any,
    reverse: Any = ...,
) -> Any:
    """The entries in rising order, or in falling order with `reverse=True`.

    Arguments: A private vector; `reverse` is True or False.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L1]):
        ...     return dp.sort(v)
        >>> example([3, 1, 2])
        [1, 2, 3]

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in
        x in Vector[Int, L1] of n -> Vector[Int, L1] of n: d_in
        x in Vector[Data, L1] of n within [0, 9] -> Vector[Data, L1] of n: n
        x in Vector[Real, L2] of n -> Vector[Real, L2] of n: d_in

    Elsewhere:
        Python: sorted
        NumPy: numpy.sort

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sort: the entries in rising order, or in falling order with `reverse=True`.

    Stability.  Over the reals 1 in every L_p: pairing the k-th smallest entries is the cheapest way to
    pair two lists.  Over discrete entries any function: one changed entry may shift all others, so
    n^(1/p) in L_p, a constant.  Falling order is the same list from its end, a permutation that no
    data choose.  Tight: move the largest entry up; over discrete entries a new smallest
    value pushes every other one along.
    Source: rearrangement inequality; rules of vectors.
    """
    ...

def split_lines(
    x: Any,
) -> Any:
    """The lines of a text as the rows of a table.

    Arguments: A text under the symmetric distance of its lines.

    One call:
        >>> dp.split_lines('Rome\\nOslo')
        ['Rome', 'Oslo']

    At distance d_in of one argument the result moves by at most:
        x in Lines -> Records[str]: d_in

    Elsewhere:
        OpenDP: make_split_lines

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    split_lines: the lines of a text as the rows of a table.

    A line break ends a line, with or without a carriage return; one at the end begins no other line.
    Stability.  The distance of two texts is the symmetric distance of their lines: 1.
    Tight: add a line.
    Source: rules of tables; OpenDP make_split_lines.
    """
    ...

def split_records(
    x: Any,
    separator: str,
) -> Any:
    """Every line cut into cells at a separator, spaces around them left out.

    Arguments: A table with one column of texts; a separator that is not empty.

    One call:
        >>> @dp.transformation
        ... def example(lines: dp.Records[str]):
        ...     return dp.split_records(lines, ',')
        >>> example(['1, Rome', '2, Oslo'])
        [('1', 'Rome'), ('2', 'Oslo')]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[str] -> Records[Cells]: d_in   (separator = 'b')
        x in Records[str, InsertDelete] -> Records[Cells, InsertDelete]: d_in   (separator = 'b')
        x in Records[str, ChangeOne] of n -> Records[Cells, ChangeOne] of n: d_in   (separator = 'b')
        x in Records[str, Hamming] of n -> Records[Cells, Hamming] of n: d_in   (separator = 'b')

    Elsewhere:
        OpenDP: make_split_records

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    split_records: every line cut into cells at a separator, spaces around them left out.

    Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
    Tight: add a line, or replace it.
    Source: rules of tables, row-wise maps; OpenDP make_split_records.
    """
    ...

def sqrt(
    x: Any,
) -> Any:
    """The square root; of negative numbers 0, so that it is total.

    Arguments: A number, or a container whose entries keep away from 0.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.sqrt(dp.clamp(x, 1, 100))
        >>> example(9)
        3

    Proved of it:
        distance 1 moves the result by at most 1/2   (distance d_in: Min(1, sqrt(d_in)/2)*sqrt(d_in))

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: sqrt(d_in)
        x in Real within [10000, 20000] -> Real: Min(1, sqrt(d_in)/200)*sqrt(d_in)
        x in Data -> Data: 1
        x in Vector[Real, L1] of n within [10000, oo] -> Vector[Real, L1] of n: d_in/200

    Elsewhere:
        NumPy: numpy.sqrt
        Python and SciPy: math.sqrt

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sqrt: the square root; of negative numbers 0, so that it is total.

    Stability.  sqrt(y) - sqrt(x) <= sqrt(y - x): map sqrt(d) on all reals (no constant near 0).  On
    [a, oo) with a > 0 the derivative is at most 1/(2 sqrt(a)).  Tight: 0 -> d; near a for small steps.
    Entry by entry in a vector where a > 0.  The reference gives a rational within 2^-120 below.
    Source: concavity; mean value theorem.
    """
    ...

def stable_histogram(
    x: Any,
    *,
    epsilon: float | Fraction | None = ...,
    delta: float | Fraction | None = ...,
    scale: float | Fraction | None = ...,
    threshold: Any = ...,
) -> Any:
    """Noisy counts of the values that occur, without a list of them; small ones go.

    Arguments: A table; (`epsilon`, `delta`) as targets, or public `scale` and `threshold`.

    One call:
        >>> @dp.measurement
        ... def example(towns: dp.Records[str]):
        ...     return dp.stable_histogram(towns, epsilon=1, delta=0.000001)
        >>> example(['Rome'] * 60)  # noise of one seed
        Release {'Rome': 60}   cost ε = 1, δ = 0.000001

    Proved of it:
        one record added or removed: ε = 1, δ = 1/1000000

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Records[str]: ε = d_in/scale, δ = Min(1, Max(exp(1/scale)*d_in/(exp(1/scale) + 1), exp(d_in/scale)/(exp(1/scale) + 1))*exp(1/scale - ceiling(threshold)/scale))
        x in Records[str, ChangeOne]: ε = 2*d_in/scale, δ = Min(1, Max(exp(1/scale)*d_in/(exp(1/scale) + 1), exp(d_in/scale)/(exp(1/scale) + 1))*exp(1/scale - ceiling(threshold)/scale))
        x in Records[str]: ε = epsilon*ceiling(d_in), δ = delta*Sum(exp(_step*epsilon), (_step, 0, ceiling(d_in) - 1))

    Elsewhere:
        OpenDP: make_base_stability

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        unsupported-call: check has no rule for this function

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    stable_histogram: noisy counts of the values that occur, without a list of them; small ones go.

    Privacy.  Discrete Laplace noise of scale b on the count of every value that occurs, released where
    the noisy count is at least T.  d rows added or removed move counts by d in all: epsilon = d / b.
    A value that only one input has must stay unseen.  Its count c is at most d, so it is seen with
    chance e^(-(T - c)/b) / (1 + e^(-1/b)), T whole; counts of at least 1 that add up to d are seen with
    chance at most delta = max(d, e^((d - 1)/b)) e^(-(T - 1)/b) / (1 + e^(-1/b)).  With T in place of
    T - 1 delta would be too small by e^(1/b).  A replaced row moves two counts: epsilon = 2 d / b and
    the same delta, as one side gains at most d.
    Noise: `scale=b, threshold=T`, or the targets `epsilon=, delta=`, from which b and the least whole T
    follow at the inferred bound.  Keys come sorted: their order shows nothing.
    Tight: d equal rows that are new.
    Source: Korolova, Kenthapadi, Mishra, Ntoulas (2009), Algorithm 1; Balcer and Vadhan (2018).
    """
    ...

def staircase(
    x: Any,
    *,
    epsilon: float | Fraction,
    sensitivity: float | Fraction | None = ...,
    stair: Any = ...,
) -> Any:
    """Adds staircase noise to a whole number, of the least error at a sensitivity.

    Arguments: A whole number; public `epsilon` > 0, `sensitivity` and `stair`.

    One call:
        >>> @dp.measurement
        ... def example(x: dp.Int):
        ...     return dp.staircase(x, epsilon=1)
        >>> example(7)  # noise of one seed
        Release 7 ± 3.00 (95%)   cost ε = 1

    Proved of it:
        distance 1 changes the chance of any outcome by at most a factor e^1   (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        x in Int: ε = epsilon*ceiling(d_in); ρ = epsilon*ceiling(d_in)*tanh(epsilon*ceiling(d_in)/2)
        x in Int: ε = epsilon*ceiling(d_in/ceiling(sensitivity)); ρ = epsilon*ceiling(d_in/ceiling(sensitivity))*tanh(epsilon*ceiling(d_in/ceiling(sensitivity))/2)

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    staircase: adds staircase noise to a whole number, of the least error at a sensitivity.

    Privacy.  With D the sensitivity, the masses are equal on stairs and fall by e^-epsilon from one
    stair to the next, so that two centres at most K D apart, K whole, have stairs that differ by at
    most K everywhere (`metricdp.families.staircase`): epsilon K, and rho = K epsilon tanh(K epsilon/2).
    At d < D the cost of D is charged: epsilon is met there, too.
    Tight: far out, an outcome on whose way every begun sensitivity crosses a stair.
    Noise: `sensitivity=D`, a whole number (rounded up); when left out, the largest single-input
    movement at distance 1.  `stair=r` is the width of the first stair; when left out,
    ceil(D / (1 + e^(epsilon/2))), next to the one of the least mean absolute error; it costs nothing.
    Laplace noise of the same epsilon has more error, the more the larger epsilon is.
    Source: Geng, Kairouz, Oh, Viswanath (2015), section VI; Geng and Viswanath (2014), Theorem 3.
    """
    ...

def sub(
    x: Any,
    y: Any,
) -> Any:
    """x - y, for numbers, vectors and matrices of one shape.

    Arguments: Two numbers, two containers of one shape, or a number subtracted from every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real, y: dp.Real):
        ...     return dp.sub(x, y)
        >>> example(3, 4)
        -1

    Proved of it:
        distance 1 in x moves the result by at most 1
        distance 1 in y moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        y in Real -> Real: d_in
        x in Int -> Real: d_in
        x in Vector[Real, L1] of n, y in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        Python: -
        NumPy: numpy.subtract

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sub: x - y, for numbers, vectors and matrices of one shape.

    Stability.  |x - y - x' + y'| <= |x - x'| + |y - y'|: 1-stable in each private argument, in every
    norm.  Tight: move the arguments in opposite directions.  A private number that is subtracted from
    every entry of an n-vector moves it by n in L1, sqrt(n) in L2 and 1 in LInf.  On discrete entries:
    1 per argument.  The conclusion is linear: x - x is 0-stable.
    Source: triangle inequality.
    """
    ...

def subset_by(
    x: Any,
    indicator: Any,
    keep: Any,
) -> Any:
    """The rows in which the cell of a public name is True, with some of their columns.

    Arguments: Rows by name; a public name; the public names of the columns that stay.

    One call:
        >>> @dp.transformation
        ... def example(lines: dp.Records[str]):
        ...     return dp.subset_by(dp.df_is_equal(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), 'town', 'Rome'), 'town', ('id',))
        >>> example(['1, Rome', '2, Oslo'])
        [{'id': '1'}]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[Named]: d_in   (indicator = 'x')
        x in Records[Named, InsertDelete] -> Records[Named, InsertDelete]: d_in   (indicator = 'x')
        x in Records[Named, ChangeOne] of n -> Records[Named]: 2*d_in   (indicator = 'x')
        x in Records[Named, Hamming] of n -> Records[Named, InsertDelete]: 2*d_in   (indicator = 'x')

    Elsewhere:
        OpenDP: make_subset_by

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    subset_by: the rows in which the cell of a public name is True, with some of their columns.

    Stability.  A filter: an added or removed row adds or removes at most that row, 1 under the
    symmetric and insert-delete distances.  A replaced row can leave while its successor enters: 2 from
    change-one distance to the symmetric, from Hamming to the insert-delete distance.
    Tight: rows that are kept are added, or replaced by others that are kept.
    Source: rules of tables, filter; OpenDP make_subset_by.
    """
    ...

def subtract_gradient(
    x: Any,
    y: Any,
) -> Any:
    """A gradient taken from parameters of its shape, public or private.

    Arguments: Parameters and a gradient; each of them is a private gradient, or public.

    One call:
        >>> @dp.transformation
        ... def example(theta: dp.Gradient[dp.Real, dp.L1], g: dp.Gradient[dp.Real, dp.L1]):
        ...     return dp.subtract_gradient(theta, g)
        >>> example([5, 5], [1, 2])
        [4, 3]

    Proved of it:
        one unit of L1 distance in theta moves the result by at most 1
        one unit of L1 distance in g moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Gradient[Real, L1] of n, y in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: d_in
        y in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: d_in
        x in Gradient[Data, L1] of n, y in Gradient[Data, L1] of n -> Gradient[Data, L1] of n: d_in
        x in Gradient[Real, L2] of n, y in Gradient[Real, L2] of n -> Gradient[Real, L2] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: subtract_gradient

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    subtract_gradient: a gradient taken from parameters of its shape, public or private.

    Stability.  1 in each private argument in every norm; the conclusion is linear.  Discrete
    entries stay discrete: 1 per argument in their norm.
    Tight: move one argument.
    Source: as `sub`.
    """
    ...

def sum(
    x: Any,
) -> Any:
    """The sum of the entries of a vector, or of the rows of a table.

    Arguments: A vector or array in any norm, or a table with one column.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float]):
        ...     return dp.sum(dp.clamp(visits, 0, 20))
        >>> example([3.0, 4.0, 120.0])
        27

    Proved of it:
        one record added or removed moves the result by at most 20   (distance d_in: 20*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of n -> Real: d_in
        x in Vector[Real, L2] of n -> Real: sqrt(n)*d_in
        x in Vector[Real, LInf] of n -> Real: n*d_in
        x in Records[float] within [-3, 2] -> Real: 3*d_in

    Elsewhere:
        Python: sum
        NumPy: numpy.sum
        Duet and DiffPrivacyInference: sum
        OpenDP: make_sum

    Diagnostics (`metricdp explain NAME`):
        unbounded-sum: one person can move this sum by any amount
        unsupported-call: check has no rule for this function
        wrong-metric: the value carries another metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum: the sum of the entries of a vector, or of the rows of a table.

    Stability.  Vectors over R: |sum x - sum x'| <= |x - x'|_1, and |v|_1 <= n^(1-1/p) |v|_p (Hoelder).
    Tight: L1 move one entry; L2 and LInf move all entries alike.
    Records with rows in [lo, hi]: one added or removed row moves the sum by at most max(|lo|, |hi|);
    one replaced row by at most hi - lo; k rows by k times that (triangle inequality).  Tight: copies
    of the larger end added; rows at one end replaced by the other.
    Source: folklore; rules of Lp norms; cf. OpenDP make_sum.  Exact addition, so order does not matter.
    """
    ...

def sum_cols(
    m: Any,
) -> Any:
    """Adds up the columns of a matrix; the result has one entry per row.

    Arguments: Real or integer matrix to the vector of its row totals.

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.sum_cols(m)
        >>> example([[1, 2], [3, 4]])
        [3, 7]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of n: d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L2] of n: sqrt(m)*d_in
        m in Matrix[Real, LInf] of n x m -> Vector[Real, LInf] of n: m*d_in
        m in Matrix[Int, L1] of n x m within [0, 5] -> Vector[Int, L1] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: sum_cols

    Diagnostics (`metricdp explain NAME`):
        unclipped-rows: the rows that are summed have no bound on their norm
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum_cols: adds up the columns of a matrix; the result has one entry per row.

    Stability.  Entry i is the total of row i, which moves by at most c^(1 - 1/p) times the L_p movement
    of row i (Hoelder, c columns).  Summed over rows this bounds the L1 distance of the results, and so
    every L_q.  Tight: move one row in one entry (L1), or in all entries alike (L2, LInf).
    Source: Hoelder; the L1 norm dominates every L_q.
    """
    ...

def sum_gradients(
    *xs: Any,
) -> Any:
    """The sum of gradients of one shape, private, released or public.

    Arguments: Gradients of one shape; public arrays of as many numbers, and numbers, count among them.

    One call:
        >>> @dp.transformation
        ... def example(g: dp.Gradient[dp.Real, dp.L1], h: dp.Gradient[dp.Real, dp.L1]):
        ...     return dp.sum_gradients(g, h)
        >>> example([1, 2], [3, 4])
        [4, 6]

    Proved of it:
        one unit of L1 distance in g moves the result by at most 1
        one unit of L1 distance in h moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Gradient[Real, L1] of n, y in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: d_in
        y in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: d_in
        x in Gradient[Real, L1] of n within [-3, 1], y in Gradient[Real, L1] of n within [-3, 1], z in Gradient[Real, L1] of n within [-3, 1] -> Gradient[Real, L1] of n: d_in
        x in Gradient[Data, L1] of n, y in Gradient[Data, L1] of n, z in Gradient[Data, L1] of n -> Gradient[Data, L1] of n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: sum_gradients

    Diagnostics (`metricdp explain NAME`):
        size-mismatch: two sizes that have to be equal are different
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum_gradients: the sum of gradients of one shape, private, released or public.

    Stability.  1 in each argument in every norm; the conclusion is linear.  Discrete entries stay
    discrete: 1 per argument in their norm, whatever the values.
    Tight: move one argument.
    Source: as `add`.
    """
    ...

def sum_of_squared_deviations(
    x: Any,
) -> Any:
    """The sum of (x - mean)^2 over the rows of a table.

    Arguments: A table with one column of bounded numbers.

    One call:
        >>> @dp.transformation
        ... def example(visits: Annotated[dp.Records[float, dp.ChangeOne], dp.Size(3)]):
        ...     return dp.sum_of_squared_deviations(dp.clamp(visits, 0, 20))
        >>> example([3.0, 4.0, 120.0])
        182

    Proved of it:
        one record replaced moves the result by at most 800/3
           (distance d_in: 400*Min(1, d_in) - 400*Min(1, d_in)**2/3)

    At distance d_in of one argument the result moves by at most:
        x in Records[float, ChangeOne] of n within [-3, 5] -> Real: 64*d_in - 64*d_in/n
        x in Records[float, Hamming] of n within [-3, 5] -> Real: 64*d_in - 64*d_in/n
        x in Records[float] within [-3, 5] -> Real: 64*d_in
        x in Records[float, InsertDelete] within [-3, 5] -> Real: 64*d_in

    Elsewhere:
        OpenDP: make_sum_of_squared_deviations

    Diagnostics (`metricdp explain NAME`):
        unbounded-sum: one person can move this sum by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum_of_squared_deviations: the sum of (x - mean)^2 over the rows of a table.

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

def sum_per_group(
    x: Any,
    per: Any,
    value: Any,
    by: Any,
    groups: Any,
) -> Any:
    """What the rows of every person in every group add up to, of at most k groups each.

    Arguments: A table with ids, its column of ids, a deterministic function of one row, the columns that a group is equal in, and how many groups of an id are kept.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.sum_per_group(visits, '0', lambda v: 1, by='1', groups=2)
        >>> example([('Ann', 3), ('Ann', 3), ('Ben', 5)])
        [(3, 2), (5, 1)]

    Proved of it:
        all records of one 0 added or removed moves the result by at most 2   (distance d_in: 2*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit, Ids("who")] -> Records[tuple[int, int]]: d_in   (per = 'who', by = 'where', groups = 1)
        x in Records[Visit, Ids("who")] -> Records[tuple[int, int]]: 2*d_in   (per = 'who', by = 'where', groups = 2)
        x in Records[Visit, Ids("who", ChangeOne)] -> Records[tuple[int, int]]: 2*d_in   (per = 'who', by = 'where', groups = 1)
        x in Records[Visit, Ids("who", ChangeOne)] -> Records[tuple[int, int]]: 4*d_in   (per = 'who', by = 'where', groups = 2)

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum_per_group: what the rows of every person in every group add up to, of at most k groups each.

    Rows of a person that are equal in the columns `by` are one group; which k groups of a person are
    kept is decided as `limit_groups` decides it, by a hash of the person and the group.  The result has
    one row for each: the values of these columns, and the exact sum of a number over all rows of the
    person in the group, rounded once to the nearest double, or an integer of any size.

    Stability.  The rows that a person has in the result are made of that person's rows alone.  A person
    who is in one table only brings at most k rows: k per unit under add or remove.  A person whose rows
    differ loses at most k and brings at most k: 2 k, which is the distance 2 of such a person under add
    or remove, and 1 where one unit changes a person: 2 k per unit then.  However many rows there are:
    what bounds a person in a group is a clamp of the sum.  A private variable that the function
    captures may change every number: no bound.
    In groups.  A unit changes one row in each of k groups (under change: takes one out of k groups and
    puts one into k), which is `record.Groups` with one row in each: a sum of sums clamped to [0, b]
    costs b in one group, and k b, b sqrt(k) and b in L1, L2 and LInf in all of them.
    Tight: persons with k groups are added; persons have other sums in k groups.
    Source: rules of tables, truncation to so many groups; PipelineDP and Google's partial sums, clamped
    per person and partition.
    """
    ...

def sum_per_id(
    x: Any,
    per: Any,
    value: Any,
) -> Any:
    """What the rows of every person add up to, one number per person.

    Arguments: A table with ids, its column of ids, and a deterministic function of one row.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.sum_per_id(visits, '0', lambda v: v[1])
        >>> example([('Ann', 3), ('Ann', 4), ('Ben', 5)])
        [7, 5]

    Proved of it:
        all records of one 0 added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit, Ids("who")] -> Records[int]: d_in   (per = 'who')
        x in Records[Visit, Ids("who", ChangeOne)] -> Records[int]: 2*d_in   (per = 'who')

    Diagnostics (`metricdp explain NAME`):
        infinite-stability: one person can move this value by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum_per_id: what the rows of every person add up to, one number per person.

    The number of a person is made of that person's rows alone, as a multiset: the exact sum, rounded
    once to the nearest double, or an integer of any size.  It does not depend on the order of rows.

    Stability.  A person who is in one table only brings one number: 1 per unit under add or remove.  A
    person whose rows differ has one number before and another one after: 2, which is the distance 2 of
    such a person under add or remove, and 1 where one unit changes a person: 2 per unit then.  However
    many rows there are: what bounds a person is a clamp of the result.  A private variable that the
    function captures may change every number: no bound.
    Tight: persons are added; persons have other rows.
    Source: rules of tables, group_by and aggregate as a table; Google's and PipelineDP's partial sums.
    """
    ...

def sum_rows(
    m: Any,
) -> Any:
    """Adds up the rows of a matrix; the result has one entry per column.

    Arguments: Real or integer matrix to the vector of its column totals.

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.sum_rows(m)
        >>> example([[1, 2], [3, 4]])
        [4, 6]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Vector[Real, L1] of m: d_in
        m in Matrix[Real, L2] of n x m -> Vector[Real, L2] of m: d_in
        m in Matrix[Real, LInf] of n x m -> Vector[Real, LInf] of m: d_in
        m in Matrix[Int, L1] of n x m within [0, 5] -> Vector[Int, L1] of m: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: sum_rows

    Diagnostics (`metricdp explain NAME`):
        unclipped-rows: the rows that are summed have no bound on their norm
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    sum_rows: adds up the rows of a matrix; the result has one entry per column.

    Stability.  The sum moves by at most the sum of the rows' movements (triangle inequality), so the
    row-summed L_p distance bounds the L_p distance of the results: 1; in L_q the rows' conversion
    c^max(0, 1/q - 1/p) with c columns.  Tight: one row moved along the worst direction.
    Source: triangle inequality; Hoelder; extreme points of row-sum norms are single rows.
    """
    ...

def tanh(
    x: Any,
) -> Any:
    """The hyperbolic tangent, of a number or of every entry.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.tanh(x)
        >>> example(0)
        0

    Proved of it:
        distance 1 moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Real within [-1/100, 1/100] -> Real: d_in
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of n -> Vector[Real, L1] of n: d_in

    Elsewhere:
        NumPy: numpy.tanh
        Python and SciPy: math.tanh

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    tanh: the hyperbolic tangent, of a number or of every entry.

    Stability.  The derivative 1 - tanh(x)^2 is at most 1: 1-stable in every norm; results lie in
    [-1, 1].  Approached near 0 by small steps.  On discrete entries 1.
    Source: mean value theorem.
    """
    ...

def text_method(
    x: Any,
    name: Any,
    first: Any = ...,
    second: Any = ...,
    third: Any = ...,
) -> Any:
    """A method of a private text with public arguments, `t.lower()`, `t.startswith("a")`.

    Arguments: A private text, the name of a method, and public values for it.

    One call:
        >>> @dp.transformation
        ... def example(towns: dp.Records[str]):
        ...     return [t.lower() for t in towns]
        >>> example(['Rome', 'Lima'])
        ['rome', 'lima']

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Data -> Data: 1   (name = 'lower')
        x in Data -> Data: 1   (name = 'title')
        x in Data -> Data: 1   (name = 'strip')
        x in Data -> Bool: 1   (name = 'isdigit')

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        unsupported-call: check has no rule for this function
        wrong-arguments: the call does not fit the function's parameters

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    text_method: a method of a private text with public arguments, `t.lower()`, `t.startswith("a")`.

    Stability.  Texts that differ are at distance 1, and what the method gives lies in a discrete space,
    or is a truth value: 1.  Given what it takes, a method of `columns.characters.METHODS` has a value
    for every text; given anything else, the value of a search that finds nothing.
    Tight: two texts of which the method makes something else.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def time_between(
    x: Any,
    y: Any,
) -> Any:
    """`end - start` of two dates, or of two dates with times.

    Arguments: Two of one kind, of which one is private.

    One call:
        >>> @dp.transformation
        ... def example(days: dp.Records[date]):
        ...     return [day - date(2024, 5, 1) for day in days]
        >>> example([date(2024, 5, 9), date(2024, 6, 1)])
        [datetime.timedelta(days=8), datetime.timedelta(days=31)]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in date -> timedelta: 1
        y in date -> timedelta: 1
        x in date, y in date -> timedelta: 1
        x in datetime -> timedelta: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    time_between: `end - start` of two dates, or of two dates with times.

    Stability.  Different times between two are at distance 1, and any function of discrete values is
    1-stable in each of them.  It never fails: what lies between two dates is a timedelta.
    Tight: another day on one side.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def time_earlier(
    x: Any,
    by: Any,
) -> Any:
    """`day - timedelta(days=7)`: another date, or date with a time.

    Arguments: A date, or one with a time, and what is subtracted from it.

    One call:
        >>> @dp.transformation
        ... def example(days: dp.Records[date]):
        ...     return [day - timedelta(days=7) for day in days]
        >>> example([date(2024, 5, 9), date(2024, 6, 1)])
        [datetime.date(2024, 5, 2), datetime.date(2024, 5, 25)]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in date -> date: 1
        by in timedelta -> date: 1
        x in date, by in timedelta -> date: 1
        x in datetime -> datetime: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    time_earlier: `day - timedelta(days=7)`: another date, or date with a time.

    Stability.  Any function of discrete values into a discrete space is 1-stable in each of them.
    Total: beyond the first or the last date that there is, the result is that date, where Python would
    raise.  Tight: another day.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def time_later(
    x: Any,
    by: Any,
) -> Any:
    """`day + timedelta(days=7)`, in either order: another date, or date with a time.

    Arguments: A date, or one with a time, and what is added to it, in either order.

    One call:
        >>> @dp.transformation
        ... def example(days: dp.Records[date]):
        ...     return [day + timedelta(days=7) for day in days]
        >>> example([date(2024, 5, 9), date(2024, 6, 1)])
        [datetime.date(2024, 5, 16), datetime.date(2024, 6, 8)]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in date -> date: 1
        by in timedelta -> date: 1
        x in date, by in timedelta -> date: 1
        x in datetime -> datetime: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    time_later: `day + timedelta(days=7)`, in either order: another date, or date with a time.

    Stability.  Any function of discrete values into a discrete space is 1-stable in each of them.
    Total: beyond the first or the last date that there is, the result is that date, where Python would
    raise.  Tight: another day.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def time_part(
    x: Any,
    name: Any,
) -> Any:
    """A part of a date or time, `day.month`, `at.weekday()`, `(a - b).total_seconds()`.

    Arguments: A private date or time, and the name of an attribute or method.

    One call:
        >>> @dp.transformation
        ... def example(days: dp.Records[date]):
        ...     return [day.month for day in days]
        >>> example([date(2024, 5, 9), date(2024, 6, 1)])
        [5, 6]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in date -> Data: 1   (name = 'year')
        x in date -> Data: 1   (name = 'month')
        x in date -> Data: 1   (name = 'day')
        x in date -> Data: 1   (name = 'weekday')

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    time_part: a part of a date or time, `day.month`, `at.weekday()`, `(a - b).total_seconds()`.

    Stability.  Dates that differ are at distance 1, and any function of one into a discrete space is
    1-stable.  Ranges are those of the calendar: months 1 to 12, days of the week 0 to 6.
    Tight: two dates that differ in this part.
    Source: any function from a discrete space into one is 1-stable; the proleptic Gregorian calendar of
    Python's `datetime`, ISO 8601 for weeks.
    """
    ...

def time_quotient(
    x: Any,
    size: int,
) -> Any:
    """`(end - start) // timedelta(hours=1)`, how often, in whole numbers.

    Arguments: A private time between two, and a public one.

    One call:
        >>> @dp.transformation
        ... def example(days: dp.Records[date]):
        ...     return [(day - date(2024, 5, 1)) // timedelta(days=3) for day in days]
        >>> example([date(2024, 5, 9), date(2024, 6, 1)])
        [2, 10]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in timedelta -> Data: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    time_quotient: `(end - start) // timedelta(hours=1)`, how often, in whole numbers.

    Stability.  Times that differ are at distance 1, and so are numbers under the discrete metric: 1.
    Total: by a public time that is 0 it is 0, where Python would raise.
    Tight: two times that differ by more than the public one.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def time_ratio(
    x: Any,
    size: int,
) -> Any:
    """`(end - start) / timedelta(hours=1)`, how often a public time goes into one.

    Arguments: A private time between two, and a public one.

    One call:
        >>> @dp.transformation
        ... def example(days: dp.Records[date]):
        ...     return [(day - date(2024, 5, 1)) / timedelta(days=4) for day in days]
        >>> example([date(2024, 5, 9), date(2024, 6, 1)])
        [2, 7.75]

    Proved of it:
        one record added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in timedelta -> Data: 1

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    time_ratio: `(end - start) / timedelta(hours=1)`, how often a public time goes into one.

    Stability.  Times that differ are at distance 1, and so are numbers under the discrete metric: 1.
    Total: by a public time that is 0 it is 0, where Python would raise.
    Tight: two times that differ by more than the public one.
    Source: any function from a discrete space into one is 1-stable.
    """
    ...

def top_k(
    scores: Any,
    k: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
    monotone: bool | None = ...,
    by: Any = ...,
) -> Any:
    """The positions of the k largest scores, one after the other, each chosen privately.

    Arguments: A vector of scores; k >= 1 is public, as is one of `scale` (T) and `epsilon` (of all k).

    One call:
        >>> @dp.measurement
        ... def example(towns: dp.Records[str]):
        ...     return dp.top_k(dp.histogram(towns, categories=('Lima', 'Oslo', 'Rome')), 2, epsilon=1)
        >>> example(['Rome', 'Oslo', 'Rome'])  # noise of one seed
        Release [2, 1]   cost ε = 1

    Proved of it:
        one record added or removed changes the chance of any outcome by at most a factor e^1
           (ε = 1, δ = 0)

    Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it:
        scores in Vector[Int, LInf] of 4: ε = 4*d_in/3; ρ = 4*tanh(d_in/3)*d_in/3   (k = 2, scale = 3, by = 'permute_and_flip')
        scores in Vector[Int, LInf] of 4: ε = 3*d_in/2; ρ = 3*tanh(3*d_in/8)*d_in/2   (k = 2, epsilon = 1.5, monotone = True, by = 'permute_and_flip')
        scores in Vector[Int, LInf] of 4: ε = 4*d_in/3; ρ = d_in**2/9   (k = 2, scale = 3, by = 'exponential')
        scores in Vector[Int, LInf] of 4: ε = 3*d_in/2; ρ = 9*d_in**2/64   (k = 2, epsilon = 1.5, monotone = True, by = 'exponential')

    Elsewhere:
        OpenDP: make_noisy_top_k

    Diagnostics (`metricdp explain NAME`):
        bad-noise: the noise is not positive
        private-argument: a private value stands where a public one is needed
        released-cost: the cost of a mechanism depends on a released value
        size-mismatch: two sizes that have to be equal are different
        wrong-arguments: the call does not fit the function's parameters
        wrong-norm: the value is bounded in another norm or metric than this step needs

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.

    Proof.
    top_k: the positions of the k largest scores, one after the other, each chosen privately.

    Privacy.  k rounds of permute-and-flip (`by="exponential"`: of exponential weights) at temperature
    T, each among the candidates that are left.  Given the positions so far, one round costs
    2 d_LInf / T when no score moves by more than d, and d_LInf / T when all scores move in one
    direction (`monotone=True`); rounds are adaptive, so k of them cost k times that, and k times the
    rho of one: (2 d_LInf / T)^2 / 8 for exponential weights, epsilon tanh(epsilon / 2) for
    permute-and-flip, which has no bounded range.  With `epsilon=` for all rounds together, T comes from
    the inferred bound.  What all scores share cancels, so check takes half of how far they move apart
    as d.  k rounds of exponential weights are one round
    of Gumbel noise on every score, and the k largest.
    Where nothing says how many candidates there are, fewer than k may come back.
    Approached by k candidates far below two others, which fall while those rise.
    Source: Durfee and Rogers (2019), Lemma 4.2 (peeling is Gumbel noise); McKenna and Sheldon (2020).
    """
    ...

def transpose(
    m: Any,
) -> Any:
    """Rows and columns exchanged.

    Arguments: A private matrix; bounds of rows do not become bounds of columns.

    One call:
        >>> @dp.transformation
        ... def example(m: dp.Matrix[dp.Real, dp.L1]):
        ...     return dp.transpose(m)
        >>> example([[1, 2], [3, 4]])
        [[1, 3], [2, 4]]

    Proved of it:
        one unit of L1 distance, added over rows moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of n x m -> Matrix[Real, L1] of m x n: d_in
        m in Matrix[Int, L1] of n x m within [0, 5] -> Matrix[Int, L1] of m x n: d_in
        m in Matrix[Data, L1] of n x m -> Matrix[Data, L1] of m x n: d_in
        m in Matrix[Real, L2] of n x m -> Matrix[Real, L2] of m x n: sqrt(m)*d_in

    Elsewhere:
        Python: .T
        NumPy: numpy.transpose

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    transpose: rows and columns exchanged.

    Stability.  A moved row moves one entry of every row of the result, so from row-summed L_p with c
    columns to any row-summed L_q: the row's L1 distance, c^(1 - 1/p).  Over discrete entries the same,
    in the own norm; under LInf all c rows of the result may differ, and no more: the constant c.
    Tight: one row moved in all entries alike (L2, LInf) or in one (L1).
    Source: Hoelder; extreme points of row-sum norms are single rows.
    """
    ...

def trunc(
    x: Any,
) -> Any:
    """The integer part of x, towards 0, Python's int(x).

    Arguments: A number or a vector; the result is Int.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Real):
        ...     return dp.trunc(x)
        >>> example(-2.5)
        -2

    Proved of it:
        distance 1 moves the result by at most 1   (distance d_in: ceiling(d_in))

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: ceiling(d_in)
        x in Real within [-3/2, 9/2] -> Int: ceiling(d_in)
        x in Int within [0, 9] -> Int: d_in
        x in Data -> Data: 1

    Elsewhere:
        Python: int
        NumPy: numpy.trunc
        Python and SciPy: math.trunc

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    trunc: the integer part of x, towards 0, Python's int(x).

    Stability.  Between x and x + d lie at most ceil(d) jumps: map ceil(d).  Tight: x an integer.
    In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further entry may cross a jump for
    almost nothing; L2 at most d + sqrt(n) (each entry moves by less than d_i + 1; not known tight).
    Integers stay where they are: 1.  Discrete entries: 1.  No linear constant exists on the reals.
    Source: counting jumps between two reals.
    """
    ...

def unbounded(
    x: Any,
) -> Any:
    """The same rows, whose number is no longer taken as public.

    Arguments: A table under the change-one or the Hamming distance.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float, dp.ChangeOne]):
        ...     return dp.unbounded(visits)
        >>> example([3.0, 4.0])
        [3, 4]

    Proved of it:
        one record replaced moves the result by at most 2   (distance d_in: 2*d_in)

    At distance d_in of one argument the result moves by at most:
        x in Records[int, ChangeOne] of n -> Records[int]: 2*d_in
        x in Records[int, Hamming] of n -> Records[int, InsertDelete]: 2*d_in
        x in Records[float | None, ChangeOne] of n -> Records[float | None]: 2*d_in
        x in Records[float | None, Hamming] of n -> Records[float | None, InsertDelete]: 2*d_in

    Elsewhere:
        OpenDP: make_metric_unbounded

    Diagnostics (`metricdp explain NAME`):
        wrong-metric: the value carries another metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    unbounded: the same rows, whose number is no longer taken as public.

    Stability.  A replaced row is one removed and one added: 2 from change-one to symmetric distance; at
    its position one deleted and one inserted: 2 from Hamming to insert-delete distance.
    Tight: replace rows by other values.
    Source: conversions between metrics on tables; OpenDP make_metric_unbounded.
    """
    ...

def undisc(
    x: Any,
) -> Any:
    """Discrete values, which only differ or not, as real numbers; they need bounds.

    Arguments: A discrete number, vector or matrix with bounds; real ones stay as they are.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Data):
        ...     return dp.undisc(dp.clamp(x, 0, 5))
        >>> example(7)
        5

    Proved of it:
        one value replaced moves the result by at most 5

    At distance d_in of one argument the result moves by at most:
        x in Data within [-3, 5] -> Real: 8
        x in Data within [0, 5] -> Int: 5
        x in Data -> Real: oo
        x in Vector[Data, L1] of n -> Vector[Real, L1] of n: 4

    Elsewhere:
        Duet and DiffPrivacyInference: undisc, undisc_container

    Diagnostics (`metricdp explain NAME`):
        unbounded-undisc: data without bounds cannot be read as real numbers
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    undisc: discrete values, which only differ or not, as real numbers; they need bounds.

    Stability.  Two values of a bounded domain are at most its diameter apart.  A number in [lo, hi]
    moves by hi - lo.  A vector of radius c in L_p moves by 2 c n^max(0, 1/q - 1/p) in L_q (sqrt(2) c
    and so on for nonnegative values), whatever changed; with entries in [lo, hi] by w = hi - lo per
    changed entry: w k in L1, w sqrt(k) in L2, w in LInf for k changes.  Rows of a matrix: the diameter
    per changed row, summed.  Factor 2 is tight: (c, 0, ..) and (-c, 0, ..).  Without bounds infinite,
    so clip or clamp comes before undisc.
    Source: any function into diameter w from a space with least distance 1; rules of discrete
    containers.
    """
    ...

def undisc_container(
    x: Any,
) -> Any:
    """Discrete values, which only differ or not, as real numbers; they need bounds.

    Arguments: A discrete number, vector or matrix with bounds; real ones stay as they are.

    One call:
        >>> @dp.transformation
        ... def example(x: dp.Data):
        ...     return dp.undisc(dp.clamp(x, 0, 5))
        >>> example(7)
        5

    Proved of it:
        one value replaced moves the result by at most 5

    At distance d_in of one argument the result moves by at most:
        x in Data within [-3, 5] -> Real: 8
        x in Data within [0, 5] -> Int: 5
        x in Data -> Real: oo
        x in Vector[Data, L1] of n -> Vector[Real, L1] of n: 4

    Elsewhere:
        Duet and DiffPrivacyInference: undisc, undisc_container

    Diagnostics (`metricdp explain NAME`):
        unbounded-undisc: data without bounds cannot be read as real numbers
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    undisc: discrete values, which only differ or not, as real numbers; they need bounds.

    Stability.  Two values of a bounded domain are at most its diameter apart.  A number in [lo, hi]
    moves by hi - lo.  A vector of radius c in L_p moves by 2 c n^max(0, 1/q - 1/p) in L_q (sqrt(2) c
    and so on for nonnegative values), whatever changed; with entries in [lo, hi] by w = hi - lo per
    changed entry: w k in L1, w sqrt(k) in L2, w in LInf for k changes.  Rows of a matrix: the diameter
    per changed row, summed.  Factor 2 is tight: (c, 0, ..) and (-c, 0, ..).  Without bounds infinite,
    so clip or clamp comes before undisc.
    Source: any function into diameter w from a space with least distance 1; rules of discrete
    containers.
    """
    ...

def unordered(
    x: Any,
) -> Any:
    """The same rows, whose order is no longer observed.

    Arguments: A table under the insert-delete or the Hamming distance.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[float, dp.InsertDelete]):
        ...     return dp.unordered(visits)
        >>> example([3.0, 4.0])
        [3, 4]

    Proved of it:
        one record inserted or deleted moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[int, InsertDelete] -> Records[int]: d_in
        x in Records[int, Hamming] of n -> Records[int, ChangeOne] of n: d_in
        x in Records[float | None, InsertDelete] -> Records[float | None]: d_in
        x in Records[float | None, Hamming] of n -> Records[float | None, ChangeOne] of n: d_in

    Elsewhere:
        OpenDP: make_unordered

    Diagnostics (`metricdp explain NAME`):
        wrong-metric: the value carries another metric than this step needs

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    unordered: the same rows, whose order is no longer observed.

    Stability.  A row that is inserted or deleted is a row added or removed: 1 from insert-delete to
    symmetric distance.  A row that differs at one position is one row replaced: 1 from Hamming to
    change-one distance.
    Tight: insert a row; replace one by another value.
    Source: conversions between metrics on tables; OpenDP make_unordered.
    """
    ...

def variance(
    x: Any,
    ddof: int | None = ...,
) -> Any:
    """The sum of squared deviations of the rows over n - ddof.

    Arguments: One column of bounded numbers, their number public; `ddof` is public, 1 by default.

    One call:
        >>> @dp.transformation
        ... def example(visits: Annotated[dp.Records[float, dp.ChangeOne], dp.Size(3)]):
        ...     return dp.variance(dp.clamp(visits, 0, 20))
        >>> example([3.0, 4.0, 120.0])
        91

    Proved of it:
        one record replaced moves the result by at most 400/3
           (distance d_in: 200*Min(1, d_in) - 200*Min(1, d_in)**2/3)

    At distance d_in of one argument the result moves by at most:
        x in Records[float, ChangeOne] of n within [-3, 5] -> Real: 64*d_in/n
        x in Records[float, ChangeOne] of n within [-3, 5] -> Real: 64*d_in/(n*(ddof - n)) - 64*d_in/(ddof - n)
        x in Records[float, Hamming] of n within [-3, 5] -> Real: 64*d_in/n
        x in Records[float, Hamming] of n within [-3, 5] -> Real: 64*d_in/(n*(ddof - n)) - 64*d_in/(ddof - n)

    Elsewhere:
        Python and SciPy: statistics.variance
        OpenDP: make_variance, make_sized_bounded_variance

    Diagnostics (`metricdp explain NAME`):
        private-argument: a private value stands where a public one is needed
        requirement-fails: a requirement on the public parameters does not hold
        unbounded-sum: one person can move this sum by any amount
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    variance: the sum of squared deviations of the rows over n - ddof.

    Stability.  Rows in [L, U], R = U - L, known size n (change-one, Hamming): k replaced rows move it
    by at most R^2 j(n - j)/(n (n - ddof)), j = min(k, floor(n/2)); proof in `_deviations`.  Where the
    number of rows is private there is no bound that falls with n: the rule refuses.
    Tight: all rows at L, k of them replaced by U.
    Source: leave-one-out form of the variance; rules of tables: R^2 (n - 1)/n^2 for ddof = 0, R^2/n for
    ddof = 1.  OpenDP's map is k times the value for one row.
    """
    ...

def vec_to_row(
    v: Any,
) -> Any:
    """A vector as a matrix of one row.

    Arguments: A private vector of n entries to a 1 x n matrix.

    One call:
        >>> @dp.transformation
        ... def example(v: dp.Vector[dp.Real, dp.L1]):
        ...     return dp.vec_to_row(v)
        >>> example([1, 2])
        [[1, 2]]

    Proved of it:
        one unit of L1 distance moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        v in Vector[Real, L1] of n -> Matrix[Real, L1] of 1 x n: d_in
        v in Vector[Data, L1] of n -> Matrix[Data, L1] of 1 x n: d_in
        v in Vector[Real, L2] of n -> Matrix[Real, L2] of 1 x n: d_in
        v in Vector[Data, L2] of n -> Matrix[Data, L2] of 1 x n: d_in

    Elsewhere:
        Duet and DiffPrivacyInference: vec_to_row

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    vec_to_row: a vector as a matrix of one row.

    Stability.  The row-summed distance of one row is the distance of that row: 1 in every norm.
    Tight: move one entry.
    Source: definition of the row-sum metric.
    """
    ...

def weighted_count_by(
    x: Any,
    per: Any,
    by: Any,
    groups: Any,
) -> Any:
    """For every value of a column a sum over the persons who have it, each of whom weighs 1 / sqrt(j) where they have j values; values that nobody has are not in it.

    Arguments: A table with ids, its column of ids, another column, and how many values each has of it.

    One call:
        >>> @dp.transformation
        ... def example(visits: dp.Records[tuple[str, int], dp.Ids('0')]):
        ...     return dp.weighted_count_by(visits, '0', by='1', groups=1)
        >>> example([('Ann', 3), ('Ben', 3), ('Ben', 5)])
        {Exact(3, 1): 2}

    Proved of it:
        all records of one 0 added or removed moves the result by at most 1

    At distance d_in of one argument the result moves by at most:
        x in Records[Visit, Ids("who")] -> Keyed[int, Real, L02Inf]: d_in   (per = 'who', by = 'where', groups = 1)
        x in Records[Visit, Ids("who")] -> Keyed[int, Real, L02Inf]: d_in   (per = 'who', by = 'where', groups = 2)
        x in Records[Visit, Ids("who")] -> Keyed[int, Real, L02Inf]: d_in   (per = 'who', by = 'where', groups = 3)
        x in Records[tuple[int, bool], Ids("0")] -> Keyed[bool, Real, L02Inf]: d_in   (per = '0', by = '1', groups = 2)

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    weighted_count_by: for every value of a column a sum over the persons who have it, each of whom
    weighs 1 / sqrt(j) where they have j values; values that nobody has are not in it.

    Of at most k different values of each person those are kept that `limit_groups` keeps, by a hash of
    the person and the value.  1 / sqrt(j) is rounded down to a multiple of 2^-40, so that the squares
    of what a person adds are at most 1 in all, and sums are exact.

    Stability.  A person who is in one table only moves j <= k values by w_j <= 1 / sqrt(j) each: k in
    L0, j w_j <= sqrt(k) in L1, at most 1 in L2 and in LInf; d persons d times that.  What a person adds
    has no negative entry, so a person whose rows differ moves at most 2 k values, at most sqrt(2) in L2
    (x . y >= 0 in |x - y|^2 = |x|^2 + |y|^2 - 2 x . y), 2 sqrt(k) in L1 and 1 in LInf, which is no more
    than the distance 2 of such a person under add or remove allows, and what one unit is where it
    changes a person.  Noise for L2 is then the same whatever k is, and whoever has few values counts
    more for each.
    Tight: persons with one value each, the same, are added; their value becomes another one.
    Source: Gopi, Gulhane, Kulkarni, Shen, Shokouhi and Yekhanin (2020), "Differentially Private Set
    Union", section 4 (weighted Gaussian), of which `gaussian_threshold` is the second half.
    """
    ...

def zero_gradient(
    g: Any,
) -> Any:
    """A gradient of zeros with the shape of another one.

    Arguments: A private gradient, real or discrete, or a public array.

    One call:
        >>> @dp.transformation
        ... def example(g: dp.Gradient[dp.Real, dp.L1]):
        ...     return dp.zero_gradient(g)
        >>> example([1, 2])
        [0, 0]

    Proved of it:
        one unit of L1 distance moves the result by at most 0

    At distance d_in of one argument the result moves by at most:
        g in Gradient[Real, L1] of n -> Gradient[Real, L1] of n: 0
        g in Gradient[Data, L1] of n -> Gradient[Data, L1] of n: 0
        g in Gradient[Real, L2] of n -> Gradient[Real, L2] of n: 0
        g in Gradient[Data, L2] of n -> Gradient[Data, L2] of n: 0

    Elsewhere:
        Duet and DiffPrivacyInference: zero_gradient

    Diagnostics (`metricdp explain NAME`):
        unsupported-call: check has no rule for this function

    Called outside a checked function it computes its value on plain data, which protects nobody.

    Proof.
    zero_gradient: a gradient of zeros with the shape of another one.

    Stability.  The shape is public and nothing else is read: 0.  Tight: nothing moves.
    Source: gradients of different shapes are infinitely far apart.
    """
    ...
