"""One call of a black box: quiet, and total; its result in the declared space, or the default.

Whatever the box does, the caller sees a value of the declared space and nothing else: exceptions of
every kind, `sys.exit` among them, give the public default; what Python code prints, warns or logs
goes nowhere.  KeyboardInterrupt passes, since it comes from the person at the keyboard, and stops
the whole run.  MemoryError and RecursionError count as any other exception.  What a library writes
below Python (to file descriptors) is outside: the trust in the box covers it.
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from metricdp.run.facts import Notice, clean_floats
from metricdp.run.guards import admit
from metricdp.spaces import Gradient, Matrix, Scalar, Space, Vector
from metricdp.values import ExactMatrix, ExactVector, PackedVector


class _Nowhere(io.TextIOBase):
    """Takes text, and keeps none."""

    def write(self, text: str) -> int:
        return len(text)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Python's own output, warnings, logging and NumPy's error states, off and then as before."""
    nowhere = _Nowhere()
    disabled = logging.root.manager.disable
    numpy = sys.modules.get("numpy")
    states = numpy.errstate(all="ignore") if numpy is not None else contextlib.nullcontext()
    with (
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
        states,
    ):
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(disabled)


def outcome(
    function: Callable[..., Any], args: list[Any], keywords: dict[str, Any], space: Space
) -> Any:
    """The result as a fresh value of a concrete space; None where it is none.

    Raises:
        KeyboardInterrupt: a person stopped the run.
    """
    value: Any = None
    stopped = False
    with quiet():
        try:
            # Reading the result may run code of the box too (`__len__`, `__float__`).
            value = admitted(space, function(*args, **keywords))
        except KeyboardInterrupt:
            stopped = True
        except BaseException:
            value = None
    if stopped:  # afresh: the frames of the box hold private values
        raise KeyboardInterrupt
    return value


def admitted(space: Space, value: Any) -> Any:
    """A result as a value of a concrete space; None, or an exception, if it is none."""
    value = _plain(value)
    if (packed := _packed(space, value)) is not None:
        return packed
    text = getattr(space, "kind", "") == "str"
    found = admit("result", space, value)
    if isinstance(space, Scalar):
        return found if isinstance(found, str) is text else None
    cells = [x for row in found for x in row] if isinstance(found, ExactMatrix) else found
    # Text among discrete entries would fail later, and where it fails would tell.
    if any(isinstance(x, str) for x in cells):
        return None
    return found if shape(found) == declared_shape(space) else None


def _plain(value: Any) -> Any:
    """Tensors of other libraries as NumPy arrays."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        return value.detach().cpu().numpy()
    return value


def _packed(space: Space, value: Any) -> PackedVector | None:
    """An array of doubles in a space of discrete vectors without bounds, as it is."""
    if not isinstance(space, Vector) or space.element != "Data" or space.radius:
        return None
    dtype = getattr(value, "dtype", None)
    if dtype is None or type(value).__module__ != "numpy" or dtype.kind != "f" or value.ndim != 1:
        return None
    bounded = not (space.lo.is_infinite and space.hi.is_infinite)
    if bounded or (len(value),) != declared_shape(space):
        return None
    return PackedVector(clean_floats(value, (None, None), Notice("result", False)))


def shape(value: Any) -> tuple[int, ...]:
    """Sizes of a run-time value; () for one number."""
    if isinstance(value, ExactMatrix):
        return (value.rows, value.cols)
    return (len(value),) if isinstance(value, list | PackedVector) else ()


def declared_shape(space: Space) -> tuple[int, ...]:
    """Sizes of a concrete space; () for one number."""
    sizes: tuple[Any, ...] = ()
    if isinstance(space, Matrix):
        sizes = (space.rows, space.cols)
    elif isinstance(space, Vector | Gradient):
        sizes = (space.size,)
    return tuple(int(size.as_fraction()) for size in sizes)


def filled(space: Space, value: Any) -> Any:
    """The public default: `value` in every entry, moved into the bounds of a concrete space."""
    if isinstance(space, Scalar):
        if space.kind == "bool" or space.element == "Bool":
            value = bool(value)
        elif space.kind == "int" or space.element == "Int":
            value = int(value)
        return admit("default", space, value)
    sizes = declared_shape(space)
    kind = {"Int": int, "Bool": bool}.get(getattr(space, "element", ""))
    value = value if kind is None else kind(value)
    if len(sizes) == 1:
        return admit("default", space, ExactVector([value] * sizes[0]))
    made = admit("default", space, [[value] * sizes[1] for _ in range(sizes[0])])
    return made if shape(made) == sizes else ExactMatrix([], sizes[1])
