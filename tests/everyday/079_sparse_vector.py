"""Which is the first of many yes-or-no questions that more than 60 people answer with yes?"""

import metricdp as dp

LIMIT = 60


@dp.measurement(epsilon="eps")
def first_popular(answers: dp.Records[tuple[bool, bool, bool, bool]], eps: float):
    limit = dp.laplace(LIMIT, scale=2 / eps)
    for i in range(4):
        yes = sum(1 for a in answers if a[i])
        if dp.laplace(yes, scale=4 / eps) >= limit:
            return i
    return None
