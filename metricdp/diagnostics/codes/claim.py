"""DP3xx: what a program says about itself."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="revealed",
        id="DP308",
        title="what check knows of a value",
        means="""\
`dp.reveal(x)` was written here. It is no finding against the program: it says in which space
the value lies and how far each private input moves it, and it does not fail the check.
""",
        why="""\
A bound is easier to believe, or to improve, when it can be seen growing line by line. When
the program runs, `dp.reveal(x)` is `x` and prints nothing.
""",
        rejected="""\
@dp.transformation
def total(pay: dp.Records[float]):
    return dp.reveal(dp.sum(dp.clamp(pay, 0, 200)))
""",
        mended="""\
@dp.transformation
def total(pay: dp.Records[float]):
    return dp.sum(dp.clamp(pay, 0, 200))
""",
    ),
    Code(
        name="claim-not-proved",
        id="DP301",
        title="the claim is not proved",
        means="""\
The bound that was inferred is not known to be within the claim, and no pair of inputs was
found that breaks it. The claim may be true; nothing here shows it.
""",
        why="""\
The inferred bound is sound but may be larger than the truth, or the comparison depends on
public parameters. Claim the inferred bound, or change the program so that it meets the
claim.
""",
        rejected="""\
@dp.transformation(stability="d_in")
def steps(x: Real):
    return dp.clamp(x, 0, 1) + dp.clamp(x, 2, 3)
""",
        mended="""\
@dp.transformation(stability="2*d_in")
def steps(x: Real):
    return dp.clamp(x, 0, 1) + dp.clamp(x, 2, 3)
""",
    ),
    Code(
        name="claim-refuted",
        id="DP302",
        title="the claim is false",
        means="""\
A pair of neighbouring inputs, made up for the purpose, moves the result further than the
claim allows, or the two output laws differ by more than the claimed cost.
""",
        why="""\
The pair is a proof that the claim is false; replay it with `metricdp audit`.
""",
        rejected="""\
@dp.measurement(epsilon=0.5)
def total(pay: dp.Records[float]):
    return dp.laplace(dp.sum(dp.clamp(pay, 0, 200)), scale=200)
""",
        mended="""\
@dp.measurement(epsilon=1)
def total(pay: dp.Records[float]):
    return dp.laplace(dp.sum(dp.clamp(pay, 0, 200)), scale=200)
""",
    ),
    Code(
        name="claimed-sensitivity",
        id="DP303",
        title="the sensitivity given to a mechanism is smaller than the real one",
        means="""\
`gaussian_mechanism(s, ...)` and `laplacian_mechanism(s, ...)` size their noise by the
sensitivity s that is typed. The value can move further than s.
""",
        why="""\
Noise for s hides a movement of s, and no more. `dp.laplace` and `dp.gaussian` with a target
infer the sensitivity.
""",
        rejected="""\
@dp.measurement
def total(pay: dp.Records[float], eps: float):
    return dp.laplacian_mechanism(1, eps, dp.sum(dp.clamp(pay, 0, 200)))
""",
        mended="""\
@dp.measurement
def total(pay: dp.Records[float], eps: float):
    return dp.laplacian_mechanism(200, eps, dp.sum(dp.clamp(pay, 0, 200)))
""",
    ),
    Code(
        name="return-annotation",
        id="DP304",
        title="the result is not in the annotated space",
        means="""\
The return annotation claims a space that the result was not shown to belong to.
""",
        why="""\
Callers rely on the annotation: its metric decides which distance the bound is about.
""",
        rejected="""\
@dp.transformation
def total(x: Vector[Real, L1]) -> Vector[Real, L1]:
    return sum(x)
""",
        mended="""\
@dp.transformation
def total(x: Vector[Real, L1]) -> Real:
    return sum(x)
""",
    ),
    Code(
        name="claim-syntax",
        id="DP305",
        title="the claim cannot be read",
        means="""\
A claim in a decorator is a number, or a formula in the public parameters as text: `+ - * /
**`, min, max, sqrt, exp, log, floor, ceiling, and `d_in` for a stability.
""",
        why="""\
A claim that cannot be read would otherwise be ignored, and the program would look proved.
""",
        rejected="""\
@dp.measurement(epsilon="eps +")
def noisy(x: Real, eps: float):
    return dp.laplace(x, epsilon=eps)
""",
        mended="""\
@dp.measurement(epsilon="eps")
def noisy(x: Real, eps: float):
    return dp.laplace(x, epsilon=eps)
""",
    ),
    Code(
        name="vacuous-guarantee",
        id="DP306",
        title="the guarantee says nothing",
        means="""\
The total cost is an infinite epsilon, or a delta that is not below 1.
""",
        why="""\
Every program, also one that prints the data, is (epsilon, 1)-private. Lower delta, add
noise, or release fewer values.
""",
        rejected="""\
@dp.measurement
def noisy(x: Real):
    return dp.gaussian(x, epsilon=1, delta=1)
""",
        mended="""\
@dp.measurement
def noisy(x: Real):
    return dp.gaussian(x, epsilon=1, delta=1e-6)
""",
    ),
    Code(
        name="requirement-fails",
        id="DP307",
        title="a requirement on the public parameters does not hold",
        means="""\
A step holds only under a condition on public values (a size of at least 1, a positive
epsilon), and the values at this place break it.
""",
        why="""\
Requirements that depend on parameters are printed with the guarantee and enforced before
data are read. One that is already known to fail makes the program wrong.
""",
        rejected="""\
@dp.measurement
def fourth(x: Annotated[Vector[Real, L1], dp.Size(3)]):
    return dp.laplace(x[3], scale=1)
""",
        mended="""\
@dp.measurement
def third(x: Annotated[Vector[Real, L1], dp.Size(3)]):
    return dp.laplace(x[2], scale=1)
""",
    ),
)
