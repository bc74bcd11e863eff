#!/usr/bin/env python3
"""Names in the unnamed namespaces of a folder are unique: sources are compiled in batches, where one file's helper
would be found by another, or collide with it.

usage: names.py [CHECKOUT]
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("model", "messages", "actors", "extensions", "apps", "torch")
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?:template.*>)?[\w:<>,&\*\s\[\]]*?[\s&\*](\w+)\(")
ALIAS = re.compile(r"^using .*")  # the same text may stand twice
OTHER = re.compile(r"^(?:(?:struct|class|enum class) (\w+)\b|(?:constexpr|const) .*?(\w+)\s*(?:=|\{|;))")


def names_in(path):
    """What a source's unnamed namespaces define at their own level: name, and what makes two of them the same."""
    for body in re.findall(r"^namespace \{\n(.*?)^\} // namespace$", path.read_text(), re.DOTALL | re.MULTILINE):
        for line in body.splitlines():
            function = FUNCTION.match(line) if not re.match(r"[ }]|//|struct|class|return", line) else None
            if alias := ALIAS.match(line):
                yield alias.group().split("=")[0].removeprefix("using ").strip(), alias.group()
            elif found := function or OTHER.match(line):
                yield found.group(1) or found.group(2), str(path)


root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
twice = 0
for folder in [*FOLDERS, *(f"tests/{f}" for f in FOLDERS)]:
    files, meanings = collections.defaultdict(set), collections.defaultdict(set)
    for path in sorted((root / folder).rglob("*.cpp")):
        for name, meaning in names_in(path):
            files[name].add(str(path.relative_to(root)))
            meanings[name].add(meaning)
    for name, where in sorted(files.items()):
        if len(meanings[name]) > 1:
            twice += 1
            print(f"'{name}' is in the unnamed namespaces of {' and '.join(sorted(where))}: give one another name")
sys.exit(1 if twice else 0)
