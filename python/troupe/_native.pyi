"""The extension module. Private, except for Event."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

from numpy.typing import NDArray

version: str

class Event:
    """An event of training, as an extension sees it."""

    @property
    def moment(self) -> str:
        """The callback: "after_batch", "after_epoch", "before_training", ..."""
    @property
    def worker(self) -> int: ...
    @property
    def batches(self) -> int:
        """Done so far; epochs and examples likewise."""
    @property
    def epochs(self) -> int: ...
    @property
    def examples(self) -> int: ...
    @property
    def seconds(self) -> float:
        """Since training started."""
    @property
    def loss(self) -> float:
        """The mean loss of the last batch, before its update."""
    @property
    def learning_rate(self) -> float:
        """Of the next update."""
    @property
    def lost(self) -> int:
        """Events that were lost since the last call."""
    @property
    def reason(self) -> str:
        """Why training ended, at its last events."""
    @property
    def parameters(self) -> Dict[str, NDArray[Any]]:
        """With shows="parameters": read-only float32 arrays by name, of this moment, without a copy."""
    @property
    def gradient(self) -> Dict[str, NDArray[Any]]:
        """With shows="gradients": the gradient of the last update, likewise."""
    def stop(self, reason: str) -> None:
        """Ends training of all workers after the running batch; the run counts as finished."""
    def set(self, **settings: float) -> None:
        """Changes settings of the optimizer: set(learning_rate=0.001)."""

class HandedCallable:
    handle: str
    def __init__(self, callable: Callable[[Event], Any]) -> None: ...

class ArrayProblem:
    handle: str
    def __init__(
        self,
        inputs: Sequence[Tuple[str, int, bool]],
        targets: Sequence[Tuple[str, int, bool]],
        sections: Sequence[Tuple[Sequence[NDArray[Any]], Sequence[NDArray[Any]], NDArray[Any]]],
    ) -> None: ...
    def size(self, section: str) -> int: ...
    def batch(self, section: str, rows: Sequence[int]) -> Dict[str, NDArray[Any]]: ...
    def fields(self) -> List[str]: ...

class Training:
    folder: str
    def __init__(
        self, *, arguments: List[str], files: List[str], resume: str, folder: str, quiet: bool, progress: bool
    ) -> None: ...
    def wait_for_begin(self, seconds: float) -> bool: ...
    def wait_for_end(self, seconds: float) -> bool: ...
    def interrupt(self, level: int) -> None: ...
    def result(self) -> str: ...

class RunModel:
    inputs: List[str]
    def __init__(self, run: str) -> None: ...
    def parameters(self) -> Dict[str, NDArray[Any]]: ...
    def predict(self, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]: ...

class LogFollower:
    ended: bool
    alive: bool
    def __init__(self, folder: str) -> None: ...
    def rows(self) -> List[Dict[str, Any]]: ...

class Connection:
    def __init__(self, *, run: str, token_file: str, certs: str, name: str) -> None: ...
    def ask(self, verb: str, arguments: List[str]) -> Tuple[bool, List[str]]: ...
    def next_rows(self, rows: int) -> Tuple[List[str], int, bool]: ...
    def close(self) -> None: ...

def split_rows(rows: int, split: str, validation: float, test: float, seed: int) -> List[NDArray[Any]]: ...
def log_arrays(file: str, worker: int) -> Dict[str, NDArray[Any]]: ...
def show_symbols_to_plugins() -> None: ...
def folder_of_run(run: str) -> str: ...
