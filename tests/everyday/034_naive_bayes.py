"""Which words mark a message as spam: the tables of a naive Bayes filter?"""

from dataclasses import dataclass
from math import log

import metricdp as dp

WORDS = ("free", "winner", "meeting", "invoice")


@dataclass
class Message:
    text: str
    spam: bool


@dp.measurement
def naive_bayes(messages: dp.Records[Message], eps: float):
    model = {}
    for label in (True, False):
        mine = [m for m in messages if m.spam == label]
        n = max(dp.laplace(len(mine), epsilon=eps / 2), 1)
        logs = {}
        for word in WORDS:
            k = sum(1 for m in mine if word in m.text.lower())
            k = dp.laplace(k, epsilon=eps / 2 / len(WORDS))
            logs[word] = log((max(k, 0) + 1) / (n + 2))
        model[label] = logs
    return model
