"""DP5xx: Python that check does not read, or reads to be wrong."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="unsupported-syntax",
        id="DP504",
        title="check does not read this Python syntax",
        means="""\
A statement or expression of this kind has no rule.
""",
        why="""\
What is not understood is not proved. Assignments, arithmetic, comparisons, if, for, while
with a public cap, functions, lambdas, tuples, lists and calls are understood.
""",
        rejected="""\
@dp.transformation
async def total(x: Vector[Real, L1]):
    return sum(x)
""",
        mended="""\
@dp.transformation
def total(x: Vector[Real, L1]):
    return sum(x)
""",
    ),
    Code(
        name="unsupported-call",
        id="DP505",
        title="check has no rule for this function",
        means="""\
The function that is called is neither a primitive, nor a supported NumPy or builtin name,
nor a function whose source can be read.
""",
        why="""\
An unknown function can do anything with a private value. Write it out, use a primitive, or
declare it with `@dp.black_box(returns=...)`.
""",
        rejected="""\
import numpy as np

@dp.transformation
def odd(x: Vector[Real, L1]):
    return np.fft.fft(x)
""",
        mended="""\
import numpy as np

@dp.transformation
def total(x: Vector[Real, L1]):
    return np.sum(x)
""",
    ),
    Code(
        name="unsupported-keyword",
        id="DP506",
        title="check has no rule for this keyword argument",
        means="""\
The function is supported, but not with this keyword argument.
""",
        why="""\
A keyword such as `where=` or `dtype=` changes what is computed, so ignoring it would prove
another program.
""",
        rejected="""\
import numpy as np

@dp.transformation
def total(x: Vector[Real, L1]):
    return np.sum(x, dtype='float16')
""",
        mended="""\
import numpy as np

@dp.transformation
def total(x: Vector[Real, L1]):
    return np.sum(x)
""",
    ),
    Code(
        name="recursion",
        id="DP510",
        title="the function calls itself, and nothing known while checking ends it",
        means="""\
A checked function reaches itself again through its calls, level after level, and no number that
is written in the program ends it.
""",
        why="""\
Calls are interpreted where they happen, level by level, so a recursion ends only where a public
value that is known while checking ends it. Use a loop with a public bound.
""",
        rejected="""\
def power(x, n: int):
    return x if n == 0 else 2 * power(x, n - 1)

@dp.transformation
def grown(x: Real, n: int):
    return power(x, n)
""",
        mended="""\
@dp.transformation
def grown(x: Real, n: int):
    for _ in range(n):
        x = 2 * x
    return x
""",
    ),
    Code(
        name="wrong-arguments",
        id="DP512",
        title="the call does not fit the function's parameters",
        means="""\
An argument is missing, given twice, unknown, or of a kind that the function does not take.
""",
        why="""\
The call would fail when it runs; inside a private branch the failure itself would tell
something about the data.
""",
        rejected="""\
@dp.transformation
def keep(x: Real):
    return dp.clamp(x, 0)
""",
        mended="""\
@dp.transformation
def keep(x: Real):
    return dp.clamp(x, 0, 20)
""",
    ),
    Code(
        name="size-mismatch",
        id="DP513",
        title="two sizes that have to be equal are different",
        means="""\
Containers of different length or shape are added, multiplied or zipped.
""",
        why="""\
Vectors of different length are infinitely far apart, and NumPy would refuse the operation
when it runs.
""",
        rejected="""\
from metricdp import Size

@dp.transformation
def both(
    x: Annotated[Vector[Real, L1], Size(3)], y: Annotated[Vector[Real, L1], Size(4)]
):
    return dp.add(x, y)
""",
        mended="""\
from metricdp import Size

@dp.transformation
def both(
    x: Annotated[Vector[Real, L1], Size(3)], y: Annotated[Vector[Real, L1], Size(3)]
):
    return dp.add(x, y)
""",
    ),
    Code(
        name="syntax-error",
        id="DP515",
        title="the file is not valid Python",
        means="""\
Python's own parser refuses the file; the message is the parser's.
""",
        why="""\
Nothing in a file that does not parse can be checked.
""",
        rejected="""\
@dp.transformation
def twice(x: Real)
    return 2 * x
""",
        mended="""\
@dp.transformation
def twice(x: Real):
    return 2 * x
""",
    ),
    Code(
        name="too-large",
        id="DP518",
        title="the program, or a number in it, is too large to be checked",
        means="""\
A function is read as Python would run it, call by call: helpers that add noise, or that are
called with other arguments each time, are read at every call. At most 400,000 expressions are
read for one function, an expression in a bound has at most 4,000 parts, a public number at
most 100,000 binary digits, and nothing is nested more than about a thousand levels deep.
""",
        why="""\
Helpers that call each other twice double the work at each level, and squaring doubles the
digits: what no computer can finish is refused after seconds, with its place.
""",
        rejected="""\
@dp.transformation
def power(x: Real):
    n = 3
    n = n**1000
    n = n**1000
    return n * x
""",
        mended="""\
@dp.transformation
def power(x: Real, n: int):
    return n * x
""",
    ),
    Code(
        name="in-place-operator",
        id="DP519",
        title="an in-place operator changes an object that others may hold",
        means="""\
In Python `a *= 2` on an array or a list changes the object itself, and whoever holds it sees
that: the caller, another name, an entry of a list, the matrix of which it is a row. Here values
are never changed. An accumulator that the function made, and that nothing else holds, may use
in-place operators; numbers, texts and tuples always may.
""",
        why="""\
What runs would otherwise differ in silence from what the same lines do in NumPy.
""",
        rejected="""\
@dp.transformation
def double(a: Vector[Real, L1]):
    a *= 2
    return a
""",
        mended="""\
@dp.transformation
def double(a: Vector[Real, L1]):
    a = a * 2
    return a
""",
    ),
)
