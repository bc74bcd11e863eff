"""Runs: what training leaves."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, Iterator, Mapping, Optional, Union

import numpy as np

from . import _native
from .errors import Unavailable
from .problem import Arrays, _floats, _named

_POLL = 0.1  # seconds between two looks at a log


class Run:
    """A run in its folder. Made by :func:`train` and :func:`open`."""

    def __init__(self, folder: str, result: Optional[Mapping[str, Any]] = None):
        #: The folder with all files of the run.
        self.folder = os.path.abspath(folder)
        self._result = result
        self._model: Optional[_native.RunModel] = None

    @property
    def result(self) -> Dict[str, Any]:
        """The content of result.json: outcome, reason, metrics, epochs, seconds, ... :raises FileError: not written yet"""
        if self._result is None:
            with open(os.path.join(self.folder, "result.json"), encoding="utf-8") as file:
                self._result = json.load(file)
        return dict(self._result)

    @property
    def outcome(self) -> str:
        """"finished", or "interrupted": it can be resumed."""
        return str(self.result["outcome"])

    @property
    def metrics(self) -> Dict[str, float]:
        """The metrics of the test section; empty if there is none."""
        return self.result.get("test", {})

    @property
    def _trained(self) -> _native.RunModel:
        if self._model is None:
            self._model = _native.RunModel(self.folder)
        return self._model

    @property
    def parameters(self) -> Dict[str, np.ndarray]:
        """The trained parameters by name: read-only float32 arrays over the model's memory."""
        return self._trained.parameters()

    def predict(self, x: Arrays) -> np.ndarray:
        """The model's output before the loss, float32 [examples, ...]: numbers for a regression, for classes one logit each.

        x  [examples, ...] as for Problem.from_arrays; float32 is read where it is

        :raises DataError, FileError: the run has no readable model. ValueError: the shape does not fit
        """
        given = _named(x, "inputs")
        names = self._trained.inputs
        if not isinstance(x, Mapping) and len(names) == 1:
            given = {names[0]: given["inputs"]}
        if absent := [name for name in names if name not in given]:
            raise ValueError(f"there is no array '{absent[0]}'; give a dict with {', '.join(names)}")
        return self._trained.predict([_floats(given[name]) for name in names])

    def log(self, worker: int = 0) -> Dict[str, np.ndarray]:
        """The numbers of the log: arrays of one length by name, NaN where a row has no such record.

        "batch" and "epoch" int64; "seconds" of training and "time" since 1970 float64; each record float64.
        Records that are texts are left out; follow() has them.
        """
        return _native.log_arrays(os.path.join(self.folder, "log.jsonl"), worker)

    def follow(self) -> Iterator[Dict[str, Any]]:
        """The rows of the log, from the first on, until the run ends."""
        return follow(self.folder)

    def __repr__(self) -> str:
        return f"<troupe.Run {self.folder}>"


def follow(folder: str) -> Iterator[Dict[str, Any]]:
    """The rows of the log of a run on this machine, from the first on, until it ends: worker, batch, epoch, seconds, time,
    and the row's records, by name.

    :raises Unavailable: the run's process has ended without the end of its log
    """
    log = _native.LogFollower(folder)
    while True:
        alive = log.alive  # before the rows: a process writes its last rows, and then ends
        rows = log.rows()
        yield from rows
        if log.ended:
            return
        if not alive and not rows:
            raise Unavailable(f"the run in '{folder}' is not running, and its log has no end; resume it with "
                              f"troupe.train(resume={folder!r})")
        if not rows:
            time.sleep(_POLL)


def open_run(run: Union[str, "os.PathLike[str]"] = "latest") -> Run:
    """A run by its folder, or "latest". :raises FileError: there is none"""
    return Run(_native.folder_of_run(os.fspath(run)))
