"""What pip installs from the checkout, without a network."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(importlib.util.find_spec("pip"), "needs python3-pip")
class Wheel(unittest.TestCase):
    def test_pip_installs_the_package_from_the_checkout(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                                    "--no-deps", "--no-build-isolation", "--root-user-action", "ignore", "--target", folder,
                                    str(ROOT / "python")], capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            installed = pathlib.Path(folder)
            self.assertFalse([path for path in installed.rglob("*") if path.is_symlink()])
            self.assertIn("Requires-Dist: numpy", next(installed.glob("troupe-*.dist-info/METADATA")).read_text())
            shown = subprocess.run(
                [sys.executable, "-c",
                 "import troupe; run = troupe.train('digits', model='linear', problem__train=64, problem__validation=16,"
                 " problem__test=16, training__epochs=1); print(troupe.__file__, run.outcome)"],
                env={**os.environ, "PYTHONPATH": folder}, cwd=folder, capture_output=True, text=True)
            self.assertEqual(shown.stdout.split(), [str(installed / "troupe/__init__.py"), "finished"], shown.stderr)


if __name__ == "__main__":
    unittest.main()
