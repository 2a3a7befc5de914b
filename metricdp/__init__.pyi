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
from metricdp.spaces.metrics import InsertDelete as InsertDelete
from metricdp._typing import Int as Int
from metricdp.spaces.norms import L1 as L1
from metricdp.spaces.norms import L2 as L2
from metricdp.spaces.norms import LInf as LInf
from metricdp.sessions.ledger import Ledger as Ledger
from metricdp._typing import Matrix as Matrix
from metricdp.maps.measurement import Measurement as Measurement
from metricdp.spaces.annotation import MetricGradient as MetricGradient
from metricdp.spaces.annotation import MetricMatrix as MetricMatrix
from metricdp.spaces.annotation import MetricVector as MetricVector
from metricdp.spaces.refinements import NoNaN as NoNaN
from metricdp.spaces.refinements import NonNegative as NonNegative
from metricdp._typing import Real as Real
from metricdp.run.emit import Record as Record
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
from metricdp.checked.decorators import black_box as black_box
from metricdp.run.emit import handling as handling
from metricdp.checked.decorators import measurement as measurement
from metricdp.run.private_selection import private_selection as private_selection
from metricdp.columns.progress import progress as progress
from metricdp.run.sampling import sample as sample
from metricdp.spaces.annotation import space_of as space_of
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

    Noise at some public arguments:
        queries in Vector[Int, LInf] of 8: threshold_scale 4*_bound, query_scale 8*_bound
        queries in Vector[Int, LInf] of 8: threshold_scale 2*_bound, query_scale 4*_bound
        queries in Vector[Int, LInf] of 8: threshold_scale _bound/2, query_scale _bound
        queries in Vector[Int, LInf] of 8: threshold_scale 2, query_scale 3

    One call: dp.above_threshold(queries, eps=0.5, threshold=0)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def abs(
    x: Any,
) -> Any:
    """|x|, for a number or for every entry of a vector or matrix.

    Arguments: A number or a container of numbers.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in

    One call: dp.abs(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def add(
    x: Any,
    y: Any,
) -> Any:
    """X + y, for numbers, vectors and matrices of one shape.

    Arguments: Two numbers, two containers of one shape, or a number added to every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Int, y in Int -> Int: d_in
        x in Real -> Real: d_in
        x in Data, y in Data -> Data: 1

    One call: dp.add(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def array(
    *xs: Any,
) -> Any:
    """The vector of several numbers, in their order.

    Arguments: Private and public numbers, at least one of them private; or one private vector.

    One call: dp.array(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def b_ary_tree(
    x: Any,
    branching: int,
    leaves: int | None = ...,
) -> Any:
    """The counts of the leaves, and above them the sums of b children each, as one vector.

    Arguments: A vector of numbers; `branching` at least 2 and, where its size is open, `leaves`.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 4 -> Vector[Real, L1] of 7: 3*d_in
        x in Vector[Real, L2] of 4 -> Vector[Real, L2] of 7: sqrt(7)*d_in
        x in Vector[Real, LInf] of 4 -> Vector[Real, LInf] of 7: 4*d_in
        x in Vector[Int, L1] of 5 -> Vector[Int, L1] of 12: 4*d_in

    One call: dp.b_ary_tree(x, 2)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def canonical_noise(
    x: Any,
    *,
    epsilon: float | Fraction,
    delta: float | Fraction | None = ...,
    sensitivity: float | Fraction | None = ...,
) -> Any:
    """The noise whose trade-off at one sensitivity is (epsilon, delta), no less.

    Arguments: A real scalar; public epsilon > 0 and 0 <= delta < 1, exact; `sensitivity` > 0 is public.

    Noise at some public arguments:
        x in Int: sensitivity 1, epsilon 1/2, delta 0, whole 1
        x in Int: sensitivity 2, epsilon 1/2, delta 0, whole 1
        x in Int: sensitivity 1, epsilon 1, delta 1/100, whole 1
        x in Int: sensitivity 1, epsilon 1/5, delta 1/1000000, whole 1

    One call: dp.canonical_noise(x, 0.5, sensitivity=1)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def cast(
    x: Any,
    to: Any,
) -> Any:
    """Every row as a value of another type; rows without such a value are missing.

    Arguments: A table with one column; `to` is "float", "int", "bool", "str" or a type such as "u8".

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[int | None]: d_in
        x in Records[float, InsertDelete] -> Records[int | None, InsertDelete]: d_in
        x in Records[float, ChangeOne] of 4 -> Records[int | None, ChangeOne] of 4: d_in
        x in Records[float, Hamming] of 4 -> Records[int | None, Hamming] of 4: d_in

    One call: dp.cast(x, 'int')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def cast_default(
    x: Any,
    to: Any,
) -> Any:
    """Every row as a value of another type, 0, False or "" where there is none.

    Arguments: A table with one column; `to` as for `cast`.

    At distance d_in of one argument the result moves by at most:
        x in Records[str] -> Records[int]: d_in
        x in Records[str, InsertDelete] -> Records[int, InsertDelete]: d_in
        x in Records[str, ChangeOne] of 4 -> Records[int, ChangeOne] of 4: d_in
        x in Records[str, Hamming] of 4 -> Records[int, Hamming] of 4: d_in

    One call: dp.cast_default(x, 'int')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def ceil(
    x: Any,
) -> Any:
    """The smallest integer at or above x.

    Arguments: A number or a vector; the result is Int.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: ceiling(d_in)
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Int, L1] of 3: ceiling(d_in) + 2

    One call: dp.ceil(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def clamp(
    x: Any,
    lower: Any,
    upper: Any,
) -> Any:
    """Moves a number into [lower, upper]; on vectors, matrices and columns every entry or row.

    Arguments: Numbers lower <= upper; x is a number, a container or a table with one column.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Real, lower in Real, upper in Real -> Real: d_in

    One call: dp.clamp(x, 0, 100)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def clip(
    x: Any,
    norm: Any,
    radius: float | Fraction = ...,
) -> Any:
    """Scales a vector into a ball, v * min(1, c/|v|).

    Arguments: A vector or gradient, a norm and a public radius > 0; also with the norm first.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 1 -> Vector[Real, L1] of 1: d_in
        x in Vector[Real, L1] of 4 -> Vector[Real, L1] of 4: 2*d_in
        x in Vector[Data, L1] of 4 -> Vector[Data, L1] of 4: 4
        x in Vector[Real, L1] of 4 -> Vector[Real, L1] of 4: 3*d_in/2

    One call: dp.clip(x, dp.L1, radius=1000)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def clipn(
    x: Any,
    upper: Any,
    lower: Any,
) -> Any:
    """Clamp with the upper bound first, `clipn(x, upper, lower)`.

    Arguments: See clamp.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Vector[Data, LInf] of 3 -> Vector[Data, LInf] of 3: d_in

    One call: dp.clipn(x, 9, -1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def column(
    m: Any,
    j: Any,
) -> Any:
    """One column of a matrix, at a public index.

    Arguments: The column `m[:, j]` under L1; a public negative index counts from the end.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Vector[Real, L1] of 3: d_in
        m in Matrix[Int, L1] of 2 x 2 -> Vector[Int, L1] of 2: d_in
        m in Matrix[Data, L1] of 3 x 4 -> Vector[Data, L1] of 3: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Vector[Real, L1] of 3: d_in

    One call: dp.column(m, 0)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def concat(
    *xs: Any,
) -> Any:
    """Several vectors one after the other.

    Arguments: Private vectors, all discrete in one norm or all over numbers; argument i is named str(i).

    One call: dp.concat(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def contains(
    x: Any,
    y: Any,
) -> Any:
    """`x in y`, a private value among public ones, or one text in another.

    Arguments: A value and what may hold it: public values, a private text, the parts of one.

    At distance d_in of one argument the result moves by at most:
        x in Data -> Bool: 1
        x in Int -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.contains(x, (1, 2))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def cos(
    x: Any,
) -> Any:
    """The cosine, of a number or of every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Data, L1] of 3 -> Vector[Data, L1] of 3: d_in

    One call: dp.cos(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def count(
    x: Any,
    predicate: Any = ...,
) -> Any:
    """How many rows there are, or how many rows a predicate accepts.

    Arguments: Records, a vector, or the rows of a matrix; the predicate is optional.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Int: d_in
        x in Records[int, InsertDelete] -> Int: d_in
        x in Records[int, ChangeOne] of 4 -> Int: d_in
        x in Records[int, Hamming] of 4 -> Int: d_in

    One call: dp.count(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def count_by(
    x: Any,
) -> Any:
    """How many rows there are of each value, as a dictionary; values that no row has are not in it.

    Arguments: Single-column records of any metric.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Keyed[int, Int, L01Inf]: d_in
        x in Records[str] -> Keyed[str, Int, L01Inf]: d_in
        x in Records[bool] -> Keyed[bool, Int, L01Inf]: d_in
        x in Records[int, InsertDelete] -> Keyed[int, Int, L01Inf]: d_in

    One call: dp.count_by(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def count_distinct(
    x: Any,
) -> Any:
    """How many different values the rows of a table have.

    Arguments: Single-column records of any metric.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Int: d_in
        x in Records[int, InsertDelete] -> Int: d_in
        x in Records[str] -> Int: d_in
        x in Records[str, InsertDelete] -> Int: d_in

    One call: dp.count_distinct(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def covariance(
    x: Any,
    ddof: int | None = ...,
) -> Any:
    """The sum of (x - mean of x)(y - mean of y) over the rows (x, y), over n - ddof.

    Arguments: Records of pairs of bounded numbers with a public size; `ddof` is public, 1 by default.

    At distance d_in of one argument the result moves by at most:
        x in Records[tuple[float, float], ChangeOne] of 6 -> Real: 4*Min(3, d_in) + 2*floor(Min(6, d_in)**2/4)/3 - 2*Min(3, d_in)**2/3
        x in Records[tuple[float, float], Hamming] of 5 -> Real: 5*Min(2, d_in) + floor(Min(5, d_in)**2/4) - Min(2, d_in)**2
        x in Records[tuple[float, float], ChangeOne] of 2 -> Real: 20*Min(1, d_in) + 10*floor(Min(2, d_in)**2/4) - 10*Min(1, d_in)**2
        x in Records[tuple[float, float], ChangeOne] of 4 -> Real: 5*Min(2, d_in) + 5*floor(Min(4, d_in)**2/4)/4 - 5*Min(2, d_in)**2/4

    One call: dp.covariance(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def create_dataframe(
    x: Any,
    columns: Any,
) -> Any:
    """Rows whose cells are found by the public names of columns.

    Arguments: Lines of cells; different public names.

    At distance d_in of one argument the result moves by at most:
        x in Records[Cells] -> Records[Named]: d_in
        x in Records[Cells, InsertDelete] -> Records[Named, InsertDelete]: d_in
        x in Records[Cells, ChangeOne] of 4 -> Records[Named, ChangeOne] of 4: d_in
        x in Records[Cells, Hamming] of 4 -> Records[Named, Hamming] of 4: d_in

    One call: dp.create_dataframe(x, ('a', 'b'))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def df_cast_default(
    x: Any,
    name: Any,
    to: Any,
) -> Any:
    """The cell of one public name in every row as a value of another type.

    Arguments: Rows by name; a public name; `to` as for `cast`.

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[Named]: d_in
        x in Records[Named, InsertDelete] -> Records[Named, InsertDelete]: d_in
        x in Records[Named, ChangeOne] of 4 -> Records[Named, ChangeOne] of 4: d_in
        x in Records[Named, Hamming] of 4 -> Records[Named, Hamming] of 4: d_in

    One call: dp.df_cast_default(x, 'a', 'int')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def df_is_equal(
    x: Any,
    name: Any,
    value: Any,
) -> Any:
    """The cell of one public name in every row replaced by whether it has a public value.

    Arguments: Rows by name; a public name and a public value.

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[Named]: d_in
        x in Records[Named, InsertDelete] -> Records[Named, InsertDelete]: d_in
        x in Records[Named, ChangeOne] of 4 -> Records[Named, ChangeOne] of 4: d_in
        x in Records[Named, Hamming] of 4 -> Records[Named, Hamming] of 4: d_in

    One call: dp.df_is_equal(x, 'a', '1')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def discrete(
    x: Any,
) -> Any:
    """The same value under the discrete metric, where any change is a change of 1.

    Arguments: A number or container over Real, Int or Bool; discrete values stay as they are.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Data: 1
        x in Bool -> Data: 1
        x in Real -> Data: oo
        x in Data -> Data: d_in

    One call: dp.discrete(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def discrete_gaussian(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    rho: float | Fraction | None = ...,
) -> Any:
    """Adds discrete Gaussian noise to whole numbers, in L2.

    Arguments: Integer scalar or vector; exactly one of `scale` (sigma) and the target `rho`.

    Noise at some public arguments:
        x in Int: sigma 1/2
        x in Vector[Int, L2] of 3: sigma 1/2
        x in Int: sigma 3
        x in Vector[Int, L2] of 3: sigma 3

    One call: dp.discrete_gaussian(x, scale=0.5)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def discrete_laplace(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
) -> Any:
    """Adds discrete Laplace (two-sided geometric) noise to whole numbers.

    Arguments: Integer scalar or vector; exactly one of `scale` (public) and `epsilon` (target).

    Noise at some public arguments:
        x in Int: scale 1/2
        x in Vector[Int, L1] of 3: scale 1/2
        x in Int: scale 7
        x in Vector[Int, L1] of 3: scale 7

    One call: dp.discrete_laplace(x, scale=0.5)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def div(
    x: Any,
    y: Any,
) -> Any:
    """X / y, for numbers, or entry by entry.

    Arguments: A public divisor, or a private divisor that keeps away from 0.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: 2*d_in/7
        x in Int -> Real: d_in/4
        y in Real -> Real: 3*d_in/1000000
        x in Real, y in Real -> Real: d_in/1000

    One call: dp.div(x, -3.5)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def dot(
    x: Any,
    w: Any,
) -> Any:
    """The sum of x_i w_i, one vector private or both.

    Arguments: Two vectors of one length.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 3 -> Real: 4*d_in
        w in Vector[Int, L1] of 3 -> Real: d_in
        x in Vector[Real, L1] of 3, w in Vector[Real, L1] of 3 -> Real: 2*d_in
        x in Vector[Real, L1] of 3, w in Vector[Real, L1] of 3 -> Real: oo

    One call: dp.dot(x, (3, -4, 0))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def drop_null(
    x: Any,
) -> Any:
    """The rows that are there, in their order.

    Arguments: A table with one column.

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[float]: d_in
        x in Records[float | None, InsertDelete] -> Records[float, InsertDelete]: d_in
        x in Records[float | None, ChangeOne] of 4 -> Records[float]: 2*d_in
        x in Records[float | None, Hamming] of 4 -> Records[float, InsertDelete]: 2*d_in

    One call: dp.drop_null(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def eq(
    x: Any,
    y: Any,
) -> Any:
    """X == y, a Bool, or Bools entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.eq(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def exp(
    x: Any,
) -> Any:
    """The exponential of a number with an upper bound.

    Arguments: A number or container with an upper bound.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: exp(1)*d_in
        x in Real -> Real: exp(1/100)*d_in
        x in Real -> Real: oo

    One call: dp.exp(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Arguments: `score` is the vector of the candidates' scores, as check read them from the function.

    Noise at some public arguments:
        score in Vector[Int, LInf] of 3: scale 8
        score in Vector[Int, LInf] of 3: scale 1
        score in Vector[Int, LInf] of 3: scale 10
        score in Vector[Int, LInf] of 3: scale 8*_bound/3

    One call: dp.exponential_mechanism(s=1, eps=0.25, score=score)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def filter(
    predicate: Any,
    x: Any,
) -> Any:
    """The rows that a predicate accepts, in their order.

    Arguments: Records of any metric; the predicate is deterministic.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Records[int]: d_in
        x in Records[int, InsertDelete] -> Records[int, InsertDelete]: d_in
        x in Records[int, ChangeOne] of 4 -> Records[int]: 2*d_in
        x in Records[int, Hamming] of 4 -> Records[int, InsertDelete]: 2*d_in

    One call: dp.filter(f, x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def find(
    x: Any,
    categories: Any,
) -> Any:
    """The position of each row in a public list of categories; missing where it is none of them.

    Arguments: A table with one column; different public categories of the column's type.

    At distance d_in of one argument the result moves by at most:
        x in Records[str] -> Records[int | None]: d_in
        x in Records[str, InsertDelete] -> Records[int | None, InsertDelete]: d_in
        x in Records[str, ChangeOne] of 4 -> Records[int | None, ChangeOne] of 4: d_in
        x in Records[str, Hamming] of 4 -> Records[int | None, Hamming] of 4: d_in

    One call: dp.find(x, ('1', '2', 'ab'))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def find_bin(
    x: Any,
    edges: Any,
) -> Any:
    """The number of public edges at or below each row, which is the bin that it falls into.

    Arguments: A table with one column of numbers that are there; public edges that rise.

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[int]: d_in
        x in Records[float, InsertDelete] -> Records[int, InsertDelete]: d_in
        x in Records[float, ChangeOne] of 4 -> Records[int, ChangeOne] of 4: d_in
        x in Records[float, Hamming] of 4 -> Records[int, Hamming] of 4: d_in

    One call: dp.find_bin(x, (0, 1, 2.5))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def flatten(
    m: Any,
) -> Any:
    """The entries of a matrix, row by row, as one vector.

    Arguments: A private matrix to the vector of its rows * cols entries.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Vector[Real, L1] of 12: d_in
        m in Matrix[Real, L1] of 2 x 2 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Data, L1] of 3 x 4 -> Vector[Data, L1] of 12: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Vector[Real, L2] of 12: d_in

    One call: dp.flatten(m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def floor(
    x: Any,
) -> Any:
    """The largest integer at or below x.

    Arguments: A number or a vector; the result is Int.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: ceiling(d_in)
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Int, L1] of 3: ceiling(d_in) + 2

    One call: dp.floor(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def floordiv(
    x: Any,
    y: Any,
) -> Any:
    """X // c with a public divisor.

    Arguments: A private number by a public one; the result is Int.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Int: ceiling(d_in)
        x in Real -> Int: ceiling(d_in)
        x in Int -> Int: ceiling(d_in/3)
        x in Real -> Int: ceiling(d_in/3)

    One call: dp.floordiv(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def fold(
    f: Any,
    init: Any,
    xs: Any,
) -> Any:
    """Acc = f(acc, x) for every entry x of a vector, or of a matrix row by row.

    Arguments: A function of the accumulator and an entry, its initial value, and the entries. The accumulator is a number; `functools.reduce(f, xs, init)` is the same.

    At distance d_in of one argument the result moves by at most:
        init in Real, xs in Vector[Real, L1] of 4 -> Real: d_in
        xs in Matrix[Real, L1] of 2 x 4 -> Real: d_in
        init in Real, xs in Vector[Real, L2] of 4 -> Real: d_in
        xs in Matrix[Real, L2] of 2 x 4 -> Real: 2*d_in

    One call: dp.fold(f, init, xs)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Arguments: Real scalar or vector; `scale`, or one of the groups of targets of `TARGETS`.

    Noise at some public arguments:
        x in Int: sigma 1/2
        x in Vector[Int, L2] of 3: sigma 1/2
        x in Int: sigma 2
        x in Vector[Int, L2] of 3: sigma 2

    One call: dp.gaussian(x, scale=0.5)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def gaussian_mechanism(
    s: float | Fraction,
    eps: float | Fraction,
    delta: float | Fraction,
    x: Any,
) -> Any:
    """`gaussian_mechanism(s, eps, delta, x)`, classical Gaussian noise.

    Arguments: Real scalar or vector in L2; `s` (claimed sensitivity), `eps` and `delta` are public.

    Noise at some public arguments:
        x in Int: sigma 6*sqrt(2)*sqrt(log(125000))
        x in Vector[Int, L2] of 3: sigma 6*sqrt(2)*sqrt(log(125000))

    One call: dp.gaussian_mechanism(3, 0.5, 1e-05, x)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
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

    Noise at some public arguments:
        x in Keyed[str, Int, L02Inf]: scale 1, threshold 6, whole 1
        x in Keyed[str, Int, L02Inf]: scale 4, threshold 41/2, whole 1

    One call: dp.gaussian_threshold(x, 1, 6)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def ge(
    x: Any,
    y: Any,
) -> Any:
    """X >= y, a Bool, or Bools entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.ge(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def gt(
    x: Any,
    y: Any,
) -> Any:
    """X > y, a Bool, or Bools entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.gt(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Arguments: Single-column records, or a vector of discrete entries; public categories, or edges.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Vector[Int, L1] of 3: d_in
        x in Records[int, InsertDelete] -> Vector[Int, L1] of 3: d_in
        x in Records[int, ChangeOne] of 4 -> Vector[Int, L1] of 3: 2*d_in
        x in Records[int, Hamming] of 4 -> Vector[Int, L1] of 3: 2*d_in

    One call: dp.histogram(x, categories=(0, 1, 5))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def identity(
    x: Any,
) -> Any:
    """The value itself.

    Arguments: Any private value.

    At distance d_in of one argument the result moves by at most:
        x in Records[int | None] -> Records[int | None]: d_in
        x in Records[int | None, InsertDelete] -> Records[int | None, InsertDelete]: d_in
        x in Records[int | None, ChangeOne] of 4 -> Records[int | None, ChangeOne] of 4: d_in
        x in Records[int | None, Hamming] of 4 -> Records[int | None, Hamming] of 4: d_in

    One call: dp.identity(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def impute(
    x: Any,
    constant: Any,
) -> Any:
    """A public constant in place of missing rows.

    Arguments: A table with one column; a public value of its type. Rows that cannot be missing stay.

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[float]: d_in
        x in Records[float | None, InsertDelete] -> Records[float, InsertDelete]: d_in
        x in Records[float | None, ChangeOne] of 4 -> Records[float, ChangeOne] of 4: d_in
        x in Records[float | None, Hamming] of 4 -> Records[float, Hamming] of 4: d_in

    One call: dp.impute(x, 0.5)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def impute_uniform(
    x: Any,
    lower: Any,
    upper: Any,
) -> Any:
    """Missing rows become numbers spread evenly over [lower, upper].

    Arguments: A table with one column of floats that may be missing; public finite bounds.

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[float]: d_in
        x in Records[float | None, InsertDelete] -> Records[float]: d_in
        x in Records[float | None, ChangeOne] of 4 -> Records[float, ChangeOne] of 4: d_in
        x in Records[float | None, Hamming] of 4 -> Records[float, ChangeOne] of 4: d_in

    One call: dp.impute_uniform(x, -1, 2.5)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def index(
    x: Any,
    i: Any,
) -> Any:
    """X[i], an entry of a vector, a row of a matrix, a record of a table of public length.

    Arguments: A container and one public or private whole position.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 3 -> Real: d_in
        x in Vector[Data, L1] of 3 -> Data: 1
        x in Matrix[Real, L1] of 2 x 2 -> Vector[Real, L1] of 2: d_in
        x in Matrix[Data, L1] of 2 x 2 -> Vector[Data, L1] of 2: d_in

    One call: dp.index(x, 0)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Noise at some public arguments:
        x in Records[int]: scale 2
        x in Records[int, ChangeOne]: scale 2
        x in Records[int]: scale _bound

    One call: dp.interval_quantile(x, 0, 9, 0.25, scale=2)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def is_equal(
    x: Any,
    value: Any,
) -> Any:
    """Whether each row equals a public value.

    Arguments: A table with one column; a public value of the column's type.

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[bool]: d_in
        x in Records[float, InsertDelete] -> Records[bool, InsertDelete]: d_in
        x in Records[float, ChangeOne] of 4 -> Records[bool, ChangeOne] of 4: d_in
        x in Records[float, Hamming] of 4 -> Records[bool, Hamming] of 4: d_in

    One call: dp.is_equal(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def is_missing(
    x: Any,
) -> Any:
    """`x is None`, whether a value that may be missing is.

    Arguments: A private value that may be missing.

    At distance d_in of one argument the result moves by at most:
        x in float | None -> Bool: 1
        x in int | None -> Bool: 1
        x in str | None -> Bool: 1
        x in bool | None -> Bool: 1

    One call: dp.is_missing(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def is_null(
    x: Any,
) -> Any:
    """Whether each row is missing.

    Arguments: A table with one column.

    At distance d_in of one argument the result moves by at most:
        x in Records[float | None] -> Records[bool]: d_in
        x in Records[float | None, InsertDelete] -> Records[bool, InsertDelete]: d_in
        x in Records[float | None, ChangeOne] of 4 -> Records[bool, ChangeOne] of 4: d_in
        x in Records[float | None, Hamming] of 4 -> Records[bool, Hamming] of 4: d_in

    One call: dp.is_null(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def join(
    a: Any,
    b: Any,
    key_a: Any,
    key_b: Any,
    multiplicity: int,
) -> Any:
    """The pairs of rows of two tables that have one key, at most k rows of each table per key.

    Arguments: Two tables, the key of a row of each, and how many rows of each table a key may have.

    At distance d_in of one argument the result moves by at most:
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 2*d_in
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 4*d_in
        a in Records[int], b in Records[int] -> Records[tuple[int, int]]: 6*d_in

    One call: dp.join(a, b, f, f, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def laplace(
    x: Any,
    *,
    scale: float | Fraction | None = ...,
    epsilon: float | Fraction | None = ...,
) -> Any:
    """Adds Laplace noise to a real number, or to every entry of a vector.

    Arguments: Real scalar or vector; exactly one of `scale` (public) and `epsilon` (target).

    Noise at some public arguments:
        x in Int: scale 1/3
        x in Vector[Int, L1] of 3: scale 1/3
        x in Int: scale 1
        x in Vector[Int, L1] of 3: scale 1

    One call: dp.laplace(x, scale=0.3333333333333333)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
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

    Noise at some public arguments:
        x in Keyed[str, Int, L01Inf]: scale 1, threshold 9, whole 1
        x in Keyed[str, Int, L01Inf]: scale 2, threshold 61/2, whole 1

    One call: dp.laplace_threshold(x, 1, 9)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def laplacian_mechanism(
    s: float | Fraction,
    eps: float | Fraction,
    x: Any,
) -> Any:
    """`laplacian_mechanism(s, eps, x)`, Laplace noise of a claimed sensitivity.

    Arguments: Real scalar or vector in L1; `s` (claimed sensitivity) and `eps` are public.

    Noise at some public arguments:
        x in Int: scale 2
        x in Int: scale 5/3

    One call: dp.laplacian_mechanism(1, 0.5, x)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def le(
    x: Any,
    y: Any,
) -> Any:
    """X <= y, a Bool, or Bools entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.le(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def len(
    x: Any,
) -> Any:
    """The number of entries or rows.

    Arguments: A container of public size gives a public number, rows that come and go a private count.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Int: d_in
        x in Records[int, InsertDelete] -> Int: d_in
        x in Vector[Real, L2] of 3 -> None
        x in Data -> Data: 1

    One call: dp.len(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def log(
    x: Any,
) -> Any:
    """The natural logarithm of a number with a positive lower bound.

    Arguments: A number or container with a positive lower bound.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in/1000
        x in Real -> Real: oo
        x in Vector[Real, L1] of 2 -> Vector[Real, L1] of 2: d_in/1000
        x in Vector[Real, L2] of 2 -> Vector[Real, L2] of 2: d_in/1000

    One call: dp.log(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def logical_and(
    x: Any,
    y: Any,
) -> Any:
    """`and` on private Booleans.

    Arguments: Private Booleans, or one and a public value.

    At distance d_in of one argument the result moves by at most:
        x in Bool, y in Bool -> Bool: 1
        x in Bool -> Bool: 1
        x in Bool -> Bool: 0

    One call: dp.logical_and(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def logical_not(
    x: Any,
) -> Any:
    """`not` on private Booleans.

    Arguments: Private Booleans.

    At distance d_in of one argument the result moves by at most:
        x in Bool -> Bool: 1
        x in Data -> Bool: 1

    One call: dp.logical_not(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def logical_or(
    x: Any,
    y: Any,
) -> Any:
    """`or` on private Booleans.

    Arguments: Private Booleans, or one and a public value.

    At distance d_in of one argument the result moves by at most:
        x in Bool, y in Bool -> Bool: 1
        x in Bool -> Bool: 1
        x in Bool -> Bool: 0

    One call: dp.logical_or(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        theta in Vector[Real, L2] of 2, rows in Matrix[Data, L2] of 3 x 3 -> Vector[Real, L2] of 2: d_in/2 + sqrt(2)/68719476736
        theta in Vector[Real, L2] of 2, rows in Matrix[Data, L2] of 3 x 3 -> Vector[Real, L2] of 2: 8*d_in/5 + 5*sqrt(2)/34359738368
        rows in Matrix[Data, LInf] of 3 x 3 -> Vector[Real, L2] of 2: 2*Min(1/2, d_in/6)
        rows in Matrix[Data, LInf] of 3 x 3 -> Vector[Real, L2] of 2: 2*Min(1, d_in/3)

    One call: dp.logistic_step(theta, rows, 1, 0.5)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def logsumexp(
    x: Any,
) -> Any:
    """Log(sum of e^x_i) of a vector, a smooth maximum.

    Arguments: A private vector of at least one number.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 3 -> Real: d_in
        x in Vector[Real, L1] of 2 -> Real: d_in
        x in Vector[Real, L2] of 3 -> Real: d_in
        x in Vector[Real, L2] of 2 -> Real: d_in

    One call: dp.logsumexp(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def lookup(
    x: Any,
    categories: Any,
    null: Any,
) -> Any:
    """The public value at the position that each row holds; `null` beyond the list.

    Arguments: A table with one column of integers; public values of one type.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Records[str]: d_in
        x in Records[int, InsertDelete] -> Records[str, InsertDelete]: d_in
        x in Records[int, ChangeOne] of 4 -> Records[str, ChangeOne] of 4: d_in
        x in Records[int, Hamming] of 4 -> Records[str, Hamming] of 4: d_in

    One call: dp.lookup(x, ('a', 'b', 'c'), '')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def lt(
    x: Any,
    y: Any,
) -> Any:
    """X < y, a Bool, or Bools entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.lt(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

@overload
def map(
    f: Any,
    xs: Any,
) -> Any:
    """Applies one function to every entry of a vector, or to every row of a table.

    Arguments: A deterministic function, and a vector or table.

    At distance d_in of one argument the result moves by at most:
        xs in Vector[Real, L1] of 4 -> Vector[Real, L1] of 4: 2*d_in
        xs in Vector[Data, L1] of 4 -> Vector[Bool, L1] of 4: d_in
        xs in Vector[Int, L1] of 4 -> Vector[Bool, L1] of 4: d_in
        xs in Vector[Real, L2] of 4 -> Vector[Real, L2] of 4: 2*d_in

    One call: dp.map(f, xs)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        xs in Vector[Real, L1] of 3, ys in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: 2*d_in
        xs in Vector[Data, L1] of 3, ys in Vector[Data, L1] of 3 -> Vector[Int, L1] of 3: d_in
        xs in Vector[Real, L2] of 3, ys in Vector[Real, L2] of 3 -> Vector[Real, L2] of 3: 2*d_in
        xs in Vector[Data, L2] of 3, ys in Vector[Data, L2] of 3 -> Vector[Int, L2] of 3: d_in

    One call: dp.map2(f, xs, ys)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def map2(
    f: Any,
    xs: Any,
    ys: Any,
) -> Any:
    """Applies a function of two numbers to the entries of two vectors.

    Arguments: Two private vectors of one size, and a function from numbers to numbers.

    At distance d_in of one argument the result moves by at most:
        xs in Vector[Real, L1] of 3, ys in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: 2*d_in
        xs in Vector[Data, L1] of 3, ys in Vector[Data, L1] of 3 -> Vector[Int, L1] of 3: d_in
        xs in Vector[Real, L2] of 3, ys in Vector[Real, L2] of 3 -> Vector[Real, L2] of 3: 2*d_in
        xs in Vector[Data, L2] of 3, ys in Vector[Data, L2] of 3 -> Vector[Int, L2] of 3: d_in

    One call: dp.map2(f, xs, ys)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

@overload
def map_cols(
    f: Any,
    m: Any,
) -> Any:
    """Applies one function to every column of a matrix.

    Arguments: A function from columns to vectors of public size, or to numbers.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 4 x 4 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Real, L1] of 3 x 4 -> Matrix[Real, L1] of 3 x 4: 2*d_in
        m in Matrix[Data, L1] of 3 x 4 -> Vector[Int, L1] of 4: d_in
        m in Matrix[Real, L2] of 4 x 4 -> Vector[Real, L1] of 4: 4*d_in

    One call: dp.map_cols(f, m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 4 x 4, n in Matrix[Real, L1] of 4 x 4 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Real, L1] of 4 x 4, n in Matrix[Real, L1] of 4 x 4 -> Matrix[Real, L1] of 8 x 4: 2*d_in

    One call: dp.map_cols2(f, m, n)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def map_cols2(
    f: Any,
    m: Any,
    n: Any,
) -> Any:
    """Applies a function of two columns to the columns of two matrices.

    Arguments: Two private matrices with as many columns, and a function to vectors or numbers.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 4 x 4, n in Matrix[Real, L1] of 4 x 4 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Real, L1] of 4 x 4, n in Matrix[Real, L1] of 4 x 4 -> Matrix[Real, L1] of 8 x 4: 2*d_in

    One call: dp.map_cols2(f, m, n)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

@overload
def map_rows(
    f: Any,
    m: Any,
) -> Any:
    """Applies one function to every row of a matrix.

    Arguments: Function from rows to vectors of public size (or to scalars: a vector in L1 results).

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 2 -> Matrix[Real, L1] of 3 x 2: 2*d_in
        m in Matrix[Real, L2] of 3 x 2 -> Vector[Real, L1] of 3: sqrt(2)*d_in

    One call: dp.map_rows(f, m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 2, n in Matrix[Real, L1] of 3 x 2 -> Matrix[Real, L1] of 3 x 2: 2*d_in
        m in Matrix[Data, LInf] of 3 x 2, n in Matrix[Data, LInf] of 3 x 2 -> Vector[Int, L1] of 3: d_in

    One call: dp.map_rows2(f, m, n)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def map_rows2(
    f: Any,
    m: Any,
    n: Any,
) -> Any:
    """Applies a function of two rows to the rows of two matrices.

    Arguments: Two private matrices with as many rows, and a function to vectors or numbers.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 2, n in Matrix[Real, L1] of 3 x 2 -> Matrix[Real, L1] of 3 x 2: 2*d_in
        m in Matrix[Data, LInf] of 3 x 2, n in Matrix[Data, LInf] of 3 x 2 -> Vector[Int, L1] of 3: d_in

    One call: dp.map_rows2(f, m, n)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def matmul(
    x: Any,
    y: Any,
) -> Any:
    """The product with a public matrix or vector on either side, `x @ y`.

    Arguments: One operand is a private real vector or matrix; the other is public and known.

    At distance d_in of one argument the result moves by at most:
        x in Matrix[Real, L1] of 2 x 3 -> Matrix[Real, L1] of 2 x 2: 7*d_in/2
        y in Matrix[Real, L1] of 2 x 3 -> Matrix[Real, L1] of 3 x 3: 4*d_in
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 2: 7*d_in/2
        x in Vector[Real, L1] of 3 -> Real: 4*d_in

    One call: dp.matmul(x, ((1, -2), (3, 0.5), (0, 1)))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def max(
    *xs: Any,
    default: Any = ...,
) -> Any:
    """The largest of several numbers, or of the entries of a vector.

    Arguments: Several numbers, or one vector or table; `default` is public, and that of an empty table.

    One call: dp.max(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def maximum(
    x: Any,
    y: Any,
) -> Any:
    """The larger of two values, for numbers or entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Vector[Real, L1] of 3, y in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in

    One call: dp.maximum(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def mean(
    x: Any,
    empty: Any = ...,
    at_least: Any = ...,
) -> Any:
    """The mean of the entries of a vector, or of the rows of a table.

    Arguments: Scalar mean of a vector or of single-column records; `empty` and `at_least` are public.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 4 -> Real: d_in/4
        x in Vector[Real, L2] of 4 -> Real: d_in/2
        x in Vector[Real, LInf] of 4 -> Real: d_in
        x in Records[float, ChangeOne] of 3 -> Real: 8*d_in/3

    One call: dp.mean(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def min(
    *xs: Any,
    default: Any = ...,
) -> Any:
    """The smallest of several numbers, or of the entries of a vector.

    Arguments: Several numbers, or one vector or table; `default` is public, and that of an empty table.

    One call: dp.min(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def minimum(
    x: Any,
    y: Any,
) -> Any:
    """The smaller of two values, for numbers or entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Vector[Real, L1] of 3, y in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in

    One call: dp.minimum(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def mod(
    x: Any,
    y: Any,
) -> Any:
    """X % c with a public whole divisor.

    Arguments: A private integer by a public one.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Int: 0
        x in Int -> Int: 1
        x in Int -> Int: 6
        x in Int -> Int: 2

    One call: dp.mod(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def mul(
    x: Any,
    y: Any,
) -> Any:
    """X * y, for numbers, or entry by entry.

    Arguments: A public factor, or two private factors with bounds.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: 7*d_in/2
        y in Int -> Int: 3*d_in
        x in Real -> Real: 0
        x in Real, y in Real -> Real: 1000*d_in

    One call: dp.mul(x, -3.5)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def ne(
    x: Any,
    y: Any,
) -> Any:
    """X != y, a Bool, or Bools entry by entry.

    At distance d_in of one argument the result moves by at most:
        x in Int -> Bool: 1
        x in Data -> Bool: 1
        x in Bool -> Bool: 1
        x in date -> Bool: 1

    One call: dp.ne(x, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def neg(
    x: Any,
) -> Any:
    """-x, for a number or for every entry of a vector or matrix.

    Arguments: A number or a container of numbers.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Bool -> Int: d_in
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in

    One call: dp.neg(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def norm(
    x: Any,
    norm: Any = ...,
) -> Any:
    """The L1, L2 or LInf norm of a vector; the Frobenius norm of a matrix.

    Arguments: A private vector and a norm: L1, L2, LInf, 1, 2 or infinity; a matrix with L2 or "fro" only. The orders 1, 2 and infinity of a matrix are operator norms in NumPy, and have no rule.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 4 -> Real: d_in
        x in Matrix[Real, L1] of 3 x 4 -> Real: d_in
        x in Vector[Real, L1] of 2 -> Real: d_in
        x in Matrix[Real, L1] of 2 x 2 -> Real: d_in

    One call: dp.norm(x, norm=dp.L1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def norm_convert(
    x: Any,
    norm: Any,
) -> Any:
    """The same value, measured in another norm.

    Arguments: A vector, gradient or matrix, and a norm; also with the norm first.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 4 -> Vector[Real, L1] of 4: d_in
        x in Vector[Data, L1] of 4 -> Vector[Data, L1] of 4: d_in
        x in Matrix[Data, L1] of 4 x 4 -> Matrix[Data, L1] of 4 x 4: d_in
        x in Vector[Real, L1] of 4 -> Vector[Real, L2] of 4

    One call: dp.norm_convert(x, dp.L1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def one_hot(
    i: Any,
    size: int,
    x: Any = ...,
) -> Any:
    """The vector that holds a number at one position, and 0 everywhere else.

    Arguments: A whole position, a public number of entries, and a number.

    At distance d_in of one argument the result moves by at most:
        i in Int -> Vector[Int, L1] of 3: 6
        x in Real -> Vector[Real, L1] of 3: d_in
        i in Int, x in Real -> Vector[Real, L1] of 3: 6
        x in Data -> Vector[Int, L1] of 2: 3

    One call: dp.one_hot(i, 3, x=3)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def ordered(
    x: Any,
) -> Any:
    """The rows in a public order that depends on their values only and looks random.

    Arguments: A table with one column under the symmetric or the change-one distance.

    At distance d_in of one argument the result moves by at most:
        x in Records[int] -> Records[int, InsertDelete]: d_in
        x in Records[int, ChangeOne] of 4 -> Records[int, Hamming] of 4: 4
        x in Records[str | None] -> Records[str | None, InsertDelete]: d_in
        x in Records[str | None, ChangeOne] of 4 -> Records[str | None, Hamming] of 4: 4

    One call: dp.ordered(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def outer(
    x: Any,
) -> Any:
    """X x^T of one vector, flattened row by row into n^2 entries.

    Arguments: A private vector of numbers in a ball.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L2] of 3 -> Vector[Real, L2] of 9: Min(d_in, sqrt(2)/4)
        x in Vector[Real, L1] of 3 -> Vector[Real, L2] of 9
        x in Vector[Real, L2] of 2 -> Vector[Real, L2] of 4: Min(1000000000000*sqrt(2), 2000000*d_in)
        x in Vector[Real, L2] of 2 -> Vector[Real, L2] of 4: oo

    One call: dp.outer(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def outer_product(
    x: Any,
    y: Any,
) -> Any:
    """X y^T of two vectors, an array with a row for each entry of x.

    Arguments: Two vectors of numbers, at least one of them private.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L2] of 2, y in Vector[Real, L1] of 3 -> Gradient[Real, L2] of 6: sqrt(3)*d_in
        x in Vector[Int, LInf] of 2, y in Vector[Real, L2] of 2 -> Gradient[Real, L2] of 4
        x in Vector[Real, L2] of 2, y in Vector[Real, L2] of 2 -> Gradient[Real, L2] of 4: 2*d_in

    One call: dp.outer_product(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def parallel_private_fold_rows(
    f: Any,
    init: Any,
    m: Any,
    n: Any,
) -> Any:
    """Acc = f(acc, row_m, row_n) over the rows of two aligned containers.

    Arguments: A deterministic round: `f` summarises the accumulator and one row of each container.

    At distance d_in of one argument the result moves by at most:
        init in Real, m in Vector[Real, L1] of 3, n in Vector[Real, L1] of 3 -> Real: d_in
        init in Real, m in Vector[Real, L1] of 3, n in Vector[Real, L1] of 3 -> Real: 8*d_in

    One call: dp.parallel_private_fold_rows(f, init, m, n)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def partition(
    records: Any,
    key: Any,
    keys: Any,
) -> Any:
    """One part of a table per public key; rows with none of the keys are left out.

    Arguments: A table, a deterministic function of one row, and the public keys.

    At distance d_in of one argument the result moves by at most:
        records in Records[int] -> parts of Records[int] of 3: d_in
        records in Records[int, InsertDelete] -> parts of Records[int, InsertDelete] of 3: d_in
        records in Records[int] -> parts of Records[int] of 1: d_in
        records in Records[int, InsertDelete] -> parts of Records[int, InsertDelete] of 1: d_in

    One call: dp.partition(records, f, (0, 1, 5))

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Arguments: `score` is the vector of the candidates' scores; one of `scale` (T) and `epsilon`.

    Noise at some public arguments:
        score in Vector[Int, LInf] of 3: scale 1/3
        score in Vector[Int, LInf] of 3: scale 4
        score in Vector[Int, LInf] of 3: scale 8*_bound/3
        score in Vector[Int, LInf] of 3: scale 4*_bound/3

    One call: dp.permute_and_flip(score=score, scale=0.3333333333333333)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def power(
    x: Any,
    k: Any,
) -> Any:
    """X ** k with a public exponent k = 0, 1, 2, ...

    Arguments: A private base; the exponent is a public whole number >= 0.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: 2000*d_in
        x in Real -> Real: 3000000*d_in
        x in Int -> Int: 6000*d_in
        x in Real -> Real: d_in

    One call: dp.power(x, 2)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Noise at some public arguments:
        x in Records[int]: scale 2
        x in Records[int, ChangeOne]: scale 2
        x in Records[int]: scale _bound

    One call: dp.private_quantile(x, (5, 6, 10), 0.25, scale=2, by='permute_and_flip')

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def quantile_scores(
    x: Any,
    candidates: Any,
    alpha: Any,
    scale: float | Fraction | None = ...,
) -> Any:
    """How far each public candidate is from being the alpha-quantile of the rows.

    Arguments: Single-column numeric records, public candidates, alpha in [0, 1], a public unit.

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Vector[Real, LInf] of 2: d_in/2
        x in Records[float, InsertDelete] -> Vector[Real, LInf] of 2: 3*d_in/4
        x in Records[int] -> Vector[Int, LInf] of 3: 3*d_in
        x in Records[float, ChangeOne] of 6 -> Vector[Real, LInf] of 2: d_in

    One call: dp.quantile_scores(x, (0, 1), 0.5)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Noise at some public arguments:
        x in Bool: epsilon 1/4, answers 2
        x in Data: epsilon 1/4, answers 3
        x in Bool: epsilon 3, answers 2
        x in Data: epsilon 3, answers 3

    One call: dp.randomized_response(x, epsilon=0.25)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def randomized_response_bits(
    x: Any,
    *,
    f: Any,
) -> Any:
    """Every bit of a list is told, or turned with probability f / 2.

    Arguments: A vector of Booleans; `f` is public, 0 < f <= 1: twice the chance that a bit is turned.

    Noise at some public arguments:
        x in Vector[Bool, L1] of 4: f 1/2
        x in Vector[Bool, L1] of 4: f 9/10

    One call: dp.randomized_response_bits(x, 0.5)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
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

    Noise at some public arguments:
        x in Bool: prob 3/4, k 2
        x in Data: prob 3/4, k 3
        x in Bool: prob 1/5, k 2
        x in Data: prob 1/5, k 3

    One call: dp.randomized_response_kept(x, 0.75)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def reduce_cols(
    f: Any,
    m: Any,
) -> Any:
    """A function of every column, which it is given as a matrix of one column.

    Arguments: A function from one-column matrices to numbers, which adds no noise.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Data, L1] of 3 x 4 -> Vector[Int, L1] of 4: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Vector[Real, L1] of 4: 2*d_in
        m in Matrix[Data, L2] of 3 x 4 -> Vector[Int, L1] of 4: 2*d_in

    One call: dp.reduce_cols(f, m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def relu(
    x: Any,
) -> Any:
    """Max(x, 0), of a number or of every entry.

    Arguments: A number or a container of numbers.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in

    One call: dp.relu(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Noise at some public arguments:
        scores in Vector[Int, LInf] of 3: scale 1/3
        scores in Vector[Int, LInf] of 3: scale 1
        scores in Vector[Int, LInf] of 3: scale 6
        scores in Vector[Int, LInf] of 3: scale 8*_bound/3

    One call: dp.report_noisy_max(scores, scale=0.3333333333333333)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def resize(
    x: Any,
    size: int,
    constant: Any,
) -> Any:
    """A table of exactly `size` rows: rows are dropped, or a constant is appended.

    Arguments: A table with one column, a public number of rows, a public row to fill up with.

    At distance d_in of one argument the result moves by at most:
        x in Records[float] -> Records[float, ChangeOne] of 3: d_in
        x in Records[float] -> Records[float, ChangeOne] of 6: d_in
        x in Records[int] -> Records[int, ChangeOne] of 3: d_in
        x in Records[int] -> Records[int, ChangeOne] of 6: d_in

    One call: dp.resize(x, 3, 7)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def reveal(
    x: Any,
) -> Any:
    """The value itself; check says its space and bound, and nothing happens when it runs.

    Arguments: Any one value.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Vector[Real, L2] of 3 -> Vector[Real, L2] of 3: d_in
        x in Data -> Data: d_in
        x in Vector[Data, L1] of 3 -> Vector[Data, L1] of 3: d_in

    One call: dp.reveal(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        theta in Vector[Real, L2] of 2, rows in Matrix[Data, L2] of 3 x 3 -> Vector[Real, L2] of 2: d_in/2
        theta in Vector[Real, L2] of 2, rows in Matrix[Data, L2] of 3 x 3 -> Vector[Real, L2] of 2: 203*d_in/100
        rows in Matrix[Data, LInf] of 3 x 3 -> Vector[Real, L2] of 2: 3*sqrt(3)*Min(1/2, d_in/6)/2
        rows in Matrix[Data, LInf] of 3 x 3 -> Vector[Real, L2] of 2: 2*Min(1/2, d_in/6)*sqrt(1 - 400/(3*sqrt(89) + 1)**2) + 400*Min(1/2, d_in/6)*sqrt(1 - 400/(3*sqrt(89) + 1)**2)/(3*sqrt(89) + 1)

    One call: dp.ridge_step(theta, rows, 1, 0.5, 4)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def round(
    x: Any,
) -> Any:
    """The nearest integer, halves to the even one, as Python and NumPy do.

    Arguments: A number or a vector; the result is Int.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: floor(d_in) + 1
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Int, L1] of 3: ceiling(d_in) + 2

    One call: dp.round(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def row(
    m: Any,
    i: Any,
) -> Any:
    """One row of a matrix, at a public or private index.

    Arguments: The row `m[i]`; a public negative index counts from the end.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Data, L1] of 3 x 2 -> Vector[Data, L1] of 2: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Vector[Real, L2] of 4: d_in
        m in Matrix[Data, L2] of 3 x 2 -> Vector[Data, L2] of 2: d_in

    One call: dp.row(m, 1)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def row_to_vec(
    m: Any,
) -> Any:
    """A matrix of one row as a vector.

    Arguments: A private matrix; that it has one row is required.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 1 x 3 -> Vector[Real, L1] of 3: d_in
        m in Matrix[Data, L1] of 1 x 4 -> Vector[Data, L1] of 4: d_in
        m in Matrix[Real, L2] of 1 x 3 -> Vector[Real, L2] of 3: d_in
        m in Matrix[Data, L2] of 1 x 4 -> Vector[Data, L2] of 4: d_in

    One call: dp.row_to_vec(m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def scale_gradient(
    x: Any,
    y: Any,
) -> Any:
    """A gradient times a number.

    Arguments: The factor first, then the gradient.

    At distance d_in of one argument the result moves by at most:
        y in Gradient[Real, L1] of 3 -> Gradient[Real, L1] of 3: 7*d_in/2
        x in Real, y in Gradient[Real, L1] of 3 -> Gradient[Real, L1] of 3: 2*d_in
        y in Gradient[Data, L1] of 4 -> Gradient[Data, L1] of 4: d_in
        y in Gradient[Real, L2] of 3 -> Gradient[Real, L2] of 3: 7*d_in/2

    One call: dp.scale_gradient(-3.5, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def select_column(
    x: Any,
    name: Any,
    to: Any,
) -> Any:
    """The cell of one public name in every row, in a public type.

    Arguments: Rows by name; a public name; `to` as for `cast`.

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[str]: d_in
        x in Records[Named, InsertDelete] -> Records[str, InsertDelete]: d_in
        x in Records[Named, ChangeOne] of 4 -> Records[str, ChangeOne] of 4: d_in
        x in Records[Named, Hamming] of 4 -> Records[str, Hamming] of 4: d_in

    One call: dp.select_column(x, 'a', 'str')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sigmoid(
    x: Any,
) -> Any:
    """1/(1 + e^-x), of a number or of every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in/4
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in/4
        x in Vector[Data, L1] of 3 -> Vector[Data, L1] of 3: d_in

    One call: dp.sigmoid(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sin(
    x: Any,
) -> Any:
    """The sine, of a number or of every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Data, L1] of 3 -> Vector[Data, L1] of 3: d_in

    One call: dp.sin(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def size(
    x: Any,
    axis: Any = ...,
) -> Any:
    """The public number of entries of a container, or its length along one axis.

    Arguments: Of a matrix: rows * cols, rows with axis 0, cols with axis 1.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L2] of 3 -> None
        x in Matrix[Data, LInf] of 3 x 2 -> None

    One call: dp.size(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def slice(
    x: Any,
    start: Any,
    stop: Any,
    step: Any,
) -> Any:
    """Some entries of a vector, some rows of a matrix, or a part of a text, between public ends.

    Arguments: A private vector or matrix and public ends; `...` stands for an end that is left out.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 2: d_in
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Data, L1] of 4 -> Vector[Data, L1] of 4: d_in
        x in Vector[Int, L1] of 3 -> Vector[Int, L1] of 2: d_in

    One call: dp.slice(x, Ellipsis, 2, Ellipsis)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 2 x 3 -> Matrix[Real, L1] of 2 x 2: d_in
        m in Matrix[Data, L1] of 2 x 3 -> Matrix[Data, L1] of 2 x 1: d_in
        m in Matrix[Int, L1] of 2 x 2 -> Matrix[Int, L1] of 2 x 1: d_in
        m in Matrix[Real, L2] of 2 x 3 -> Matrix[Real, L2] of 2 x 2: d_in

    One call: dp.slice_cols(m, Ellipsis, 2, Ellipsis)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def softmax(
    x: Any,
) -> Any:
    """E^x_i / sum of e^x_j; the entries of the result are nonnegative with sum 1.

    Arguments: A private vector of numbers to probabilities of the same size.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 2 -> Vector[Real, L1] of 2: d_in/2
        x in Vector[Real, L2] of 2 -> Vector[Real, L2] of 2: d_in/2
        x in Vector[Real, LInf] of 2 -> Vector[Real, LInf] of 2: d_in/2

    One call: dp.softmax(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def softplus(
    x: Any,
) -> Any:
    """Log(1 + e^x), of a number or of every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Data, L1] of 3 -> Vector[Data, L1] of 3: d_in

    One call: dp.softplus(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sort(
    x: Any,
) -> Any:
    """The entries in rising order.

    Arguments: A private vector.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Int, L1] of 3 -> Vector[Int, L1] of 3: d_in
        x in Vector[Data, L1] of 4 -> Vector[Data, L1] of 4: 4
        x in Vector[Real, L2] of 3 -> Vector[Real, L2] of 3: d_in

    One call: dp.sort(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def split_lines(
    x: Any,
) -> Any:
    """The lines of a text as the rows of a table.

    Arguments: A text under the symmetric distance of its lines.

    At distance d_in of one argument the result moves by at most:
        x in Lines -> Records[str]: d_in

    One call: dp.split_lines(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def split_records(
    x: Any,
    separator: str,
) -> Any:
    """Every line cut into cells at a separator, spaces around them left out.

    Arguments: A table with one column of texts; a separator that is not empty.

    At distance d_in of one argument the result moves by at most:
        x in Records[str] -> Records[Cells]: d_in
        x in Records[str, InsertDelete] -> Records[Cells, InsertDelete]: d_in
        x in Records[str, ChangeOne] of 4 -> Records[Cells, ChangeOne] of 4: d_in
        x in Records[str, Hamming] of 4 -> Records[Cells, Hamming] of 4: d_in

    One call: dp.split_records(x, 'b')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sqrt(
    x: Any,
) -> Any:
    """The square root; of negative numbers 0, so that it is total.

    Arguments: A number, or a container whose entries keep away from 0.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: sqrt(d_in)
        x in Real -> Real: Min(1, sqrt(d_in)/200)*sqrt(d_in)
        x in Data -> Data: 1
        x in Vector[Real, L1] of 2 -> Vector[Real, L1] of 2: d_in/200

    One call: dp.sqrt(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Noise at some public arguments:
        x in Records[str]: scale 1, threshold 9
        x in Records[str]: scale 3, threshold 40
        x in Records[str, ChangeOne]: scale 1, threshold 9
        x in Records[str, ChangeOne]: scale 3, threshold 40

    One call: dp.stable_histogram(x, scale=1, threshold=9)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
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

    Arguments: An integer scalar; public `epsilon` > 0, `sensitivity` and `stair`.

    Noise at some public arguments:
        x in Int: sensitivity ceiling(_bound), epsilon 1/2, stair ceiling(ceiling(_bound)/(exp(1/4) + 1))
        x in Int: sensitivity 2, epsilon 3, stair 1
        x in Int: sensitivity 2, epsilon 1, stair 1
        x in Int: sensitivity 2, epsilon 1, stair 2

    One call: dp.staircase(x, 0.5)

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def sub(
    x: Any,
    y: Any,
) -> Any:
    """X - y, for numbers, vectors and matrices of one shape.

    Arguments: Two numbers, two containers of one shape, or a number subtracted from every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real, y in Real -> Real: d_in
        y in Real -> Real: d_in
        x in Int -> Int: d_in
        x in Vector[Real, L1] of 3, y in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in

    One call: dp.sub(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def subset_by(
    x: Any,
    indicator: Any,
    keep: Any,
) -> Any:
    """The rows in which the cell of a public name is True, with some of their columns.

    Arguments: Rows by name; a public name; the public names of the columns that stay.

    At distance d_in of one argument the result moves by at most:
        x in Records[Named] -> Records[Named]: d_in
        x in Records[Named, InsertDelete] -> Records[Named, InsertDelete]: d_in
        x in Records[Named, ChangeOne] of 4 -> Records[Named]: 2*d_in
        x in Records[Named, Hamming] of 4 -> Records[Named, InsertDelete]: 2*d_in

    One call: dp.subset_by(x, 'x', ('a',))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def subtract_gradient(
    x: Any,
    y: Any,
) -> Any:
    """A gradient taken from parameters of its shape, public or private.

    Arguments: Parameters (a private gradient, or public numbers) and a private gradient.

    At distance d_in of one argument the result moves by at most:
        x in Gradient[Real, L1] of 3, y in Gradient[Real, L1] of 3 -> Gradient[Real, L1] of 3: d_in
        y in Gradient[Real, L1] of 3 -> Gradient[Real, L1] of 3: d_in
        x in Gradient[Data, L1] of 3, y in Gradient[Data, L1] of 3 -> Gradient[Data, L1] of 3: d_in
        x in Gradient[Real, L2] of 3, y in Gradient[Real, L2] of 3 -> Gradient[Real, L2] of 3: d_in

    One call: dp.subtract_gradient(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sum(
    x: Any,
) -> Any:
    """The sum of the entries of a vector, or of the rows of a table.

    Arguments: Scalar sum of a vector or array (any norm) or of single-column records.

    At distance d_in of one argument the result moves by at most:
        x in Vector[Real, L1] of 4 -> Real: d_in
        x in Vector[Real, L2] of 4 -> Real: 2*d_in
        x in Vector[Real, LInf] of 4 -> Real: 4*d_in
        x in Records[float] -> Real: 3*d_in

    One call: dp.sum(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sum_cols(
    m: Any,
) -> Any:
    """Adds up the columns of a matrix; the result has one entry per row.

    Arguments: Real or integer matrix to the vector of its row totals.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Vector[Real, L1] of 3: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Vector[Real, L2] of 3: 2*d_in
        m in Matrix[Real, LInf] of 3 x 4 -> Vector[Real, LInf] of 3: 4*d_in
        m in Matrix[Int, L1] of 2 x 2 -> Vector[Int, L1] of 2: d_in

    One call: dp.sum_cols(m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sum_gradients(
    x: Any,
    y: Any,
) -> Any:
    """The sum of two gradients of one shape.

    Arguments: Two private gradients of one shape.

    At distance d_in of one argument the result moves by at most:
        x in Gradient[Real, L1] of 3, y in Gradient[Real, L1] of 3 -> Gradient[Real, L1] of 3: d_in
        x in Gradient[Data, L1] of 3, y in Gradient[Data, L1] of 3 -> Gradient[Data, L1] of 3: d_in
        x in Gradient[Real, L2] of 3, y in Gradient[Real, L2] of 3 -> Gradient[Real, L2] of 3: d_in
        x in Gradient[Data, L2] of 3, y in Gradient[Data, L2] of 3 -> Gradient[Data, L2] of 3: d_in

    One call: dp.sum_gradients(x, y)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sum_of_squared_deviations(
    x: Any,
) -> Any:
    """The sum of (x - mean)^2 over the rows of a table.

    Arguments: Single-column records with bounds.

    At distance d_in of one argument the result moves by at most:
        x in Records[float, ChangeOne] of 6 -> Real: 64*Min(3, d_in) - 32*Min(3, d_in)**2/3
        x in Records[float, Hamming] of 5 -> Real: 64*Min(2, d_in) - 64*Min(2, d_in)**2/5
        x in Records[float] -> Real: 64*d_in
        x in Records[float, InsertDelete] -> Real: 64*d_in

    One call: dp.sum_of_squared_deviations(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def sum_rows(
    m: Any,
) -> Any:
    """Adds up the rows of a matrix; the result has one entry per column.

    Arguments: Real or integer matrix to the vector of its column totals.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Vector[Real, L1] of 4: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Vector[Real, L2] of 4: d_in
        m in Matrix[Real, LInf] of 3 x 4 -> Vector[Real, LInf] of 4: d_in
        m in Matrix[Int, L1] of 2 x 2 -> Vector[Int, L1] of 2: d_in

    One call: dp.sum_rows(m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def tanh(
    x: Any,
) -> Any:
    """The hyperbolic tangent, of a number or of every entry.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Real: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Real, L1] of 3: d_in
        x in Vector[Data, L1] of 3 -> Vector[Data, L1] of 3: d_in

    One call: dp.tanh(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    At distance d_in of one argument the result moves by at most:
        x in Data -> Data: 1
        x in Data -> Bool: 1
        x in Data -> Cells: 1

    One call: dp.text_method(x, 'lower')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def time_between(
    x: Any,
    y: Any,
) -> Any:
    """`end - start` of two dates, or of two dates with times.

    Arguments: Two of one kind, of which one is private.

    At distance d_in of one argument the result moves by at most:
        x in date -> timedelta: 1
        y in date -> timedelta: 1
        x in date, y in date -> timedelta: 1
        x in datetime -> timedelta: 1

    One call: dp.time_between(x, datetime.date(1997, 5, 19))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def time_earlier(
    x: Any,
    by: Any,
) -> Any:
    """`day - timedelta(days=7)`: another date, or date with a time.

    Arguments: A date, or one with a time, and what is subtracted from it.

    At distance d_in of one argument the result moves by at most:
        x in date -> date: 1
        by in timedelta -> date: 1
        x in date, by in timedelta -> date: 1
        x in datetime -> datetime: 1

    One call: dp.time_earlier(x, datetime.timedelta(days=30))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def time_later(
    x: Any,
    by: Any,
) -> Any:
    """`day + timedelta(days=7)`, in either order: another date, or date with a time.

    Arguments: A date, or one with a time, and what is added to it, in either order.

    At distance d_in of one argument the result moves by at most:
        x in date -> date: 1
        by in timedelta -> date: 1
        x in date, by in timedelta -> date: 1
        x in datetime -> datetime: 1

    One call: dp.time_later(x, datetime.timedelta(days=30))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def time_part(
    x: Any,
    name: Any,
) -> Any:
    """A part of a date or time, `day.month`, `at.weekday()`, `(a - b).total_seconds()`.

    Arguments: A private date or time, and the name of an attribute or method.

    At distance d_in of one argument the result moves by at most:
        x in date -> Data: 1
        x in datetime -> Data: 1
        x in datetime -> date: 1
        x in timedelta -> Data: 1

    One call: dp.time_part(x, 'year')

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def time_quotient(
    x: Any,
    size: int,
) -> Any:
    """`(end - start) // timedelta(hours=1)`, how often, in whole numbers.

    Arguments: A private time between two, and a public one.

    At distance d_in of one argument the result moves by at most:
        x in timedelta -> Data: 1

    One call: dp.time_quotient(x, datetime.timedelta(seconds=3600))

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def time_ratio(
    x: Any,
    size: int,
) -> Any:
    """`(end - start) / timedelta(hours=1)`, how often a public time goes into one.

    Arguments: A private time between two, and a public one.

    At distance d_in of one argument the result moves by at most:
        x in timedelta -> Data: 1

    One call: dp.time_ratio(x, datetime.timedelta(seconds=3600))

    Called outside a checked function it computes its value on plain data, which protects nobody.
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

    Noise at some public arguments:
        scores in Vector[Int, LInf] of 4: scale 3, k 2
        scores in Vector[Int, LInf] of 4: scale 4*_bound/3, k 2
        scores in Vector[Int, LInf] of 4: scale 4*_bound, k 1

    One call: dp.top_k(scores, 2, scale=3, by='permute_and_flip')

    Raises NotProvedError outside a checked function and off tracked values: no bound is proved there.
    """
    ...

def transpose(
    m: Any,
) -> Any:
    """Rows and columns exchanged.

    Arguments: A private matrix; bounds of rows do not become bounds of columns.

    At distance d_in of one argument the result moves by at most:
        m in Matrix[Real, L1] of 3 x 4 -> Matrix[Real, L1] of 4 x 3: d_in
        m in Matrix[Int, L1] of 2 x 2 -> Matrix[Int, L1] of 2 x 2: d_in
        m in Matrix[Data, L1] of 3 x 4 -> Matrix[Data, L1] of 4 x 3: d_in
        m in Matrix[Real, L2] of 3 x 4 -> Matrix[Real, L2] of 4 x 3: 2*d_in

    One call: dp.transpose(m)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def trunc(
    x: Any,
) -> Any:
    """The integer part of x, towards 0, Python's int(x).

    Arguments: A number or a vector; the result is Int.

    At distance d_in of one argument the result moves by at most:
        x in Real -> Int: ceiling(d_in)
        x in Int -> Int: d_in
        x in Data -> Data: 1
        x in Vector[Real, L1] of 3 -> Vector[Int, L1] of 3: ceiling(d_in) + 2

    One call: dp.trunc(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def unbounded(
    x: Any,
) -> Any:
    """The same rows, whose number is no longer taken as public.

    Arguments: A table under the change-one or the Hamming distance.

    At distance d_in of one argument the result moves by at most:
        x in Records[int, ChangeOne] of 4 -> Records[int]: 2*d_in
        x in Records[int, Hamming] of 4 -> Records[int, InsertDelete]: 2*d_in
        x in Records[float | None, ChangeOne] of 4 -> Records[float | None]: 2*d_in
        x in Records[float | None, Hamming] of 4 -> Records[float | None, InsertDelete]: 2*d_in

    One call: dp.unbounded(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def undisc(
    x: Any,
) -> Any:
    """Discrete values as real numbers.

    Arguments: A discrete number, vector or matrix with bounds; real ones stay as they are.

    At distance d_in of one argument the result moves by at most:
        x in Data -> Real: 8
        x in Data -> Int: 5
        x in Data -> Real: oo
        x in Vector[Data, L1] of 3 -> Vector[Real, L1] of 3: 4

    One call: dp.undisc(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def undisc_container(
    x: Any,
) -> Any:
    """Discrete values as real numbers.

    Arguments: A discrete number, vector or matrix with bounds; real ones stay as they are.

    At distance d_in of one argument the result moves by at most:
        x in Data -> Real: 8
        x in Data -> Int: 5
        x in Data -> Real: oo
        x in Vector[Data, L1] of 3 -> Vector[Real, L1] of 3: 4

    One call: dp.undisc(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def unordered(
    x: Any,
) -> Any:
    """The same rows, whose order is no longer observed.

    Arguments: A table under the insert-delete or the Hamming distance.

    At distance d_in of one argument the result moves by at most:
        x in Records[int, InsertDelete] -> Records[int]: d_in
        x in Records[int, Hamming] of 4 -> Records[int, ChangeOne] of 4: d_in
        x in Records[float | None, InsertDelete] -> Records[float | None]: d_in
        x in Records[float | None, Hamming] of 4 -> Records[float | None, ChangeOne] of 4: d_in

    One call: dp.unordered(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def variance(
    x: Any,
    ddof: int | None = ...,
) -> Any:
    """The sum of squared deviations of the rows over n - ddof.

    Arguments: Single-column records with bounds and a public size; `ddof` is public, 1 by default.

    At distance d_in of one argument the result moves by at most:
        x in Records[float, ChangeOne] of 6 -> Real: 64*Min(3, d_in)/5 - 32*Min(3, d_in)**2/15
        x in Records[float, ChangeOne] of 6 -> Real: 32*Min(3, d_in)/3 - 16*Min(3, d_in)**2/9
        x in Records[float, Hamming] of 5 -> Real: 16*Min(2, d_in) - 16*Min(2, d_in)**2/5
        x in Records[float, Hamming] of 5 -> Real: 64*Min(2, d_in)/5 - 64*Min(2, d_in)**2/25

    One call: dp.variance(x)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def vec_to_row(
    v: Any,
) -> Any:
    """A vector as a matrix of one row.

    Arguments: A private vector of n entries to a 1 x n matrix.

    At distance d_in of one argument the result moves by at most:
        v in Vector[Real, L1] of 3 -> Matrix[Real, L1] of 1 x 3: d_in
        v in Vector[Data, L1] of 4 -> Matrix[Data, L1] of 1 x 4: d_in
        v in Vector[Real, L2] of 3 -> Matrix[Real, L2] of 1 x 3: d_in
        v in Vector[Data, L2] of 4 -> Matrix[Data, L2] of 1 x 4: d_in

    One call: dp.vec_to_row(v)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...

def zero_gradient(
    g: Any,
) -> Any:
    """A gradient of zeros with the shape of another one.

    Arguments: A private gradient, real or discrete.

    At distance d_in of one argument the result moves by at most:
        g in Gradient[Real, L1] of 3 -> Gradient[Real, L1] of 3: 0
        g in Gradient[Data, L1] of 3 -> Gradient[Data, L1] of 3: 0
        g in Gradient[Real, L2] of 3 -> Gradient[Real, L2] of 3: 0
        g in Gradient[Data, L2] of 3 -> Gradient[Data, L2] of 3: 0

    One call: dp.zero_gradient(g)

    Called outside a checked function it computes its value on plain data, which protects nobody.
    """
    ...
