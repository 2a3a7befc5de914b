import metricdp as dp


def letter(mark):
    if mark >= 70:
        return "A"
    if mark >= 60:
        return "B"
    if mark >= 50:
        return "C"
    return "F"


@dp.measurement
def letter_grades(marks: dp.Records[float], eps: float):
    letters = [letter(m) for m in marks]
    counts = {g: letters.count(g) for g in "ABCF"}
    noisy = {g: dp.laplace(n, epsilon=eps) for g, n in counts.items()}
    passed = noisy["A"] + noisy["B"] + noisy["C"]
    return noisy, passed / (passed + noisy["F"])
