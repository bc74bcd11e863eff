"""Problems: what a model learns from."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from .errors import DataError

Arrays = Union[np.ndarray, Sequence[Any], Mapping[str, Any]]
Pair = Tuple[Arrays, Arrays]

_FEW = 1000  # so few classes that some may be missing
_SECTIONS = ("train", "validation", "test")


def _floats(array: np.ndarray) -> np.ndarray:
    """float32 [rows, ...] as it is, other numbers after one conversion."""
    if array.dtype.kind not in "fiub":
        raise TypeError(f"an array has the type {array.dtype}, which is no real number; give float32")
    array = np.ascontiguousarray(array, np.float32)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _classes(array: np.ndarray) -> np.ndarray:
    """int32 [rows, ...] as it is, other integers after one conversion, and rows with one 1 and else 0 (one-hot) as the place
    of the 1."""
    if array.ndim == 2 and array.shape[1] > 1 and len(array) and (
            (array == 1).sum(axis=1) == 1).all() and ((array == 0).sum(axis=1) == array.shape[1] - 1).all():
        array = array.argmax(axis=1)
    if array.dtype.itemsize > 4 and array.size and np.abs(array).max() > np.iinfo(np.int32).max:
        raise ValueError("the classes do not fit 32 bits; number them from 0, like "
                         "numpy.unique(y, return_inverse=True)[1]")
    return np.ascontiguousarray(array, np.int32)


def _named(arrays: Arrays, name: str) -> Dict[str, np.ndarray]:
    named = arrays if isinstance(arrays, Mapping) else {name: arrays}
    return {key: np.asarray(array) for key, array in named.items()}


class Problem:
    """Arrays of examples, in the sections train, validation and test. Make one by :meth:`from_arrays`."""

    def __init__(self, native: _native.ArrayProblem, converted: Tuple[str, ...]):
        self._native = native
        #: Names of the arrays that were converted once, since their type or layout was another one.
        self.converted = converted

    @classmethod
    def from_arrays(
        cls,
        x: Arrays,
        y: Arrays,
        *,
        validation: Union[float, Pair] = 0.1,
        test: Union[float, Pair] = 0.1,
        split: str = "random",
        split_seed: int = 0,
        classes: Optional[int] = None,
    ) -> "Problem":
        """A problem from arrays in memory.

        x           [examples, ...], or a dict of such arrays by the names of a model's inputs
        y           [examples] or [examples, ...]. Integers are classes from 0, -1 is masked; floats make a regression;
                    rows of integers with one 1 and else 0 (one-hot) are the class of its place
        validation  a fraction of the examples, or a pair (x, y) of their own; test likewise
        split       "random" (by split_seed) or "ordered": how the fractions are taken
        classes     their number, for integers; None: the largest and 1

        float32 for x and regressions and int32 for classes, C-contiguous, are used where they are: a batch is the only copy
        of a row. Anything else is converted once, and ``converted`` names it. Leave the arrays as they are while a run
        trains.

        :raises DataError: a number is not finite, or no class. ValueError, TypeError: arrays do not belong together
        """
        inputs, targets = _named(x, "inputs"), _named(y, "targets")
        whole = {name: array.dtype.kind in "iub" for name, array in targets.items()}
        converted: List[str] = []

        def suited(name: str, given: np.ndarray, is_class: bool) -> np.ndarray:
            array = _classes(given) if is_class else _floats(given)
            if not np.shares_memory(array, given) and given.size:
                converted.append(name)
            return array

        def section(some_inputs: Dict[str, np.ndarray], some_targets: Dict[str, np.ndarray]) -> Tuple[List[np.ndarray], List[np.ndarray], int]:
            if list(some_inputs) != list(inputs) or list(some_targets) != list(targets):
                raise ValueError("the sections have arrays of different names; give each the same ones")
            lists = ([suited(name, array, False) for name, array in some_inputs.items()],
                     [suited(name, array, whole[name]) for name, array in some_targets.items()])
            sizes = {array.shape[0] for array in lists[0] + lists[1]}
            if len(sizes) != 1:
                raise ValueError("the arrays have " + " and ".join(map(str, sorted(sizes)))
                                 + " rows; give arrays that belong together, a row for each example")
            return lists[0], lists[1], sizes.pop()

        given = section(inputs, targets)
        fractions = [share if isinstance(share, (int, float)) else 0.0 for share in (validation, test)]
        train_rows, *other_rows = _native.split_rows(given[2], split, fractions[0], fractions[1], split_seed)
        sections = [(given[0], given[1], train_rows)]
        for share, rows in zip((validation, test), other_rows):
            if isinstance(share, (int, float)):
                sections.append((given[0], given[1], rows))
            else:
                own = section(_named(share[0], "inputs"), _named(share[1], "targets"))
                sections.append((own[0], own[1], np.arange(own[2], dtype=np.int64)))
        shapes = [[array.shape[1:] for array in part[0] + part[1]] for part in sections]
        if any(shape != shapes[0] for shape in shapes):
            raise ValueError(f"the sections have arrays of different shapes: {shapes}; give each the same ones")

        def field(name: str, place: int) -> Tuple[str, int, bool]:
            if not whole[name]:
                return name, 0, False
            labels = np.concatenate([part[1][place].ravel() for part in sections])
            masked = bool((labels == -1).any())
            if classes is not None:
                return name, classes, masked
            largest = int(labels.max(initial=0))
            if masked and largest == 1 and not (labels == 0).any():
                raise DataError(f"{name} has the classes -1 and 1, of which -1 is masked, so that one is left; "
                                "number two classes 0 and 1")
            if largest >= _FEW and (occur := len(np.unique(labels))) < largest / 10:
                raise DataError(f"{name} has {occur} different classes, but the largest is {largest}; number them from 0, "
                                "like numpy.unique(y, return_inverse=True)[1]; for a regression give floats")
            return name, largest + 1, masked

        native = _native.ArrayProblem([(name, 0, False) for name in inputs],
                                      [field(name, place) for place, name in enumerate(targets)], sections)
        return cls(native, tuple(dict.fromkeys(converted)))

    def size(self, section: str = "train") -> int:
        """The number of examples of a section: "train", "validation" or "test"."""
        return self._native.size(section)

    def batch(self, rows: Sequence[int], section: str = "train") -> Dict[str, np.ndarray]:
        """The examples of some rows as a model reads them: arrays [len(rows), ...] by field."""
        return self._native.batch(section, list(rows))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{self.size(section)} {section}" for section in _SECTIONS)
        return f"<troupe.Problem {'; '.join(self._native.fields())}; {sizes}>"
