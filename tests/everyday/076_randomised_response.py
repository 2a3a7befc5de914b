"""Which share of students has cheated, by randomised response?"""

import math

import metricdp as dp


@dp.measurement
def cheated(answers: dp.Records[bool, dp.ChangeOne], eps: float):
    told = [dp.randomized_response(a, epsilon=eps) for a in answers]
    share = sum(told) / len(told)
    p = math.exp(eps) / (1 + math.exp(eps))
    return (share - (1 - p)) / (2 * p - 1)
