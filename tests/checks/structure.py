#!/usr/bin/env python3
"""Checks the structure: layers include only the layers below them, rooms and modules have no cycles.

usage: structure.py [CHECKOUT]

A layer is a top-level folder, a room a folder in it, a module a header with its source. base <- model <- messages <- actors,
extensions <- apps; torch/ and cuda/ know model and base only, and nothing else knows
libtorch or CUDA; python/ is above all others. Includes name files from the root of the
checkout and are true on disk.
"""
import collections
import pathlib
import re
import sys

BELOW = {
    "base": set(),
    "model": {"base"},
    "messages": {"base", "model"},
    "actors": {"base", "model", "messages"},
    "extensions": {"base", "model", "messages"},
    "apps": {"base", "model", "messages", "actors", "extensions"},
    "torch": {"base", "model"},
    "cuda": {"base", "model"},
    "python": {"base", "model", "messages", "actors", "extensions", "apps"},
}
WITHOUT_CAF = {"base", "model", "torch", "cuda"}
LIBTORCH = re.compile(r"(torch|ATen|c10)/")
CUDA = re.compile(r"cu(da|blas|dnn)\w*\.h")
LARGEST_ROOM = 25
GENERATED = {"troupe/version.hpp", "troupe/page_files.inc"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def cycles(graph):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def room_of(module):
    return module.rpartition("/")[0]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    missing = [layer for layer in BELOW if not (root / layer).is_dir()]
    if missing:
        sys.exit(f"there is no folder '{missing[0]}' in {root.resolve()}")
    errors = []
    modules, rooms = collections.defaultdict(set), collections.defaultdict(set)
    for layer, below in BELOW.items():
        for path in sorted(p for p in (root / layer).rglob("*") if p.suffix in (".hpp", ".cpp", ".cu")):
            name = path.relative_to(root).as_posix()
            module = name.rsplit(".", 1)[0]
            modules[module]
            for quote, target in INCLUDE.findall(path.read_text()):
                first = target.split("/")[0]
                if target.startswith("caf/") and layer in WITHOUT_CAF:
                    errors.append(f"{name} includes {target}: {layer}/ knows no actors")
                if LIBTORCH.match(target) and quote == "<" and layer != "torch":
                    errors.append(f"{name} includes {target}: only torch/ knows libtorch")
                if CUDA.match(target) and layer != "cuda":
                    errors.append(f"{name} includes {target}: only cuda/ knows CUDA")
                if quote == '"' and target not in GENERATED and not (root / target).is_file():
                    errors.append(f'{name} includes "{target}": write the path from the root of the checkout')
                if first in ("tests", "bench") or first in BELOW and first != layer and first not in below:
                    errors.append(f"{name} includes {target}: {layer}/ is below {first}/")
                if first in BELOW and (other := target.rsplit(".", 1)[0]) != module:
                    modules[module].add(other)
                    a, b = room_of(module), room_of(other)
                    if a != b:
                        rooms[a].add(b)
    errors.extend("rooms include each other: " + ", ".join(part) for part in cycles(rooms))
    errors.extend("modules include each other: " + ", ".join(part) for part in cycles(modules))
    sizes = collections.Counter(room_of(module) for module in modules)
    room, size = max(sizes.items(), key=lambda item: item[1])
    errors.extend(f"{room} has {size} modules, more than {LARGEST_ROOM}: split it by subject"
                  for room, size in sizes.items() if size > LARGEST_ROOM)
    for error in errors:
        print(error)
    print(f"{len(modules)} modules in {len(sizes)} rooms; the largest is {room} with {size}")
    return 1 if errors else 0


sys.exit(main())
