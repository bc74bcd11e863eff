#!/usr/bin/env python3
"""Checks that the links and paths in the documentation exist.

usage: links.py [CHECKOUT]

In every Markdown page each relative link names a file that exists, each anchor a heading of its page, and each path of the
source tree in `backticks` a file or folder (`model/layers/relu.*` names any file that fits). In the README of a layer such
paths may begin with a room. Names of types in `backticks` (`GateAnswer`) occur in a source. In every other text file each path
of a page, like docs/README.md, exists. Every page of docs/ can be reached from docs/README.md.
"""
import pathlib
import re
import sys

LAYERS = ("base", "model", "messages", "actors", "extensions", "apps", "torch", "cuda", "python", "tests", "bench", "examples", "docs", "cmake")
SUFFIXES = {".hpp", ".cpp", ".py", ".sh", ".txt", ".cmake", ".advice", ".yaml", ""}
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
PAGE = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.(?:md|png|svg)\b")
NAME = re.compile(r"`([A-Z]\w*[a-z]\w*(?:::\w+)*)`")
SOURCE = re.compile(r"`((?:%s)/[\w./*-]*)`" % "|".join(LAYERS))
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def files(root):
    """The text files of the checkout, without build folders and hidden ones other than .ci."""
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if parts[0] == "build" or any(part.startswith(".") and part != ".ci" for part in parts) or "fixtures" in parts:
            continue
        if path.is_file() and (path.suffix in SUFFIXES or path.suffix == ".md"):
            yield path


def prose(text):
    """The page without its code blocks, whose lines are kept empty so that line numbers stay right."""
    return FENCE.sub(lambda block: "\n" * block.group().count("\n"), text)


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ +(.*?)\s*#*$", prose(page.read_text()), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        found.add(slug if number == 0 else f"{slug}-{number}")
    return found


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def exists(folder, path):
    """Whether a path names a file, a folder or, without its ending, a module below the folder."""
    path = path.rstrip("/")
    return any(folder.glob(path)) if "*" in path else (folder / path).exists() or (folder / (path + ".hpp")).exists()


def defects_of_page(root, page, targets, words):
    """Yields a line and a sentence for each broken link or path; adds the pages it links to."""
    text = prose(page.read_text())
    for link in LINK.finditer(text):
        target = link.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists():
            yield line_of(text, link.start()), f"there is no {target}"
        elif anchor and anchor not in anchors(place):
            yield line_of(text, link.start()), f"{place.relative_to(root)} has no heading #{anchor}"
        else:
            targets.add(place)
    for named in NAME.finditer(text):
        for missing in set(named.group(1).split("::")) - words:
            yield line_of(text, named.start()), f"no source has the name {missing}"
    for named in SOURCE.finditer(text):
        if not exists(root, named.group(1)):
            yield line_of(text, named.start()), f"there is no {named.group(1)}"
    if page.name == "README.md" and page.parent.name in (*LAYERS[:9], "examples"):
        for named in re.finditer(r"`([a-z_]+/[\w./*-]*)`", text):
            if not exists(page.parent, named.group(1)) and not exists(root, named.group(1)):
                yield line_of(text, named.start()), f"there is no {named.group(1)}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    defects, pages, leads_to = [], 0, {}
    texts = list(files(root))
    words = {word for file in texts if file.suffix in (".hpp", ".cpp", ".py") for word in re.findall(r"\w+", file.read_text())}
    for file in texts:
        name = file.relative_to(root)
        if file.suffix == ".md":
            pages += 1
            targets = leads_to.setdefault(file, set())
            defects += [f"{name}:{line}: {what}" for line, what in defects_of_page(root, file, targets, words)]
            continue
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        defects += [f"{name}:{line_of(text, found.start())}: there is no {found.group()}"
                 for found in PAGE.finditer(text) if not (root / found.group()).exists()]
    reached, left = set(), [root / "docs/README.md"]
    while left:
        page = left.pop()
        if page not in reached:
            reached.add(page)
            left += leads_to.get(page, ())
    defects += [f"{page.relative_to(root)}: docs/README.md does not lead here" for page in leads_to
                if page.is_relative_to(root / "docs") and page not in reached]
    print("\n".join([*defects, f"{pages} pages, {len(defects)} defects"]))
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
