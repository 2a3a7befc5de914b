"""How many values are missing in each column of the sign-up form?"""

from dataclasses import dataclass
from typing import Optional

import metricdp as dp


@dataclass
class Form:
    age: Optional[int]
    income: Optional[float]
    city: Optional[str]


@dp.measurement
def missing_values(forms: dp.Records[Form], eps: float):
    e = eps / 3
    return {
        "age": dp.laplace(sum(1 for f in forms if f.age is None), epsilon=e),
        "income": dp.laplace(sum(1 for f in forms if f.income is None), epsilon=e),
        "city": dp.laplace(sum(1 for f in forms if f.city is None), epsilon=e),
    }
