# %% [markdown]
# # Statistics about people, with a proof: a tutorial for analysts
#
# You know pandas. You have data about people, and want to publish numbers that give none of them
# away. Each part asks one kind of question, first as you would ask it in pandas, then in a
# function that is **checked before it sees a row**. The data are real; statsmodels and
# scikit-learn bring them along.
#
# Cells that end in an error are meant to: they show what is refused, and why. To read from top to
# bottom takes an hour; to run, a few seconds.
#
# 1. A first count
# 2. A mean
# 3. Rows with several columns
# 4. Groups
# 5. Histograms
# 6. Medians and quantiles
# 7. Texts, missing values, unknown keys
# 8. Answers that decide
# 9. Sessions and budgets
# 10. One person, many rows
# 11. Gaussian noise
# 12. Regression
# 13. Attacks
# 14. What to file

# %% [markdown]
# ## 1. A first count
#
# 6,366 women answered a magazine's questions about their marriages in 1974.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm

import metricdp as dp

frame = sm.datasets.fair.load_pandas().data
frame.head(3)

# %%
len(frame)

# %% [markdown]
# Who publishes 6,366 today and 6,365 tomorrow has told that somebody left. With noise of the size
# of one person's influence, nobody can tell which of two such data sets was counted.
#
# In the next cell, `dp.Records[float]` says: rows of one number each, private. `eps` has a plain
# type: it is public, and says how much may be learned about one person. Small is safe; 1 is
# usual.


# %%
@dp.measurement
def number(rows: dp.Records[float], eps: float):
    return dp.laplace(len(rows), epsilon=eps)


number

# %% [markdown]
# What you see is the proof. Nothing has run yet: the text of the function was read, and what one
# person can change was followed through every step. Column *bound* says it: with one row more,
# `len` moves by 1 (`d_in` is the number of rows that differ). `laplace` then chose noise of scale
# `1/eps`, from that bound.
#
# Now it runs.

# %%
release = number(frame["age"], eps=1.0)
release

# %%
release.cost

# %% [markdown]
# `± 3.00 (95%)` is how far the truth may be away, in 95 of 100 calls. Whoever reads the release
# may know it; noise that is known protects no less.
#
# Every call draws new noise, so this page cannot say what you see. It can say how far from the
# truth it lies. The helper `near` is used below with distances that noise exceeds less than once
# in a million runs; they are assertions, so this page is right when it runs through.


# %%
def near(released, truth, most):
    """Whether all released numbers are at most this far from the truth (a tutorial may look)."""
    return bool(np.all(np.abs(np.asarray(released, float) - np.asarray(truth, float)) <= most))


assert release.cost == "ε = 1"
assert near(release.value, len(frame), 16)

# %% [markdown]
# A tenth of the budget is ten times the noise: ± 30, which of 6,366 is half a percent. Large data
# need little budget.

# %%
rough = number(frame["age"], eps=0.1)
assert rough.cost == "ε = 0.1"
assert near(rough.value, len(frame), 160)
rough

# %% [markdown]
# `at` fixes the public parameters, `map` asks what a distance costs: exact fractions, no data
# needed. Somebody who is in the data with three rows is protected three times less.

# %%
number.at(eps=0.1).map(1), number.at(eps=0.1).map(3)

# %%
from fractions import Fraction

assert number.at(eps=0.1).map(1) == Fraction(1, 10)
assert number.at(eps=0.1).map(3) == Fraction(3, 10)

# %% [markdown]
# A card of these facts:

# %%
number.at(eps=0.1)

# %% [markdown]
# ### First mistakes
#
# No noise at all:


# %%
@dp.measurement
def bare(rows: dp.Records[float]):
    return len(rows)


# %% fails: returns a private value without noise
bare(frame["age"])

# %% [markdown]
# A function that is not proved does not run. The message has the place, the fact that is missing,
# and what to write.
#
# Noise that is not enough for a claim of yours. `rho=`, `epsilon=` of the decorator say what the
# function should cost; check compares:


# %%
@dp.measurement(epsilon=1)
def cheap(rows: dp.Records[float]):
    return dp.laplace(len(rows), scale=0.5)


cheap

# %% fails: cheap
cheap(frame["age"])

# %% [markdown]
# A budget that makes no sense is refused before data are read:

# %% fails: this needs eps > 0
number(frame["age"], eps=0)

# %% [markdown]
# NumPy's own noise is no noise here. Where it comes from matters: floating-point noise can be
# undone, and noise of a seed can be repeated.


# %%
@dp.measurement
def homemade(rows: dp.Records[float], eps: float):
    return len(rows) + np.random.default_rng().laplace(scale=1 / eps)


# %% fails: homemade
homemade(frame["age"], eps=1.0)

# %% [markdown]
# ## 2. A mean

# %%
frame["age"].mean()

# %% [markdown]
# As one would write it first:


# %%
@dp.measurement
def mean_first(ages: dp.Records[float], eps: float):
    return dp.laplace(ages.mean(), epsilon=eps)


# %% fails: one person can move this mean by any amount
mean_first(frame["age"], eps=1.0)

# %% [markdown]
# A row is a number, and nobody said which. Somebody of age 10,000,000 would move the mean by more
# than any noise hides. That there is no such row is a fact about these data, and such facts are
# what has to stay secret. So values are moved into bounds that you know without looking: women of
# 15 to 60.


# %%
@dp.measurement
def mean_second(ages: dp.Records[float], eps: float):
    return dp.laplace(np.mean(dp.clamp(ages, 15, 60)), epsilon=eps)


mean_second

# %% [markdown]
# Proved, but look at the noise: scale `60/eps`. The bound has to hold for all data, and with one
# row more a mean of nobody becomes a mean of one. Never look at *proved* alone; look at the
# scale.

# %%
useless = mean_second(frame["age"], eps=1.0)
assert useless.cost == "ε = 1"
useless

# %% [markdown]
# A mean is a sum over a number of rows. Released apart, each with half of the budget, both are
# precise, and the division is of released numbers, which costs nothing: whatever is computed from
# released numbers is free.


# %%
@dp.measurement
def mean_age(ages: dp.Records[float], eps: float):
    kept = dp.clamp(ages, 15, 60)
    total = dp.laplace(sum(kept), epsilon=eps / 2)
    return total / dp.laplace(len(kept), epsilon=eps / 2)


mean_age

# %%
release = mean_age(frame["age"], eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["age"].mean(), 0.5)
release

# %% [markdown]
# The two steps cost `eps / 2` each, and costs add up. The noise of the sum has scale `120/eps`:
# one person moves a sum of values in [15, 60] by at most 60, at half the budget.
#
# Bounds cost: twice as wide is twice the noise. A mean around a public guess needs less, because
# only the distance from the guess counts. One person moves this sum by 22.5, not by 60.


# %%
@dp.measurement
def mean_around(ages: dp.Records[float], eps: float):
    kept = [age - 37.5 for age in dp.clamp(ages, 15, 60)]
    total = dp.laplace(sum(kept), epsilon=eps / 2)
    return 37.5 + total / dp.laplace(len(kept), epsilon=eps / 2)


mean_around

# %%
release = mean_around(frame["age"], eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["age"].mean(), 0.2)
release

# %% [markdown]
# The library has this one: `metricdp.algorithms.mean`. Its functions are checked like yours.

# %%
from metricdp.algorithms import mean

mean

# %%
release = mean(frame["age"], lower=15, upper=60, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["age"].mean(), 0.2)
release

# %% [markdown]
# ### Where bounds come from
#
# From the question, a law, a form, common sense; never from the data:


# %%
@dp.measurement
def mean_own_bounds(ages: dp.Records[float], eps: float):
    kept = dp.clamp(ages, min(ages), max(ages))
    return dp.laplace(sum(kept), epsilon=eps)


# %% fails: mean_own_bounds
mean_own_bounds(frame["age"], eps=1.0)

# %% [markdown]
# The same from outside of the function is not better, though nobody can see it: `HI =
# frame["age"].max()` in a cell of its own. Names that a checked function uses have to be
# literals, so the slip is found.

# %%
HI = frame["age"].max()


# %%
@dp.measurement
def mean_peeked(ages: dp.Records[float], eps: float):
    return dp.laplace(sum(dp.clamp(ages, 15, HI)), epsilon=eps)


# %% fails: `HI` is no literal
mean_peeked(frame["age"], eps=1.0)

# %% [markdown]
# As an argument it would pass, and `upper=frame["age"].max()` would be on your conscience:
# *public parameters must not come from the data* is the one thing that nobody can check for you.
#
# Too narrow bounds are safe and wrong: with [15, 25], older women count as 25.

# %%
narrow = mean(frame["age"], lower=15, upper=25, eps=1.0)
assert near(narrow.value, frame["age"].clip(15, 25).mean(), 0.2)
narrow

# %% [markdown]
# ## 3. Rows with several columns
#
# A row of a data frame is described by a class: the columns that the questions need, and their
# types. Other columns are not looked at. The frame is read where it lies.

# %%
from typing import NamedTuple


class Woman(NamedTuple):
    age: float  # years, in steps of 5
    yrs_married: float
    children: float
    religious: float  # 1 (not) to 4 (very)
    educ: float  # years at school
    affairs: float  # time in affairs


# %%
frame["children"].gt(0).mean()

# %% [markdown]
# In pandas one writes `frame["age"]`, and so one does here. What is said of a column is said of every
# row of it, and costs the same as row by row:


# %%
@dp.measurement
def by_column(women: dp.Records[Woman], eps: float):
    return dp.laplace(sum(women["children"] > 0), epsilon=eps)


release = by_column(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["children"].gt(0).sum(), 16)
release


# %%
@dp.measurement
def mothers(women: dp.Records[Woman], eps: float):
    return dp.laplace(sum(1 for w in women if w.children > 0), epsilon=eps)


release = mothers(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["children"].gt(0).sum(), 16)
release

# %% [markdown]
# These loops run about as fast as pandas does: the function is read, not called row by row, and
# becomes operations on columns. A share is a number over a number:


# %%
@dp.measurement
def share_of_mothers(women: dp.Records[Woman], eps: float):
    found = dp.laplace(sum(1 for w in women if w.children > 0), epsilon=eps / 2)
    everybody = dp.laplace(len(women), epsilon=eps / 2)
    return found / everybody


release = share_of_mothers(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["children"].gt(0).mean(), 0.01)
release

# %% [markdown]
# The mean of a part: filter, then as before.


# %%
@dp.measurement
def years_of_mothers(women: dp.Records[Woman], eps: float):
    years = [dp.clamp(w.yrs_married, 0, 30) for w in women if w.children > 0]
    return dp.laplace(sum(years), epsilon=eps / 2) / dp.laplace(len(years), epsilon=eps / 2)


release = years_of_mothers(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame.query("children > 0")["yrs_married"].mean(), 0.5)
release

# %% [markdown]
# ### Two questions about parts
#
# What do two filters cost? It depends on whether somebody can pass both. Mothers, and women of 30
# or more: many are both, so the costs add up to `2 * eps`.


# %%
@dp.measurement
def overlapping(women: dp.Records[Woman], eps: float):
    mothers = sum(1 for w in women if w.children > 0)
    older = sum(1 for w in women if w.age >= 30)
    return dp.laplace(mothers, epsilon=eps), dp.laplace(older, epsilon=eps)


release = overlapping(frame, eps=0.5)
assert release.cost == "ε = 1"
release

# %% [markdown]
# Nobody is both a mother and not one. Check sees it from the conditions, and two releases cost
# what one does:


# %%
@dp.measurement
def disjoint(women: dp.Records[Woman], eps: float):
    mothers = [w for w in women if w.children > 0]
    others = [w for w in women if not w.children > 0]
    return dp.laplace(len(mothers), epsilon=eps), dp.laplace(len(others), epsilon=eps)


release = disjoint(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, [frame["children"].gt(0).sum(), frame["children"].eq(0).sum()], 17)
release

# %% [markdown]
# So does a band of ages. Written without care, as *at least 20, at least 25, at least 30*, the
# parts overlap:


# %%
@dp.measurement
def at_least(women: dp.Records[Woman], eps: float):
    return [
        dp.laplace(sum(1 for w in women if w.age >= edge), epsilon=eps) for edge in (20, 25, 30)
    ]


release = at_least(frame, eps=1.0)
assert release.cost == "ε = 3"
release.cost


# %%
@dp.measurement
def bands(women: dp.Records[Woman], eps: float):
    return [
        dp.laplace(sum(1 for w in women if low <= w.age < low + 5), epsilon=eps)
        for low in (15, 20, 25, 30, 35, 40)
    ]


release = bands(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, np.histogram(frame["age"], range(15, 50, 5))[0], 17)
release

# %% [markdown]
# Six numbers for the price of one; and *at least 30* is the sum of the last three, which is free.
# Sums of noisy numbers are noisier than one: the noise of three adds up to about 1.7 times that
# of one.

# %%
release.value[3] + release.value[4] + release.value[5]

# %% [markdown]
# ## 4. Groups
#
# `value_counts` is a count per level, and a row has one level:

# %%
frame["religious"].value_counts().sort_index()


# %%
@dp.measurement
def by_religion(women: dp.Records[Woman], eps: float):
    return {
        level: dp.laplace(sum(1 for w in women if w.religious == level), epsilon=eps)
        for level in range(1, 5)
    }


by_religion

# %%
release = by_religion(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(list(release.value.values()), frame["religious"].value_counts().sort_index(), 17)
pd.Series(release.value)

# %% [markdown]
# `Counter` is read, too:

# %%
from collections import Counter


@dp.measurement
def counted(women: dp.Records[Woman], eps: float):
    numbers = Counter(w.religious for w in women)
    return {level: dp.laplace(numbers[level], epsilon=eps) for level in (1, 2, 3, 4)}


release = counted(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(list(release.value.values()), frame["religious"].value_counts().sort_index(), 17)

# %% [markdown]
# The levels are written in the program. Levels found in the data give away who has a rare one,
# even with noise on every number:


# %%
@dp.measurement
def levels_of_data(women: dp.Records[Woman], eps: float):
    levels = set(w.religious for w in women)
    return {
        level: dp.laplace(sum(1 for w in women if w.religious == level), epsilon=eps)
        for level in levels
    }


# %% fails: `set` on private values has no rule
levels_of_data(frame, eps=1.0)

# %% [markdown]
# ### Means of groups

# %%
frame.groupby("religious")["affairs"].mean()


# %%
@dp.measurement
def by_groupby(women: dp.Records[Woman], eps: float):
    return women.groupby("religious")["affairs"].mean()


# %% fails: by_groupby
by_groupby(frame, eps=1.0)


# %%
@dp.measurement
def affairs_by_religion(women: dp.Records[Woman], eps: float):
    means = {}
    for level in range(1, 5):
        times = [dp.clamp(w.affairs, 0, 10) for w in women if w.religious == level]
        total = dp.laplace(sum(times), epsilon=0.8 * eps)
        means[level] = total / dp.laplace(len(times), epsilon=0.2 * eps)
    return means


release = affairs_by_religion(frame, eps=1.0)
true_means = (
    frame.assign(affairs=frame["affairs"].clip(0, 10)).groupby("religious")["affairs"].mean()
)
assert release.cost == "ε = 1"
assert near(list(release.value.values()), true_means, 0.5)
pd.DataFrame({"released": release.value, "clipped": true_means})

# %% [markdown]
# The sum got more of the budget, since its noise is ten times that of the number. What does the
# clamp to 10 change? Compare with the means of pandas above: a few women report up to 57, and
# they count as 10. That is the price of bounds, and it is the same for everybody who asks.
#
# Two keys make a table of two ways, again at one part's cost:


# %%
@dp.measurement
def religion_and_children(women: dp.Records[Woman], eps: float):
    return [
        [
            dp.laplace(
                sum(1 for w in women if w.religious == level and (w.children > 0) == mother),
                epsilon=eps,
            )
            for mother in (False, True)
        ]
        for level in range(1, 5)
    ]


release = religion_and_children(frame, eps=1.0)
release.cost

# %%
crosstab = pd.crosstab(frame["religious"], frame["children"] > 0)
assert release.cost == "ε = 1"
assert near(release.value, crosstab, 18)
pd.DataFrame(release.value, index=crosstab.index, columns=crosstab.columns)

# %% [markdown]
# A function may call a helper, and the helper may release:


# %%
def noisy_mean(values, low, high, eps):
    kept = dp.clamp(values, low, high)
    return dp.laplace(sum(kept), epsilon=eps / 2) / dp.laplace(len(kept), epsilon=eps / 2)


@dp.measurement
def ages_by_religion(women: dp.Records[Woman], eps: float):
    return {
        level: noisy_mean([w.age for w in women if w.religious == level], 15, 60, eps)
        for level in range(1, 5)
    }


release = ages_by_religion(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(list(release.value.values()), frame.groupby("religious")["age"].mean(), 5)
release

# %% [markdown]
# Small groups have rough answers: a noise of 2 is nothing for 1,000 women and everything for 3.
# That is the point: three women are nearly as visible as one.
#
# ## 5. Histograms


# %%
@dp.measurement
def histogram_first(women: dp.Records[Woman], eps: float):
    counts, edges = np.histogram([w.yrs_married for w in women], bins=10)
    return dp.laplace(counts, epsilon=eps)


# %% fails: the data would decide where these bins lie
histogram_first(frame, eps=1.0)

# %% [markdown]
# With public edges there is nothing to hide but the counts; NumPy's own call is understood.

# %%
EDGES = (0, 2, 5, 8, 11, 15, 20, 30)


@dp.measurement
def years_histogram(women: dp.Records[Woman], eps: float):
    counts, edges = np.histogram([w.yrs_married for w in women], EDGES)
    return dp.laplace(counts, epsilon=eps)


release = years_histogram(frame, eps=0.1)
truth = np.histogram(frame["yrs_married"], EDGES)[0]
assert release.cost == "ε = 0.1"
assert near(release.value, truth, 170)
release

# %% [markdown]
# A picture with what a reader should know: 95 of 100 counts lie in their bars. The hollow bars
# are the truth, which a publication would not show.

# %%
low, high = release.interval(0.95)
places = np.arange(len(truth))
figure, axes = plt.subplots(figsize=(7, 3.2))
axes.bar(
    places,
    release.value,
    yerr=(high - low) / 2,
    capsize=4,
    color="#4c78a8",
    label="released, ε = 0.1",
)
axes.bar(places, truth, fill=False, edgecolor="black", label="true")
axes.set_xticks(places, [f"{a} to {b}" for a, b in zip(EDGES, EDGES[1:], strict=False)])
axes.set_xlabel("years married")
axes.set_ylabel("women")
axes.legend()
figure.tight_layout()
plt.show()

# %% [markdown]
# How does the error depend on the budget? It can be drawn before anything is released: Laplace
# noise of scale `1/eps` exceeds `3/eps` in 5 of 100 cases.

# %%
budgets = np.geomspace(0.01, 2, 50)
figure, axes = plt.subplots(figsize=(6, 3))
axes.loglog(budgets, np.log(20) / budgets)
axes.set_xlabel("ε of one count")
axes.set_ylabel("error (95%)")
axes.grid(True, which="both", alpha=0.3)
figure.tight_layout()
plt.show()

# %% [markdown]
# ## 6. Medians and quantiles

# %%
frame["yrs_married"].median()


# %%
@dp.measurement
def median_first(women: dp.Records[Woman], eps: float):
    return dp.laplace(np.median([w.yrs_married for w in women]), epsilon=eps)


# %% fails: `numpy.median` on private values has no rule
median_first(frame, eps=1.0)

# %% [markdown]
# A median can jump: half of the women at 2 years, half at 20, and one woman more decides. No
# useful bound exists, and noise on the median is not the way. The message names the way:
# candidates that are public, of which those that split the rows well are likely. Nothing has to
# be clamped.


# %%
@dp.measurement
def median_years(women: dp.Records[Woman], eps: float):
    return dp.private_quantile([w.yrs_married for w in women], range(0, 31), 0.5, epsilon=eps)


release = median_years(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["yrs_married"].median(), 3)
release

# %% [markdown]
# Quartiles are three questions about all rows, so they share the budget:


# %%
@dp.measurement
def quartiles(women: dp.Records[Woman], eps: float):
    years = [w.yrs_married for w in women]
    return [dp.private_quantile(years, range(0, 31), q, epsilon=eps / 3) for q in (0.25, 0.5, 0.75)]


release = quartiles(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame["yrs_married"].quantile([0.25, 0.5, 0.75]), 4)
release

# %% [markdown]
# The largest value is somebody's. Noise hides it only as far as the bounds reach:


# %%
@dp.measurement
def longest(women: dp.Records[Woman], eps: float):
    return dp.laplace(max((dp.clamp(w.yrs_married, 0, 60) for w in women), default=0), epsilon=eps)


release = longest(frame, eps=1.0)
assert release.cost == "ε = 1"
release

# %% [markdown]
# ± 180 years. A high quantile is what can be had:


# %%
@dp.measurement
def long_marriages(women: dp.Records[Woman], eps: float):
    return dp.private_quantile([w.yrs_married for w in women], range(0, 61), 0.95, epsilon=eps)


release = long_marriages(frame, eps=1.0)
assert near(release.value, frame["yrs_married"].quantile(0.95), 3)
release

# %% [markdown]
# ## 7. Texts, missing values, unknown keys
#
# The occupations of the survey are codes. With names, as a form would have them, with gaps and
# all:

# %%
NAMES = ("Student", " farmer", "clerk ", "Teacher", "manager", "Professor")
people = pd.DataFrame(
    {
        "age": frame["age"].where(frame.index % 10 > 0),
        "job": frame["occupation"].astype(int).map(lambda code: NAMES[code - 1]),
    }
)
people.head(3)


# %%
class Person(NamedTuple):
    age: float | None
    job: str


@dp.measurement
def teachers(people: dp.Records[Person], eps: float):
    return dp.laplace(sum(1 for p in people if p.job.strip().lower() == "teacher"), epsilon=eps)


release = teachers(people, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, (frame["occupation"] == 4).sum(), 16)
release

# %% [markdown]
# Declared `float | None`, an age may be missing. Declared `float`, NaN becomes 0, and a missing
# value of a nullable column is refused: never is a row lost in silence. How many are missing?


# %%
@dp.measurement
def missing(people: dp.Records[Person], eps: float):
    return dp.laplace(sum(1 for p in people if p.age is None), epsilon=eps)


release = missing(people, eps=1.0)
assert near(release.value, people["age"].isna().sum(), 16)
release


# %%
@dp.measurement
def mean_known_first(people: dp.Records[Person], eps: float):
    ages = [dp.clamp(p.age, 15, 60) for p in people]
    return dp.laplace(sum(ages), epsilon=eps / 2) / dp.laplace(len(ages), epsilon=eps / 2)


# %% fails: it may be missing
mean_known_first(people, eps=1.0)


# %%
@dp.measurement
def mean_known(people: dp.Records[Person], eps: float):
    ages = dp.clamp(dp.drop_null([p.age for p in people]), 15, 60)
    return dp.laplace(sum(ages), epsilon=eps / 2) / dp.laplace(len(ages), epsilon=eps / 2)


release = mean_known(people, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, people["age"].mean(), 0.6)
release

# %% [markdown]
# Keys that nobody knows before: `stable_histogram` finds those that many people have. It needs a
# small `delta`, the chance that a key of one single person is shown; a millionth, say.


# %%
@dp.measurement
def jobs(people: dp.Records[Person], eps: float, delta: float):
    return dp.stable_histogram([p.job for p in people], epsilon=eps, delta=delta)


release = jobs(people, eps=1.0, delta=1e-6)
release

# %%
true_jobs = people["job"].value_counts()
assert release.cost == "ε = 1, δ = 0.000001"
assert set(release.value) == set(true_jobs.index)
assert all(near(found, true_jobs[job], 17) for job, found in release.value.items())

# %% [markdown]
# The wrong type is refused with the column and the mending, and never with a value:

# %% fails: texts where float is needed
teachers(people.assign(age=people["age"].astype(str)), eps=1.0)

# %% fails: no column job
teachers(people.drop(columns="job"), eps=1.0)

# %% [markdown]
# ## 8. Answers that decide
#
# Too few women to say anything? A test of private data decides whether an answer exists, and that
# there is none tells something, without any noise:


# %%
@dp.measurement
def guarded_first(women: dp.Records[Woman], eps: float):
    if len(women) < 100:
        return "too few"
    return dp.laplace(len(women), epsilon=eps)


# %% fails: guarded_first
guarded_first(frame, eps=1.0)

# %% [markdown]
# A released number may decide anything, for free:


# %%
@dp.measurement
def guarded(women: dp.Records[Woman], eps: float):
    found = dp.laplace(len(women), epsilon=eps)
    if found < 100:
        return "too few"
    return found


release = guarded(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, len(frame), 16)
release

# %% [markdown]
# Which level is the most frequent? Only the winner is asked for, so only the winner is paid for,
# however many there are. The numbers stay hidden.


# %%
@dp.measurement
def most_frequent(women: dp.Records[Woman], eps: float):
    numbers = [sum(1 for w in women if w.religious == level) for level in range(1, 5)]
    return 1 + dp.report_noisy_max(numbers, epsilon=eps)


release = most_frequent(frame, eps=1.0)
assert release.cost == "ε = 1"
assert int(release.value) == 3
release

# %% [markdown]
# Numbers that were released decide how much is spent later, as long as the most that can be spent
# is fixed. Here the second step runs only when it is worth while, and check charges for it in any
# case:


# %%
@dp.measurement
def in_two_steps(women: dp.Records[Woman], eps: float):
    mothers = [w for w in women if w.children > 0]
    found = dp.laplace(len(mothers), epsilon=eps / 4)
    if found < 50:
        return None
    years = [dp.clamp(w.yrs_married, 0, 30) for w in mothers]
    return dp.laplace(sum(years), epsilon=3 * eps / 4) / found


in_two_steps

# %%
release = in_two_steps(frame, eps=1.0)
assert release.cost == "ε = 1"
assert near(release.value, frame.query("children > 0")["yrs_married"].mean(), 0.5)
release

# %% [markdown]
# ## 9. Sessions and budgets
#
# Ten answers for `ε = 1` each are ten, for every person in the data: budgets are about people,
# not about questions. A session holds the data and one budget, and keeps the books.

# %%
session = dp.Session({"women": (dp.Records[Woman], frame)}, budget=dp.Budget(epsilon=1))
session

# %%
first = session.run(mothers, eps=0.2)
first

# %%
second = session.run(by_religion, eps=0.2)
assert second.cost == "ε = 0.2"
session.left()

# %%
assert session.left() == {"epsilon": Fraction(6, 10)}

# %% [markdown]
# The same question again is the same answer, and free: asking often helps nobody to average noise
# away.

# %%
again = session.run(mothers, eps=0.2)
assert again.value == first.value
assert session.left() == {"epsilon": Fraction(6, 10)}
again

# %% [markdown]
# What does not fit is refused before data are read, and the message says what would fit. A
# refusal costs nothing.

# %% fails: eps=0.6 fits
session.run(median_years, eps=0.7)

# %%
third = session.run(median_years, eps=0.3)
assert session.left() == {"epsilon": Fraction(3, 10)}
third

# %% [markdown]
# ### Questions without a function
#
# `session["women"]` is the table with a cover on it. Operations give covered values, which know
# how far one person moves them, and show no number.

# %%
very = dp.count(lambda w: w.religious == 4, session["women"])
very

# %%
release = dp.laplace(very, epsilon=0.1)
assert near(release.value, (frame["religious"] == 4).sum(), 160)
assert session.left() == {"epsilon": Fraction(2, 10)}
release

# %% [markdown]
# Whatever would show it is refused:

# %% fails: float() has no rule on a tracked value
float(very)

# %% fails: has no rule on a tracked value
"many" if very > 100 else "few"

# %% fails: has no rule on what a table will be asked
session["women"].mean()

# %% [markdown]
# ### The ledger
#
# Every spend is a row, with what was asked and what was left. Each row carries the hash of the
# one before, so a row that was changed or taken out is found. Rows come in pairs, the spend and
# the answer; the table shows the spends.

# %%
session.ledger

# %%
dp.pictures.ledger(session.ledger).figure

# %% [markdown]
# With a file, the ledger outlives the notebook, and several people share it: the budget belongs
# to the data, by their name.

# %%
import tempfile
from pathlib import Path

folder = tempfile.TemporaryDirectory()
where = Path(folder.name) / "ledger.db"
monday = dp.Session(
    {"women": (dp.Records[Woman], frame)},
    budget=dp.Budget(epsilon=1),
    dataset="fair-1974",
    ledger=str(where),
)
on_monday = monday.run(mothers, eps=0.25)

tuesday = dp.Session(
    {"women": (dp.Records[Woman], frame)},
    budget=dp.Budget(epsilon=1),
    dataset="fair-1974",
    ledger=str(where),
)
tuesday.left()

# %%
on_tuesday = tuesday.run(mothers, eps=0.25)
assert on_tuesday.value == on_monday.value
assert tuesday.left() == {"epsilon": Fraction(3, 4)}
tuesday.ledger.verify()

# %% [markdown]
# ### How much for how much?
#
# `solve` turns the question around: which `eps` meets a budget?

# %%
found = in_two_steps.solve("eps", epsilon="0.2")
found.text

# %%
assert found.value == Fraction(1, 5)

# %%
solved = overlapping.solve("eps", epsilon=1)
assert solved.value == Fraction(1, 2)
solved.text

# %% [markdown]
# ## 10. One person, many rows
#
# The RAND Health Insurance Experiment: 20,190 rows, each one year of one person, at most five per
# person.

# %%
years = (
    sm.datasets.randhie.load_pandas()
    .data[["mdvis", "disea", "hlthp"]]
    .astype({"mdvis": int, "hlthp": int})
)
years.head(3)


# %%
class Year(NamedTuple):
    mdvis: int  # visits to a doctor
    disea: float  # index of chronic diseases, 0 to 60
    hlthp: int  # 1: says that the own health is poor


@dp.measurement
def visits(years: dp.Records[Year], eps: float):
    return dp.laplace(sum(min(max(y.mdvis, 0), 20) for y in years), epsilon=eps)


visits

# %% [markdown]
# The card says *one record*: a year. Who is to be protected is a person, and a person has up to
# five. The unit of the session says so, and everything costs five times as much.

# %%
health = dp.Session(
    {"years": (dp.Records[Year], years)},
    unit=dp.Unit("one person, at most 5 years", years=5),
    budget=dp.Budget(epsilon=1),
)
release = health.run(visits, eps=0.1)
assert release.cost == "ε = 0.5"
assert near(release.value, years["mdvis"].clip(0, 20).sum(), 16 * 200)
release

# %%
health.left()

# %%
assert health.left() == {"epsilon": Fraction(1, 2)}

# %% [markdown]
# With a clamp on one side only, the message asks for the other: a number of visits is an `int`,
# and nothing says that it is not negative.


# %%
@dp.measurement
def visits_first(years: dp.Records[Year], eps: float):
    return dp.laplace(sum(min(y.mdvis, 20) for y in years), epsilon=eps)


# %% fails: one person can move this sum by any amount
health.run(visits_first, eps=0.1)

# %% [markdown]
# That message was free, too. The number of years without a visit needs no bounds at all: a year
# counts or not.


# %%
@dp.measurement
def without_visit(years: dp.Records[Year], eps: float):
    return dp.laplace(sum(1 for y in years if y.mdvis == 0), epsilon=eps)


release = health.run(without_visit, eps=0.1)
assert release.cost == "ε = 0.5"
assert near(release.value, (years["mdvis"] == 0).sum(), 160)
release

# %% fails: this costs ε = 0.25, and ε = 0 is left
health.run(without_visit, eps=0.05)

# %% [markdown]
# Means by groups of a number: poor health or not. For a person, five rows may lie in both groups;
# the cost is that of five rows, wherever they lie.


# %%
@dp.measurement
def visits_by_health(years: dp.Records[Year], eps: float):
    means = []
    for poor in (0, 1):
        counted = [min(max(y.mdvis, 0), 20) for y in years if y.hlthp == poor]
        total = dp.laplace(sum(counted), epsilon=eps / 2)
        means.append(total / dp.laplace(len(counted), epsilon=eps / 2))
    return means


later = dp.Session(
    {"years": (dp.Records[Year], years)},
    unit=dp.Unit("one person, at most 5 years", years=5),
    budget=dp.Budget(epsilon=5),
)
release = later.run(visits_by_health, eps=1.0)
assert release.cost == "ε = 5"
assert near(release.value, years["mdvis"].clip(0, 20).groupby(years["hlthp"]).mean(), 3)
release

# %% [markdown]
# ## 11. Gaussian noise
#
# For many answers, Gaussian noise is cheaper. Its cost is counted in another currency, `ρ`
# (zero-concentrated differential privacy): costs in `ρ` add up, and the noise falls with the root
# of it. Twenty-five counts that overlap, with both:


# %%
@dp.measurement
def many_laplace(years: dp.Records[Year], eps: float):
    return [
        dp.laplace(sum(1 for y in years if y.disea >= edge), epsilon=eps / 25)
        for edge in range(0, 50, 2)
    ]


@dp.measurement
def many_gaussian(years: dp.Records[Year], rho: float):
    return [
        dp.gaussian(sum(1 for y in years if y.disea >= edge), rho=rho / 25)
        for edge in range(0, 50, 2)
    ]


many_laplace.at(eps=1.0).map(1)

# %% [markdown]
# What is `ρ` in `ε`? It depends on a `δ`, the chance that the bound fails; a millionth here.
# `spent` gives the least `ε` that is proved, `solve` the largest `ρ` that fits:

# %%
budget = many_gaussian.solve("rho", epsilon=1, delta="1e-6")
budget.text, float(many_gaussian.spent("1e-6", rho=budget.value).epsilon)

# %%
assert many_laplace.at(eps=1.0).map(1) == 1
assert many_gaussian.spent("1e-6", rho=budget.value).epsilon <= 1

# %%
edges = np.arange(0, 50, 2)
true_counts = np.array([(years["disea"] >= edge).sum() for edge in edges])
by_laplace = many_laplace(years, eps=1.0)
by_gauss = many_gaussian(years, rho=float(budget.value))
figure, axes = plt.subplots(figsize=(7, 3.2))
axes.axhline(0, color="black", linewidth=0.8)
axes.plot(edges, np.array(by_laplace.value) - true_counts, "o-", label="Laplace, ε = 1")
axes.plot(
    edges, np.array(by_gauss.value) - true_counts, "s-", label="Gaussian, ε = 1 at δ = 0.000001"
)
axes.set_xlabel("at least this many diseases")
axes.set_ylabel("error of the count")
axes.legend()
figure.tight_layout()
plt.show()

# %%
assert near(by_laplace.value, true_counts, 18 * 25)
sigma = np.sqrt(25 / (2 * float(budget.value)))
assert near(by_gauss.value, true_counts, 6 * sigma)
{"Laplace": 25 * np.sqrt(2), "Gaussian": sigma}

# %% [markdown]
# These are the standard deviations. For one single count it is the other way around: Laplace.
#
# A session with a budget in `(ε, δ)` that is counted in `ρ`:

# %%
concentrated = dp.Session(
    {"years": (dp.Records[Year], years)},
    unit=dp.Unit("one person, at most 5 years", years=5),
    budget=dp.Budget(epsilon=1, delta=1e-6, by="rho"),
)
concentrated

# %%
release = concentrated.run(many_gaussian, rho=0.0004)
assert release.cost == "ρ = 0.01"
release.cost

# %% [markdown]
# Five rows cost `ρ` twenty-five times: `ρ` grows with the square of the distance. The whole curve
# of a guarantee is more than any pair of `ε` and `δ`:

# %%
guarantee = dp.measures.account(dp.measures.Gaussian(4), "add or remove")
dp.pictures.profile(guarantee, label="Gaussian noise of 4 persons").figure

# %%
guarantee.epsilon(1e-6)

# %% [markdown]
# ## 12. Regression
#
# 442 patients, their body mass index, and how far their diabetes had come a year later.

# %%
from sklearn.datasets import load_diabetes

patients = load_diabetes(as_frame=True, scaled=False).frame[["bmi", "bp", "s5", "target"]]
np.polyfit(patients["bmi"] - 27, patients["target"] - 150, 1)

# %% [markdown]
# A line is five sums: the number, both sums, the squares, the products. Each is released, and
# what follows is free. Both columns are centred by public guesses, so that products are small.


# %%
class Patient(NamedTuple):
    bmi: float
    target: float


@dp.measurement
def line(patients: dp.Records[Patient], rho: float):
    xs = [dp.clamp(p.bmi, 15, 45) - 27 for p in patients]
    ys = [dp.clamp(p.target, 0, 350) - 150 for p in patients]
    n = dp.gaussian(len(xs), rho=rho / 5)
    x = dp.gaussian(sum(xs), rho=rho / 5)
    y = dp.gaussian(sum(ys), rho=rho / 5)
    xx = dp.gaussian(sum(x * x for x in xs), rho=rho / 5)
    xy = dp.gaussian(sum(x * y for x, y in zip(xs, ys)), rho=rho / 5)
    slope = (xy - x * y / n) / (xx - x * x / n)
    return slope, y / n - slope * x / n


line

# %%
release = line(patients, rho=1.0)
assert release.cost == "ρ = 1"
assert near(release.value, np.polyfit(patients["bmi"] - 27, patients["target"] - 150, 1), [6, 12])
release

# %%
slope, height = release.value
figure, axes = plt.subplots(figsize=(6, 3.6))
axes.plot(patients["bmi"], patients["target"], ".", alpha=0.35, label="patients (never published)")
grid = np.array([18, 42])
axes.plot(grid, 150 + height + slope * (grid - 27), label="released line, ρ = 1")
axes.plot(
    grid,
    150 + np.polyval(np.polyfit(patients["bmi"] - 27, patients["target"] - 150, 1), grid - 27),
    "--",
    label="true line",
)
axes.set_xlabel("body mass index")
axes.set_ylabel("progress of the disease")
axes.legend()
figure.tight_layout()
plt.show()

# %% [markdown]
# 442 people are few: the line is rough below `ρ = 0.1`. How rough, can be tried on data that are
# made up, at no cost to anybody:

# %%
made_up = pd.DataFrame({"bmi": np.random.default_rng(1).normal(27, 4, 442)})
made_up["target"] = 150 + 10 * (made_up["bmi"] - 27) + np.random.default_rng(2).normal(0, 60, 442)
slopes = {rho: [line(made_up, rho=rho).value[0] for _ in range(20)] for rho in (0.01, 0.1, 1.0)}
pd.DataFrame(slopes).quantile([0.1, 0.5, 0.9])

# %% [markdown]
# With several columns, the library has regression by gradient descent: rows are scaled into a
# ball of radius 1, and each round releases one noisy gradient. One patient is replaced by another
# here (the number of patients is public), as the card says.

# %%
from metricdp.algorithms import linear_regression

columns = ["bmi", "bp", "s5"]
rows = (patients[columns] - [27, 95, 4.6]) / [15, 35, 1.5] / np.sqrt(3)
labels = (patients["target"] - 150) / 200
release = linear_regression((rows, labels), start=(0.0, 0.0, 0.0), rounds=30, rate=4.0, rho=2.0)
assert release.cost == "ρ = 2"
release

# %%
plain = np.linalg.lstsq(rows, labels.clip(-1, 1), rcond=None)[0]
assert near(release.value, plain, 0.9)
pd.DataFrame({"released": release.value, "least squares": plain}, index=columns)

# %%
residual = labels - rows.to_numpy() @ np.asarray(release.value)
print(f"explained: {1 - residual.var() / labels.var():.2f} (released), ", end="")
print(f"{1 - (labels - rows.to_numpy() @ plain).var() / labels.var():.2f} (least squares)")

# %% [markdown]
# (The last cell looks at private data without noise, so it is for this tutorial only. A released
# judgement needs a measurement of its own, and a part of the budget.)
#
# ## 13. Attacks
#
# Why believe any of this? A claim can be attacked. Here is a mean with noise, as it is found in
# many notebooks; its author thinks that one person hardly moves a mean, and claims `ε = 1`:


# %%
def notebook_mean(rows: dp.Records[float], rng):
    return sum(rows) / max(len(rows), 1) + rng.laplace(scale=0.1)


verdict = dp.audit.sampled(
    notebook_mean,
    epsilon=1,
    space=dp.Records[float],
    samples=20_000,
    bits=False,
    name="notebook_mean",
)
print(verdict)

# %% [markdown]
# Two data sets that differ in one person, an event, and its probability on both: nobody needs to
# believe anything. In the picture, whoever guesses from the output which data it was makes fewer
# mistakes than the claim allows.

# %%
dp.pictures.audited(verdict).figure

# %% [markdown]
# Some attacks need no noise to be taken off. A difference of two exact answers is a person:

# %%
frame["affairs"].sum() - frame["affairs"].iloc[1:].sum()

# %%
float(frame["affairs"].iloc[0])

# %% [markdown]
# With two releases, the difference is noise:

# %%
before = mean(frame["affairs"], lower=0, upper=10, eps=1.0)
after = mean(frame["affairs"].iloc[1:], lower=0, upper=10, eps=1.0)
before.value * 6366 - after.value * 6365

# %% [markdown]
# ## 14. What to file
#
# A release can be judged without this notebook: its record has the guarantee, the unit, what is
# not covered, the noise, every public parameter with its origin, versions.

# %%
print(first.to_markdown())

# %%
import json

record = json.loads(first.to_json())
sorted(record)

# %% [markdown]
# What no proof covers: how long a call takes, what you compute from the data outside of checked
# functions (the plain cells of this tutorial), and bounds that were read off the data. The first
# is named on every card; the others are yours.
#
# Further: [ten questions in pandas](../docs/pandas.md), [sessions](../docs/sessions.md),
# [data](../docs/data.md), [algorithms](../docs/algorithms), [pictures](../docs/pictures.md),
# [training](../docs/training.md).

# %%
folder.cleanup()
