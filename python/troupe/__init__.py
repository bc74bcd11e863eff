"""Troupe trains machine-learning models with a troupe of actors.

    import numpy, troupe
    x = numpy.random.rand(1000, 4).astype("float32")
    run = troupe.train(troupe.Problem.from_arrays(x, x.sum(1, keepdims=True)), model="mlp", training__epochs=20)
    run.predict(x[:3])

A page with more: docs/how-to/python.md. The keys of the configuration: docs/reference/configuration.md.
"""

from . import errors
from ._native import version as __version__
from .connection import Connection, connect
from .errors import (ConfigError, DataError, Error, FileError, Refused, TrainingFailed, Unavailable,
                     UsageError)
from .extension import Event, Extension, extension
from .problem import Problem
from .run import Run, follow
from .run import open_run as open
from .training import Training, start, train

__all__ = [
    "ConfigError", "Connection", "DataError", "Error", "Event", "Extension", "FileError", "Problem", "Refused", "Run",
    "Training", "TrainingFailed", "Unavailable", "UsageError", "connect", "errors", "extension", "follow", "open", "start",
    "train",
]
