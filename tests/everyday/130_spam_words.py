from dataclasses import dataclass
from math import log

import metricdp as dp

WORDS = ["free", "winner", "meeting", "invoice"]


@dataclass
class Mail:
    text: str
    spam: bool


@dp.measurement
def spam_words(mails: dp.Records[Mail], eps: float):
    e = eps / (len(WORDS) + 1)
    n = {c: dp.laplace(sum(1 for m in mails if m.spam == c), epsilon=e) for c in (True, False)}
    weights = {}
    for word in WORDS:
        rate = {}
        for c in (True, False):
            hits = sum(1 for m in mails if m.spam == c and word in m.text.lower())
            rate[c] = (max(dp.laplace(hits, epsilon=e), 0) + 1) / (max(n[c], 0) + 2)
        weights[word] = log(rate[True] / rate[False])
    return weights
