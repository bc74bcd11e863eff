#!/usr/bin/env python3
"""Checks that names in the unnamed namespaces of a folder are unique: sources are compiled in unity groups, where one file's
helper would be found by another, or collide with it. For the same reason none of them is a name that a header declares in
namespace troupe. Types that headers define are unique in all folders, so that a program can include any of them together.

usage: names.py [CHECKOUT]
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("base", "model", "messages", "actors", "extensions", "apps", "torch", "cuda", "python")
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?:template.*>)?[\w:<>,&\*\s\[\]]*?[\s&\*](\w+)\(")
ALIAS = re.compile(r"^using .*")  # the same text may occur twice
OTHER = re.compile(r"^(?:(?:struct|class|enum class) (\w+)\b|(?:constexpr|const) .*?(\w+)\s*(?:=|\{|;))")

TYPE = re.compile(r"(?:struct|class|enum class|enum|using) (?:alignas\(\w+\) )?(\w+)")
CONSTANT = re.compile(r"(?:inline )?(?:extern )?(?:constexpr|const) .*?(\w+)\s*(?:=|\{|;)")


def names_in(path):
    """Yields the names that a source's unnamed namespaces define, each with a key that equal definitions share."""
    for body in re.findall(r"^namespace \{\n(.*?)^\} // namespace$", path.read_text(), re.DOTALL | re.MULTILINE):
        for line in body.splitlines():
            function = FUNCTION.match(line) if not re.match(r"[ }]|//|struct|class|return", line) else None
            if alias := ALIAS.match(line):
                yield alias.group().split("=")[0].removeprefix("using ").strip(), alias.group()
            elif found := function or OTHER.match(line):
                yield found.group(1) or found.group(2), str(path)
        for constants in re.findall(r"^constexpr [^;(]*?;", body, re.MULTILINE):
            for name in re.findall(r",\s+(\w+) = ", constants):
                yield name, str(path)


def lines_in(path):
    """Yields the lines of a header with the namespace that each is in."""
    namespaces = [""]
    for line in path.read_text().splitlines():
        if opened := re.match(r"(?:inline )?namespace ([\w:]+) \{$", line):
            namespaces.append(f"{namespaces[-1]}::{opened.group(1)}".removeprefix("::"))
        elif line.startswith("} // namespace"):
            namespaces.pop()
        yield namespaces[-1], line


def types_in(path):
    """Yields the types that a header defines in a namespace, with the namespace."""
    for namespace, line in lines_in(path):
        if defined := re.match(r"(?:struct|class|enum class|enum) (?:alignas\(\w+\) )?(\w+)[^;]*$", line):
            yield f"{namespace}::{defined.group(1)}"


def public_in(path):
    """Yields the types, functions and constants that a header declares in namespace troupe."""
    for namespace, line in lines_in(path):
        if namespace != "troupe" or re.match(r"[ }#]|//|return|public|private", line):
            continue
        if declared := TYPE.match(line) or FUNCTION.match(line) or CONSTANT.match(line):
            yield declared.group(1)


root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
twice = 0
public = {name: path.relative_to(root) for folder in FOLDERS for path in sorted((root / folder).rglob("*.hpp"))
          for name in public_in(path)}
for folder in (*FOLDERS, *(f"tests/{folder}" for folder in FOLDERS)):
    files, meanings = collections.defaultdict(set), collections.defaultdict(set)
    for path in sorted((root / folder).rglob("*.cpp")):
        for name, meaning in names_in(path):
            files[name].add(str(path.relative_to(root)))
            meanings[name].add(meaning)
    for name, where in sorted(files.items()):
        if len(meanings[name]) > 1:
            twice += 1
            print(f"'{name}' is in the unnamed namespaces of {' and '.join(sorted(where))}: rename one")
        if name in public and folder in FOLDERS:
            twice += 1
            print(f"'{name}' is in the unnamed namespace of {' and '.join(sorted(where))}, and declared in {public[name]}: rename one")
headers = collections.defaultdict(set)
for folder in FOLDERS:
    for path in sorted((root / folder).rglob("*.hpp")):
        for name in types_in(path):
            headers[name].add(str(path.relative_to(root)))
for name, where in sorted(headers.items()):
    if len(where) > 1:
        twice += 1
        print(f"'{name}' is defined in {' and '.join(sorted(where))}: rename one")
sys.exit(1 if twice else 0)
