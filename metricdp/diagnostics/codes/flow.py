"""DP2xx: a private value where only a public one may be, and mechanisms in the wrong place."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="private-condition-mechanism",
        id="DP201",
        title="a private condition decides whether noise is drawn",
        means="""\
A mechanism stands in a branch that is taken or not depending on private data.
""",
        why="""\
Whether a release happened at all would tell what the condition was. Compute the private
choice first, then release the result once.
""",
        rejected="""\
@dp.measurement
def maybe(flag: dp.Bool, x: Real):
    out = 0.0
    if flag:
        out = dp.laplace(dp.clamp(x, 0, 1), scale=1)
    return out
""",
        mended="""\
@dp.measurement
def always(flag: dp.Bool, x: Real):
    kept = dp.clamp(x, 0, 1) if flag else 0.0
    return dp.laplace(kept, scale=1)
""",
    ),
    Code(
        name="mechanism-in-loop",
        id="DP202",
        title="a mechanism runs once for every private row",
        means="""\
A mechanism stands in a loop over private rows, and a round reads more than its own row and
what was already released.
""",
        why="""\
When each round reads only its own row, one person is charged for one round. When a round
reads what earlier rows left behind, one person can influence every later release.
""",
        rejected="""\
@dp.measurement
def running(rows: Vector[Data, L1]):
    total = 0.0
    out = []
    for r in rows:
        total += dp.undisc(dp.clamp(r, 0, 1))
        out.append(dp.laplace(total, scale=1))
    return out
""",
        mended="""\
@dp.measurement
def each(rows: Vector[Data, L1]):
    out = []
    for r in rows:
        out.append(dp.laplace(dp.undisc(dp.clamp(r, 0, 1)), scale=1))
    return out
""",
    ),
    Code(
        name="private-index",
        id="DP203",
        title="a private value chooses which entry is read",
        means="""\
A vector, matrix, list or dictionary is indexed by a private value, and its entries are not
bounded.
""",
        why="""\
When the index changes, another entry is read: the result moves by the distance between
entries, which only bounds on the entries limit.
""",
        rejected="""\
@dp.measurement
def pick(v: Vector[Real, L1], i: dp.Int):
    return dp.laplace(v[i], scale=20)
""",
        mended="""\
@dp.measurement
def pick(v: Vector[Real, L1], i: dp.Int):
    return dp.laplace(dp.clamp(v, 0, 20)[i], scale=20)
""",
    ),
    Code(
        name="private-length",
        id="DP204",
        title="private data decide a length",
        means="""\
A list that the program makes is longer or shorter as private data say, or the size of a table
was asked for that gains and loses rows.
""",
        why="""\
Whoever sees the list sees its length, without noise.  The number of rows as `len` gives it is a
private count: it moves by 1 with one row, and can be released with noise.
""",
        rejected="""\
@dp.measurement
def warnings(load: dp.Bool):
    told = ["started"]
    if load:
        told.append("high")
    return len(told), dp.laplace(load, epsilon=1)
""",
        mended="""\
@dp.measurement
def warnings(load: dp.Bool):
    high = dp.laplace(load, epsilon=1)
    told = ["started"]
    if high > 0.5:
        told.append("high")
    return len(told), high
""",
    ),
    Code(
        name="private-loop-bound",
        id="DP205",
        title="a private value decides how often a loop runs",
        means="""\
The bound of `range`, the condition of `while`, or a `break` depends on private data.
""",
        why="""\
The number of rounds multiplies whatever a round adds, and it has to be known in public.
Loop a public number of times, and let a private condition choose what a round adds.
""",
        rejected="""\
@dp.transformation
def steps(n: dp.Int):
    total = 0.0
    for _ in range(n):
        total += 1.0
    return total
""",
        mended="""\
@dp.transformation
def steps(n: dp.Int):
    total = 0.0
    for i in range(10):
        total += 1.0 if i < n else 0.0
    return total
""",
    ),
    Code(
        name="private-return",
        id="DP206",
        title="a measurement returns a private value",
        means="""\
What a measurement returns is public from then on. This value depends on private data and
went through no mechanism.
""",
        why="""\
Only a mechanism hides what one person adds. Release it with noise, or decorate the function
with `@dp.transformation` if its result is meant to stay private.
""",
        rejected="""\
@dp.measurement
def total(visits: dp.Records[float]):
    return dp.sum(dp.clamp(visits, 0, 20))
""",
        mended="""\
@dp.measurement
def total(visits: dp.Records[float]):
    return dp.laplace(dp.sum(dp.clamp(visits, 0, 20)), epsilon=1)
""",
    ),
    Code(
        name="private-escape",
        id="DP207",
        title="a private value leaves the function by another way than its result",
        means="""\
A private value is stored in a global, a nonlocal, an attribute or list that exists outside
the function, printed, raised, or asserted.
""",
        why="""\
Everything that outlives the call is an output. Outputs are released by mechanisms only.
""",
        rejected="""\
@dp.measurement
def total(visits: dp.Records[float]):
    exact = dp.sum(dp.clamp(visits, 0, 20))
    print(exact)
    return dp.laplace(exact, epsilon=1)
""",
        mended="""\
@dp.measurement
def total(visits: dp.Records[float]):
    exact = dp.sum(dp.clamp(visits, 0, 20))
    return dp.laplace(exact, epsilon=1)
""",
    ),
    Code(
        name="private-argument",
        id="DP208",
        title="a private value stands where a public one is needed",
        means="""\
Bounds, noise scales, targets, norms and sizes have to be public: a rule puts them into the
guarantee itself.
""",
        why="""\
A clamp whose bounds come from the data, or noise scaled by the data, shows the data. Give a
constant or a public parameter, or release the value first.
""",
        rejected="""\
@dp.measurement
def noisy(x: Real):
    return dp.laplace(dp.clamp(x, 0, 1), scale=x)
""",
        mended="""\
@dp.measurement
def noisy(x: Real, b: float):
    return dp.laplace(dp.clamp(x, 0, 1), scale=b)
""",
    ),
    Code(
        name="mechanism-in-transformation",
        id="DP209",
        title="a transformation draws noise",
        means="""\
A function decorated with `@dp.transformation` calls a mechanism.
""",
        why="""\
A transformation maps private data to private data, and its guarantee is a distance. What
draws noise is a measurement, and its guarantee is a privacy cost.
""",
        rejected="""\
@dp.transformation
def noisy(x: Real):
    return dp.laplace(x, scale=1)
""",
        mended="""\
@dp.measurement
def noisy(x: Real):
    return dp.laplace(x, scale=1)
""",
    ),
    Code(
        name="released-cost",
        id="DP210",
        title="the cost of a mechanism depends on a released value",
        means="""\
The noise scale of a mechanism is itself the output of a mechanism, so the privacy cost
would only be known after the run.
""",
        why="""\
The guarantee is stated before data are read. Use a target (`epsilon=`, `rho=`), whose cost
is fixed however large the noise turns out to be.
""",
        rejected="""\
@dp.measurement
def two(x: Real, y: Real):
    first = dp.laplace(x, scale=1)
    return dp.laplace(y, scale=abs(first) + 1)
""",
        mended="""\
@dp.measurement
def two(x: Real, y: Real):
    first = dp.laplace(x, scale=1)
    return first, dp.laplace(y, epsilon=1)
""",
    ),
    Code(
        name="wrong-norm",
        id="DP211",
        title="the value is bounded in another norm or metric than this step needs",
        means="""\
A step needs a bound in one norm, and the value carries one in another norm only, or a clip
and an annotation name different norms.
""",
        why="""\
Laplace noise is sized by L1, Gaussian noise by L2. Between norms, distances differ by up to
the number of entries. Data containers carry one norm; `norm_convert` changes it.
""",
        rejected="""\
@dp.transformation
def as_l1(v: Vector[Data, L2]) -> Vector[Data, L1]:
    return v
""",
        mended="""\
@dp.transformation
def as_l1(v: Vector[Data, L2]) -> Vector[Data, L1]:
    return dp.norm_convert(v, L1)
""",
    ),
    Code(
        name="wrong-metric",
        id="DP212",
        title="the value carries another metric than this step needs",
        means="""\
A step that adds or scales real numbers was given data under the discrete metric, or a step on
records was given records under another distance than it is stable for.
""",
        why="""\
Under the discrete metric any change counts 1, however large it is, so its distance says nothing
about how far a sum moves. Bound the data, then read them as real numbers.
""",
        rejected="""\
@dp.transformation
def total(v: Vector[Data, L1]):
    return dp.sum(v)
""",
        mended="""\
@dp.transformation
def total(v: Vector[Data, L1]):
    return dp.sum(dp.undisc(dp.clamp(v, 0, 20)))
""",
    ),
    Code(
        name="uncharged-source",
        id="DP214",
        title="noise hides rows that no private parameter is charged for",
        means="""\
Noise is added to rows, to parts or to a sample of a table that earlier rounds of a loop made,
and they are not the rows of one private parameter. It also means that a cost was traced to a
value that is no parameter at all: a gap in what metricdp knows, and never in what is charged.
""",
        why="""\
What noise costs is charged to the parameter whose rows it hides. Where that parameter is not
known, the noise would look free.
""",
        rejected="""\
@dp.measurement
def two_tables(rows: Records[float], others: Records[float], k: int, eps: float):
    table, out = rows, 0.0
    for i in range(3):
        out = dp.laplace(dp.count(dp.sample(table, q=0.5)), epsilon=eps)
        table = others if i > k else rows
    return out
""",
        mended="""\
@dp.measurement
def two_tables(rows: Records[float], others: Records[float], k: int, eps: float):
    out = 0.0
    for i in range(3):
        if i > k:
            out = dp.laplace(dp.count(dp.sample(others, q=0.5)), epsilon=eps)
        else:
            out = dp.laplace(dp.count(dp.sample(rows, q=0.5)), epsilon=eps)
    return out
""",
    ),
    Code(
        name="partial-operation",
        id="DP215",
        title="private data decide whether an operation runs that may fail",
        means="""\
A division, an index, a conversion or another operation on public values stands under a private
condition, in a function of rows or in a loop over records, and nothing shows that it has a
value for every public argument that the function accepts.
""",
        why="""\
An error is an output without noise. If it is raised only where private data lead, whoever
chooses the public arguments learns from it which way they led. What runs before the condition
fails or not whatever the data are; what can be required of public parameters (`n != 0`) is.
""",
        rejected="""\
@dp.measurement
def shares(visits: dp.Records[float], n: int, eps: float):
    kept = [dp.clamp(v, 0, 2 ** n) if v > 3 else 0.0 for v in visits]
    return dp.laplace(dp.sum(dp.clamp(kept, 0, 20)), epsilon=eps)
""",
        mended="""\
@dp.measurement
def shares(visits: dp.Records[float], n: int, eps: float):
    most = abs(2.0 ** n)
    kept = [dp.clamp(v, 0, most) if v > 3 else 0.0 for v in visits]
    return dp.laplace(dp.sum(dp.clamp(kept, 0, 20)), epsilon=eps)
""",
    ),
    Code(
        name="sample-kept",
        id="DP213",
        title="a sample of rows is kept for a later round",
        means="""\
A round of a loop stores rows of the sample that it drew, or a private value computed from them,
where a later round reads it.
""",
        why="""\
What is released in one round is charged as if its sample were fresh and secret. A sample that
several rounds share is composed before it is amplified, so it has to be drawn before the loop.
""",
        rejected="""\
@dp.measurement
def late(rows: dp.Records[float], eps: float):
    kept = dp.sum(dp.clamp(rows, 0, 1))
    out = 0.0
    for _ in range(10):
        out = out + dp.laplace(kept, epsilon=eps)
        kept = dp.sum(dp.clamp(dp.sample(rows, q=0.1), 0, 1))
    return out
""",
        mended="""\
@dp.measurement
def each(rows: dp.Records[float], eps: float):
    out = 0.0
    for _ in range(10):
        batch = dp.sample(rows, q=0.1)
        out = out + dp.laplace(dp.sum(dp.clamp(batch, 0, 1)), epsilon=eps)
    return out
""",
    ),
)
