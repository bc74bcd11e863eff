"""Builds the wheel for pip (PEP 517): configures and builds with CMake, and packs what CMake installs. It needs no package of
Python's. The build folder is TROUPE_BUILD, by default build/release of the checkout."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TROUPE_BUILD", ROOT / "build" / "release"))
VERSION = re.search(r"project\(troupe VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
NAME = f"troupe-{VERSION}"
METADATA = f"""Metadata-Version: 2.1
Name: troupe
Version: {VERSION}
Summary: Trains machine-learning models with a troupe of actors
License: BSD-3-Clause
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def tag():
    """CPython's own: the extension module is built for this interpreter."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True)


def installed(folder):
    """Builds the package and installs it below the folder."""
    interpreter = [] if pathlib.Path("/usr/bin/python3").exists() and sys.version_info[:2] == system_version() else [
        f"-DTROUPE_PYTHON_INTERPRETER={sys.executable}"]
    preset = [] if (BUILD / "CMakeCache.txt").exists() else ["--preset", "release"]
    run("cmake", *preset, "-S", ROOT, "-B", BUILD, "-DTROUPE_PYTHON=ON", *interpreter)
    run("cmake", "--build", BUILD, "--target", "troupe_python")
    run("cmake", "--install", BUILD, "--component", "python", "--prefix", folder, "--strip")
    return next(pathlib.Path(folder).glob("**/troupe/__init__.py")).parent


def system_version():
    """Debian's python, which the build prefers: a module for it also suits another CPython of this version."""
    found = subprocess.run(["/usr/bin/python3", "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
    return tuple(map(int, found.stdout.split()))


def write_wheel(directory, files):
    """A wheel of the files, a dict from paths in it to contents."""
    info = f"{NAME}.dist-info"
    files = {**files, f"{info}/METADATA": METADATA.encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: troupe\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()}
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
        for path, content in files.items()) + f"{info}/RECORD,,\n"
    wheel = f"{NAME}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**files, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(path, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        package = installed(folder)
        return write_wheel(wheel_directory, {f"troupe/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
                                             if path.is_file()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """pip install -e: Python imports the package from the build folder, whose Python files are links to the sources."""
    with tempfile.TemporaryDirectory() as folder:
        installed(folder)
    return write_wheel(wheel_directory, {"troupe.pth": f"{BUILD / 'python'}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("a source distribution would lack the program's sources; install from a checkout")
