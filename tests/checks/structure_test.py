#!/usr/bin/env python3
"""Tests structure.py: it accepts the checkout, and refuses each kind of violation planted in a copy of it.

usage: structure_test.py [CHECKOUT]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

LAYERS = ("base", "model", "messages", "actors", "extensions", "apps", "torch", "cuda", "python")


def include(target):
    return f'#pragma once\n#include "{target}"\n'


def refusals():
    """What is planted, as content by file, and the sentence that refuses it."""
    yield ("an arrow against the layers", {"base/planted/one.hpp": include("apps/config/tree.hpp")},
           "base/planted/one.hpp includes apps/config/tree.hpp: base/ is below apps/")
    yield ("an arrow between actors and extensions", {"actors/planted.hpp": include("extensions/planted.hpp"), "extensions/planted.hpp": ""},
           "actors/planted.hpp includes extensions/planted.hpp: actors/ is below extensions/")
    yield ("an include of a test", {"apps/planted.cpp": '#include "tests/support/rounds.hpp"\n'},
           "apps/planted.cpp includes tests/support/rounds.hpp: apps/ is below tests/")
    yield ("an include that is not from the root", {"base/text/planted.cpp": '#include "text.hpp"\n'},
           'base/text/planted.cpp includes "text.hpp": write the path from the root of the checkout')
    yield ("actors in the numerics", {"model/planted.hpp": "#include <caf/actor.hpp>\n"},
           "model/planted.hpp includes caf/actor.hpp: model/ knows no actors")
    yield ("libtorch outside torch/", {"model/planted.hpp": "#include <ATen/ATen.h>\n"},
           "model/planted.hpp includes ATen/ATen.h: only torch/ knows libtorch")
    yield ("CUDA outside cuda/", {"model/planted.hpp": "#include <cuda_runtime.h>\n"},
           "model/planted.hpp includes cuda_runtime.h: only cuda/ knows CUDA")
    yield ("a cycle between rooms, none between modules",
           {"apps/planted_a/one.hpp": include("apps/planted_b/one.hpp"), "apps/planted_b/one.hpp": "",
            "apps/planted_b/two.hpp": include("apps/planted_a/two.hpp"), "apps/planted_a/two.hpp": ""},
           "rooms include each other: apps/planted_a, apps/planted_b")
    yield ("a cycle between a room and one within it",
           {"apps/planted/one.hpp": include("apps/planted/inner/one.hpp"), "apps/planted/inner/one.hpp": "",
            "apps/planted/inner/two.hpp": include("apps/planted/two.hpp"), "apps/planted/two.hpp": ""},
           "rooms include each other: apps/planted, apps/planted/inner")
    yield ("a cycle between the headers of a room",
           {"messages/log/planted_one.hpp": include("messages/log/planted_two.hpp"),
            "messages/log/planted_two.hpp": include("messages/log/planted_one.hpp")},
           "modules include each other: messages/log/planted_one, messages/log/planted_two")
    yield ("a cycle through sources", {"base/one.hpp": "", "base/one.cpp": '#include "base/two.hpp"\n',
                                       "base/two.hpp": "", "base/two.cpp": '#include "base/one.hpp"\n'},
           "modules include each other: base/one, base/two")
    yield ("a room of 26 modules", {f"actors/planted/module{i}.hpp": "" for i in range(26)},
           "actors/planted has 26 modules, more than 25: split it by subject")


def refused(checkout):
    """The lines of structure.py before its summary."""
    ran = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("structure.py"), checkout], capture_output=True, text=True)
    lines = ran.stdout.splitlines()[:-1]
    if ran.returncode != (1 if lines else 0):
        sys.exit(f"structure.py exits with {ran.returncode} after {len(lines)} errors\n{ran.stdout}{ran.stderr}")
    return lines


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        for layer in LAYERS:
            shutil.copytree(root / layer, copy / layer, ignore=lambda folder, names: [
                name for name in names if (pathlib.Path(folder) / name).is_file() and not name.endswith((".hpp", ".cpp"))])
        (copy / "tests/support").mkdir(parents=True)
        (copy / "tests/support/rounds.hpp").touch()
        if lines := refused(copy):
            sys.exit("the checkout itself is refused:\n" + "\n".join(lines))
        for what, files, sentence in refusals():
            made = [path for name in files for path in (copy / name).parents if not path.exists()]
            for name, content in files.items():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_text(content)
            lines = refused(copy)
            if lines != [sentence]:
                failed += 1
                print(f"{what}: expected\n  {sentence}\nfound\n  " + "\n  ".join(lines or ["no error"]))
            for name in files:
                (copy / name).unlink()
            for folder in sorted(set(made), reverse=True):
                folder.rmdir()
    print("each violation is refused" if not failed else f"{failed} violations are not refused as expected")
    return 1 if failed else 0


sys.exit(main())
