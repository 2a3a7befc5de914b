"""How many subscribers use an address of a university, of a company, or of a free service?"""

import metricdp as dp

FREE = ("gmail.com", "outlook.com", "yahoo.com")


def kind(address: str) -> str:
    domain = address.strip().lower().split("@")[-1]
    if domain.endswith(".edu") or domain.endswith(".ac.uk"):
        return "university"
    if domain in FREE:
        return "free"
    return "company"


@dp.measurement
def mail_domains(addresses: dp.Records[str], eps: float):
    return {
        k: round(dp.laplace(sum(1 for a in addresses if kind(a) == k), epsilon=eps))
        for k in ("university", "free", "company")
    }
