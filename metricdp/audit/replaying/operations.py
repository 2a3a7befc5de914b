"""Operations by which Python and NumPy reach into an object: none of them may pass a placeholder
unseen.

Python looks these names up on the type, past `__getattr__`.  So a stand-in for a number has to
answer each of them, or it fails inside the audited program with an error of its own.
"""

from __future__ import annotations

import asyncio
from typing import Any

#: What makes and keeps an object, and says nothing of a value.
_KEPT = frozenset(
    "__new__ __init__ __init_subclass__ __subclasshook__ __class_getitem__ __del__ __doc__ "
    "__getattribute__ __getattr__ __setattr__ __delattr__ __slots__ __module__ __dict__ "
    "__weakref__ __class__ __qualname__ __name__".split()
)
#: Kinds whose special methods are all those that Python knows.
_KINDS: tuple[Any, ...] = (
    int, float, complex, str, bytes, list, dict, set, frozenset, range, memoryview,
    type(iter(())), type(_ for _ in ()), asyncio.Future, property, classmethod,
)  # fmt: skip
_OTHERS = (
    "__divmod__ __rdivmod__ __matmul__ __rmatmul__ __index__ __trunc__ __floor__ __ceil__ "
    "__complex__ __round__ __length_hint__ "
    "__missing__ __reversed__ __fspath__ __enter__ __exit__ __aenter__ __aexit__ __aiter__ "
    "__anext__ __await__ __call__ __copy__ __deepcopy__ __reduce__ __reduce_ex__ __getstate__ "
    "__setstate__ __getnewargs__ __getnewargs_ex__ __sizeof__ __dir__ __bytes__ __buffer__ "
    "__instancecheck__ __subclasscheck__ __array__ __array_ufunc__ __array_function__ "
    "__array_interface__ __array_struct__ __array_wrap__ __array_finalize__ __dlpack__ "
    "__dlpack_device__ __conform__ __rich__ __rich_console__ __html__"
)

_NAMES = frozenset(
    name
    for name in [*_OTHERS.split(), *(n for kind in _KINDS for n in dir(kind))]
    if name.startswith("__") and name.endswith("__") and name not in _KEPT
)

#: Every name, but for those in place (`+=`), which fall back to the plain ones.
SPECIAL = frozenset(n for n in _NAMES if n[:3] != "__i" or f"__{n[3:]}" not in _NAMES)

#: Those of which Python or NumPy reads a value, and which it does not call.
READ = frozenset(("__array_interface__", "__array_struct__"))
