"""Builtins on public sequences whose number of items is known: ranges, sorted values."""

from __future__ import annotations

from metricdp.check.values import public
from metricdp.check.values.heap import Heap
from metricdp.check.values.objects import Obj, Range, Tuple, Value
from metricdp.expr import ONE, num
from metricdp.spaces import Vector

#: Most numbers of a range that become a list of known items.
LISTED = 64


def of_range(heap: Heap, name: str, numbers: Range) -> Obj | None:
    """`len`, `reversed`, `list` or `tuple` of a range; None for another builtin."""
    start = numbers.start.expr
    if start is None:
        return None
    if name == "len":
        return public.public_number(numbers.count)
    if name == "reversed":
        last = start + (numbers.count - ONE) * numbers.step
        return Range(public.public_number(last), numbers.count, -numbers.step)
    if name not in ("list", "tuple", "sorted"):
        return None
    count = numbers.count.as_fraction()
    if count is None or count > LISTED or name == "sorted":
        return Value("public", Vector("Real", "LInf", numbers.count), source="computed",
                     size=numbers.count)  # fmt: skip
    items = [public.public_number(start + num(i) * numbers.step) for i in range(int(count))]
    return heap.new(items) if name == "list" else Tuple(tuple(items))


def in_order(heap: Heap, values: Obj) -> Obj | None:
    """`sorted` of public values; None if their number is not known."""
    if isinstance(values, Value) and values.size is not None:
        return Value(values.origin, values.space, source="computed", size=values.size)
    if not isinstance(values, Tuple) or values.names or not values.items:
        return None
    numbers = [item for item in values.items if isinstance(item, Value)]
    known = [type(n.literal) in (int, float) and n.literal == n.literal for n in numbers]
    if all(known) and len(numbers) == len(values.items):
        ordered: list[Value] = sorted(numbers, key=lambda number: number.literal)
        return heap.new(ordered)
    origin = public.origin(*values.items)
    each = [public.one_of(values.items, origin) for _ in values.items]
    return heap.new(each) if all(isinstance(one, Value) for one in each) else None
