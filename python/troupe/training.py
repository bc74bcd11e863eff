"""Training: runs that begin in this process."""

from __future__ import annotations

import atexit
import json
import os
import sys
import weakref
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _native
from ._configuration import arguments_of
from .errors import TrainingFailed
from .extension import Extension, extension
from .problem import Problem
from .run import Run, follow

Path = Union[str, "os.PathLike[str]"]
Extensions = Union[Mapping[str, Any], Sequence[Union[Extension, Callable[..., Any]]]]

_POLL = 0.1  # seconds until Ctrl-C is noticed


def _sections(extensions: Optional[Extensions]) -> List[Any]:
    """Pairs of a name and an extension, a value of the configuration, or a callable."""
    if extensions is None:
        return []
    if isinstance(extensions, Mapping):
        return list(extensions.items())
    made = [each if isinstance(each, Extension) else extension(each) for each in extensions]
    return [(each.name, each) for each in made]


class Training:
    """A run that trains in the background. Made by :func:`start`."""

    def __init__(self, native: _native.Training, holds: List[Any]):
        self._native = native
        self._holds = holds  # arrays and callables that training uses
        self._interrupts = 0

    @property
    def folder(self) -> str:
        """The run's folder, once all checks have passed. :raises Error: why the run does not begin"""
        while not self._native.wait_for_begin(_POLL):
            pass
        if not self._native.folder:
            self._native.result()
        return self._native.folder

    @property
    def done(self) -> bool:
        """Whether training has ended, and its results are written."""
        return self._native.wait_for_end(0)

    def stop(self, after: str = "batch") -> None:
        """Ends training softly, after the running "batch" or "epoch"; its state is saved, and wait() returns the run."""
        if after not in ("batch", "epoch"):
            raise ValueError(f"after is {after!r}; give 'batch' or 'epoch'")
        self._native.interrupt(2 if after == "batch" else 1)

    def follow(self) -> Iterator[Dict[str, Any]]:
        """The rows of the log as they are written, until training ends."""
        return follow(self.folder)

    def wait(self) -> Run:
        """Waits until training has ended. Ctrl-C ends it after the epoch, a second one after the batch; a third one stops
        waiting.

        :raises TrainingFailed: training failed. Error: it did not begin
        """
        while True:
            try:
                if self._native.wait_for_end(_POLL):
                    break
            except KeyboardInterrupt:
                self._interrupts += 1
                if self._interrupts > 2:
                    raise
                self._native.interrupt(self._interrupts)
                print("interrupted: training ends after this " + (
                    "epoch; press Ctrl-C again to end after this batch" if self._interrupts == 1 else "batch"),
                    file=sys.stderr)
        result = json.loads(self._native.result())
        self._holds = []
        if result["outcome"] == "failed":
            error = TrainingFailed(result["reason"])
            error.folder = os.path.abspath(result["run"])
            raise error
        return Run(result["run"], result)


_trainings: "weakref.WeakSet[Training]" = weakref.WeakSet()


@atexit.register
def _end_trainings() -> None:
    """Before Python ends: the threads of extensions need it."""
    for training in list(_trainings):
        training._native.interrupt(2)
    for training in list(_trainings):
        while not training._native.wait_for_end(_POLL):
            pass


def start(
    problem: Union[Problem, Mapping[str, Any], str, None] = None,
    *,
    extensions: Optional[Extensions] = None,
    files: Sequence[Path] = (),
    resume: Optional[Path] = None,
    folder: Optional[Path] = None,
    quiet: bool = True,
    **configuration: Any,
) -> Training:
    """Begins a run in the background. Arguments as of :func:`train`."""
    arguments: List[str] = []
    holds: List[Any] = [problem]
    if isinstance(problem, Problem):
        arguments += ["problem.name=arrays", "problem.handle=" + problem._native.handle]
    elif problem is not None:
        arguments += arguments_of({"problem": problem})
    arguments += arguments_of(configuration)
    for name, each in _sections(extensions):
        if not isinstance(each, Extension) and callable(each):
            each = extension(each)
        if isinstance(each, Extension):
            holds.append(each.hand_over())
            each = each.section(holds[-1])
        arguments += arguments_of({f"extensions.{name}": each})
    if "plugins" in configuration:
        _native.show_symbols_to_plugins()
    training = Training(
        _native.Training(arguments=arguments, files=[os.fspath(file) for file in files],
                         resume=os.fspath(resume or ""), folder=os.fspath(folder or ""), quiet=quiet, progress=not quiet),
        holds)
    _trainings.add(training)
    return training


def train(
    problem: Union[Problem, Mapping[str, Any], str, None] = None,
    *,
    extensions: Optional[Extensions] = None,
    files: Sequence[Path] = (),
    resume: Optional[Path] = None,
    folder: Optional[Path] = None,
    quiet: bool = True,
    **configuration: Any,
) -> Run:
    """Trains a model, and returns the run.

    problem        a Problem, or a section of the configuration: "digits", {"name": "csv", "path": "iris.csv"}
    extensions     callables and extensions in a list, or a dict by name, where False switches one off
    files          configuration files; arguments take precedence
    resume         a run to continue: its folder, or "latest"
    folder         where to train, and to continue from what is saved there; None: a new folder in ``runs/``
    quiet          False: lines and progress on standard error, as the program prints them
    configuration  the configuration's sections and keys: model="mlp", training={"epochs": 3}, training__epochs=3

    :raises ConfigError, DataError, FileError: training does not begin. TrainingFailed: it failed
    """
    return start(problem, extensions=extensions, files=files, resume=resume, folder=folder, quiet=quiet,
                 **configuration).wait()
