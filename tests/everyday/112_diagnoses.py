from collections import Counter
from dataclasses import dataclass

import metricdp as dp

DIAGNOSES = ["flu", "asthma", "fracture", "diabetes", "other"]


@dataclass
class Admission:
    patient: str
    diagnosis: str


@dp.measurement
def common_diagnoses(admissions: dp.Records[Admission, dp.Ids("patient")], eps: float, k: int):
    admissions = dp.limit_rows(admissions, "patient", 3)
    seen = Counter(a.diagnosis if a.diagnosis in DIAGNOSES else "other" for a in admissions)
    noisy = Counter({d: dp.laplace(seen[d], epsilon=eps) for d in DIAGNOSES})
    return noisy.most_common(k)
