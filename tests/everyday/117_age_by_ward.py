from dataclasses import dataclass

import metricdp as dp

WARDS = ("A", "B", "C")
AGES = [(0, 18), (18, 40), (40, 65), (65, 120)]


@dataclass
class Patient:
    ward: str
    age: int


@dp.measurement
def age_by_ward(patients: dp.Records[Patient], eps: float):
    table = {}
    for ward in WARDS:
        row = []
        for lo, hi in AGES:
            cell = sum(1 for p in patients if p.ward == ward and lo <= p.age < hi)
            row.append(max(0, round(dp.laplace(cell, epsilon=eps))))
        table[ward] = row
    return table
