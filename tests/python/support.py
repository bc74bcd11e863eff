"""Shared by the tests of the package for Python: a folder for each test, and examples that a small model learns."""
import os
import pathlib
import tempfile
import unittest

import numpy

import troupe

PROGRAM = os.environ["TROUPE_PROGRAM"]
PLUGIN = os.environ.get("TROUPE_TEST_PLUGIN")


def examples(count=400, seed=0):
    """Points in two dimensions, and the one of three directions that each is nearest to."""
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(count, 2)).astype(numpy.float32)
    directions = numpy.array([[1, 0], [-0.5, 0.8], [-0.5, -0.8]], numpy.float32)
    return x, (x @ directions.T).argmax(1).astype(numpy.int32)


class InFolder(unittest.TestCase):
    """A test whose working folder is empty at its beginning and removed at its end."""

    def setUp(self):
        before = os.getcwd()
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.addCleanup(os.chdir, before)
        os.chdir(self._folder.name)
        self.folder = pathlib.Path(self._folder.name)

    def trained(self, problem=None, **configuration):
        """A short run, of the same seed each time."""
        if problem is None:
            problem = troupe.Problem.from_arrays(*examples())
        return troupe.train(problem, **{"model": {"name": "mlp", "hidden": [8]}, "training__epochs": 2, "training__seed": 1,
                                        **configuration})
