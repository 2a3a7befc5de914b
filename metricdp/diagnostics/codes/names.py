"""DP5xx: names and annotations that check cannot resolve."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="unannotated-parameter",
        id="DP501",
        title="a parameter has no annotation",
        means="""\
Every parameter of a decorated function says whether it is private (a metric space) or
public (a plain Python type).
""",
        why="""\
What is private, and in which metric one person's change is counted, is never guessed.
""",
        rejected="""\
@dp.measurement
def noisy(x, eps: float):
    return dp.laplace(x, epsilon=eps)
""",
        mended="""\
@dp.measurement
def noisy(x: Real, eps: float):
    return dp.laplace(x, epsilon=eps)
""",
    ),
    Code(
        name="not-a-space",
        id="DP502",
        title="the annotation is no metric space and no public type",
        means="""\
The annotation names something that is neither a space of metricdp (Real, Vector[Real, L1],
Records[float], ...) nor a plain Python type.
""",
        why="""\
A wrong annotation could make private data look public.
""",
        rejected="""\
@dp.transformation
def total(x: Vector[Real, 'L3']):
    return sum(x)
""",
        mended="""\
@dp.transformation
def total(x: Vector[Real, L1]):
    return sum(x)
""",
    ),
    Code(
        name="unknown-name",
        id="DP503",
        title="the name is not defined",
        means="""\
A name is used that no assignment, import or definition before it binds.
""",
        why="""\
Every name resolves to source text that is checked or to a primitive; the rest is rejected.
""",
        rejected="""\
@dp.transformation
def total(x: Vector[Real, L1]):
    return sum(y)
""",
        mended="""\
@dp.transformation
def total(x: Vector[Real, L1]):
    return sum(x)
""",
    ),
    Code(
        name="unknown-decorator",
        id="DP507",
        title="a checked function has a decorator that check does not know",
        means="""\
Besides `transformation`, `measurement` and `black_box`, no decorator may stand on a checked
function.
""",
        why="""\
A decorator can replace the function, so that what runs is not what was checked.
""",
        rejected="""\
import functools

@functools.cache
@dp.transformation
def twice(x: Real):
    return 2 * x
""",
        mended="""\
@dp.transformation
def twice(x: Real):
    return 2 * x
""",
    ),
    Code(
        name="star-import",
        id="DP508",
        title="a star import hides where names come from",
        means="""\
`from module import *` binds names that are not in the text.
""",
        why="""\
Any name could have been replaced, also `sum` or `clamp`. Import by name.
""",
        rejected="""\
from math import *

@dp.transformation
def twice(x: Real):
    return 2 * x
""",
        mended="""\
from math import pi

@dp.transformation
def turns(x: Real):
    return x / pi
""",
    ),
    Code(
        name="shadowed-builtin",
        id="DP509",
        title="a builtin name was given another meaning",
        means="""\
A name such as `sum`, `len` or `range` is assigned or defined in the program, and used as if
it were the builtin.
""",
        why="""\
Readers take `sum(x)` for a sum. Rename the new function.
""",
        rejected="""\
sum = max

@dp.transformation
def total(x: Vector[Real, L1]):
    return sum(x)
""",
        mended="""\
largest = max

@dp.transformation
def top(x: Vector[Real, L1]):
    return largest(x)
""",
    ),
    Code(
        name="missing-import",
        id="DP511",
        title="an imported module or name cannot be found",
        means="""\
A helper is imported from a file that is not there, or from a module that has no such name.
""",
        why="""\
The helper's source is part of the proof. Only project files, and the tables of supported
names of NumPy, math and builtins, are read; nothing is executed.
""",
        rejected="""\
from helpers_that_are_not_here import rescale

@dp.transformation
def scaled(x: Real):
    return rescale(x)
""",
        mended="""\
def rescale(x):
    return 3 * x

@dp.transformation
def scaled(x: Real):
    return rescale(x)
""",
    ),
    Code(
        name="no-source",
        id="DP514",
        title="the source of the function cannot be found",
        means="""\
The function was made by `exec`, typed into an interpreter that keeps no text, built at run
time, or wrapped so that its text is not the text that runs.
""",
        why="""\
check reads source text. Put the function into a file or a notebook cell.
""",
        rejected="""\
exec("@dp.transformation\\ndef twice(x: Real):\\n    return 2 * x\\n")
""",
        mended="""\
@dp.transformation
def twice(x: Real):
    return 2 * x
""",
    ),
)
