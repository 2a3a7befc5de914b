"""How many patients have the condition?"""

import metricdp as dp


@dp.measurement
def laplace_counting(patients: dp.Records[bool], eps: float):
    count = 0
    for has_it in patients:
        if has_it:
            count += 1
    return dp.laplace(count, scale=1 / eps)
