from dataclasses import dataclass

import metricdp as dp

PRICES = {"tea": 2.5, "coffee": 3.2, "cake": 4.0, "soup": 6.5}


@dataclass
class Order:
    customer: str
    item: str
    quantity: int


@dp.measurement
def takings(orders: dp.Records[Order, dp.Ids("customer")], eps: float):
    orders = dp.limit_rows(orders, "customer", 4)
    money = sum(PRICES.get(o.item, 0) * min(max(o.quantity, 0), 10) for o in orders)
    return dp.laplace(money, epsilon=eps)
