"""Who wins the vote, and with how many votes?"""

from collections import Counter

import metricdp as dp

NAMES = ("Ann", "Bob", "Cem")


@dp.measurement
def winner_and_votes(votes: dp.Records[str], eps: float):
    tally = Counter(v for v in votes if v in NAMES)
    counts = [tally.get(name, 0) for name in NAMES]
    i = dp.report_noisy_max(counts, epsilon=eps / 2)
    return NAMES[i], dp.laplace(counts[i], epsilon=eps / 2)
