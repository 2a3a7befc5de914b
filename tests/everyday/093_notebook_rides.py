# %% [markdown]
"""How far do people ride, and how much do they tip? Cells of a notebook, saved as a file."""

# %%
import numpy as np

import metricdp as dp

# %%
MAX_KM = 40
MAX_TIP = 20
bins = np.linspace(0, MAX_KM, 9)


# %%
def bucket(km):
    return int(min(max(km, 0), MAX_KM - 0.001) // 5)


# %%
@dp.measurement
def ride_profile(rides: dp.Records[tuple[float, float]], eps: float):
    counts = np.zeros(8)
    tips = np.zeros(8)
    for km, tip in rides:
        counts[bucket(km)] += 1
        tips[bucket(km)] += min(max(tip, 0), MAX_TIP)
    counts = dp.laplace(counts, epsilon=eps / 2)
    tips = dp.laplace(tips, epsilon=eps / 2)
    return bins[:-1], counts, tips / np.maximum(counts, 1)


# %%
eps_for_report = 0.5
