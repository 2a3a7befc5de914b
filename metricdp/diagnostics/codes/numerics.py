"""DP4xx: numbers that a mechanism or a bound cannot work with."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="bad-noise",
        id="DP401",
        title="the noise is not positive",
        means="""\
The scale or standard deviation of a mechanism is zero, negative, infinite or no number.
""",
        why="""\
Without noise the exact value is released, and the cost is infinite.
""",
        rejected="""\
@dp.measurement
def noisy(x: Real):
    return dp.laplace(x, scale=0)
""",
        mended="""\
@dp.measurement
def noisy(x: Real):
    return dp.laplace(x, scale=1)
""",
    ),
    Code(
        name="reversed-bounds",
        id="DP402",
        title="the lower bound is above the upper bound",
        means="""\
A clamp or an annotation gives bounds in the wrong order, so that no value is inside.
""",
        why="""\
`clamp(x, lower, upper)` takes the lower bound first; `clipn(x, upper, lower)` the upper.
""",
        rejected="""\
@dp.transformation
def keep(x: Real):
    return dp.clamp(x, 20, 0)
""",
        mended="""\
@dp.transformation
def keep(x: Real):
    return dp.clamp(x, 0, 20)
""",
    ),
    Code(
        name="classical-gaussian-epsilon",
        id="DP403",
        title="the classical Gaussian formula holds only for epsilon below 1",
        means="""\
`gaussian_mechanism` uses the standard deviation s*sqrt(2*ln(1.25/delta))/eps, whose proof
needs 0 < eps < 1.
""",
        why="""\
For a large epsilon the formula gives too little noise, and the guarantee is false.
`dp.gaussian(x, epsilon=, delta=)` is calibrated exactly, for every epsilon.
""",
        rejected="""\
@dp.measurement
def noisy(x: Real):
    return dp.gaussian_mechanism(1, 8, 1e-6, x)
""",
        mended="""\
@dp.measurement
def noisy(x: Real):
    return dp.gaussian(x, epsilon=8, delta=1e-6)
""",
    ),
    Code(
        name="mixed-measures",
        id="DP404",
        title="the steps have no bound in the measure that is asked for",
        means="""\
The mechanisms of the program bound privacy in measures that do not add up to the one that
was claimed or asked for.
""",
        why="""\
Gaussian noise has no finite epsilon at delta = 0, and a step that is (epsilon, delta)-
private with delta > 0 has no zCDP bound. Ask for (epsilon, delta), which all convert to, or
use mechanisms of one kind.
""",
        rejected="""\
@dp.measurement(rho="1")
def noisy(x: Real):
    return dp.gaussian_mechanism(1, 0.5, 1e-6, x)
""",
        mended="""\
@dp.measurement(rho="1/2")
def noisy(x: Real):
    return dp.gaussian(x, rho=0.5)
""",
    ),
    Code(
        name="no-value",
        id="DP405",
        title="a bound or a cost has no value that can be written",
        means="""\
Somewhere in the bound or the cost of this function stands a logarithm of 0, a division by 0,
or a power that is too large to be written out.
""",
        why="""\
A number that does not exist promises nothing.
""",
        rejected="""\
@dp.transformation
def grown(x: Real):
    for _ in range(10**9):
        x = 2 * x
    return x
""",
        mended="""\
@dp.transformation
def grown(x: Real):
    for _ in range(10):
        x = 2 * x
    return x
""",
    ),
)
