#!/usr/bin/python3
"""Builds the site: the pages of the checkout, the reference that the program prints, and the API of the public headers.

usage: build.py TROUPE OUTPUT

Everything is staged in a folder beside OUTPUT under the paths of the checkout, so that links between pages stay as they are;
links to other files lead to copies of these. mkdocs makes the site from there, and check.py reads it. No step uses the network.
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

import api
import check
import conversations
import pictures
import reference
import sources

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"`[^`]*`|(\]\()([^)\s]+)")
SECTIONS = ("Tutorial", "How to", "Reference", "Explanation")


def outside_fences(text, change):
    """The text with `change` applied to what lies between its code blocks."""
    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[at:fence.start()]), fence.group()]
        at = fence.end()
    return "".join([*parts, change(text[at:])])


def pages():
    """The Markdown pages of the checkout, from its root."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    return [pathlib.Path(name) for name in listed if (ROOT / name).exists() and "fixtures" not in name]


def as_mkdocs_reads_it(page, text, stage):
    """Links to files that are no pages lead to copies, and lists have an empty line above."""
    def follow(link):
        if link.group(2) is None: # code
            return link.group()
        target, _, anchor = link.group(2).partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return link.group()
        place = pathlib.Path(os.path.normpath(page.parent / target))
        if (ROOT / place).is_dir():
            readme = place / "README.md"
            other = readme if (ROOT / readme).exists() else stage.folder(place)
        elif place.suffix == ".md":
            return link.group()
        else:
            other = stage.file(place)
        anchor = f"#{anchor}" if anchor else ""
        return f"{link.group(1)}{os.path.relpath(other, page.parent)}{anchor}"

    def change(part):
        part = LINK.sub(follow, part)
        return re.sub(r"(?m)^(?![-*>|#\s]|\d+\.)(.+)\n(?=[-*] )", r"\1\n\n", part)

    return outside_fences(text, change)


def navigation(extra):
    """The tree of pages in the order in which docs/README.md lists them, with the generated ones."""
    text = (ROOT / "docs/README.md").read_text()
    tree = [{"Troupe": "README.md"}]
    for section in SECTIONS:
        body = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
        entries = []
        for label, target in re.findall(r"\[([^\]]+)\]\(([^)#]+)", body):
            place = os.path.normpath(f"docs/{target}")
            entries.append({label[0].upper() + label[1:]: place})
            if place == "docs/decisions/README.md":
                entries += [{title_of(page): str(page)} for page in sorted(pages())
                            if page.parent == pathlib.Path("docs/decisions") and page.name != "README.md"]
        tree.append({section: entries + extra.get(section, [])})
    tree.append({"API": extra["API"]})
    tree.append({"The code": [{"Contributing": "CONTRIBUTING.md"}, {"Changes": "CHANGELOG.md"},
                              *[{f"The layer {layer}": f"{layer}/README.md"} for layer in api.LAYERS]]})
    return tree


def title_of(page):
    return re.search(r"^# (.*)$", (ROOT / page).read_text(), re.MULTILINE).group(1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    troupe, output = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    stage_folder = output.parent / (output.name + "-pages")
    shutil.rmtree(stage_folder, ignore_errors=True)
    stage = sources.Stage(ROOT, stage_folder)

    api_pages, link = api.write(stage)
    extra = {"Reference": [{"Conversations": conversations.write(stage, link)}, *reference.write(troupe, stage)], "API": api_pages}
    for page in pages():
        text = as_mkdocs_reads_it(page, (ROOT / page).read_text(), stage)
        stage.write(page, pictures.draw_charts(text))
    shutil.copytree(HERE / "assets", stage_folder / "assets")
    stage.finish()

    settings = yaml.safe_load((HERE / "mkdocs.yml").read_text())
    settings |= {"docs_dir": str(stage_folder), "site_dir": str(output), "nav": navigation(extra)}
    settings["theme"]["custom_dir"] = str(HERE / "theme")
    configuration = output.parent / (output.name + ".yml")
    configuration.write_text(yaml.safe_dump(settings, sort_keys=False))
    built = subprocess.run(["/usr/bin/mkdocs", "build", "--strict", "--quiet", "--clean", "-f", configuration])
    if built.returncode != 0:
        sys.exit("build.py: mkdocs reports what is written above")
    index = (output / "search/search_index.json").read_text()
    (output / "search/search_index.js").write_text(f"troupe_take_index({index})\n")
    sys.exit(check.report(output))


if __name__ == "__main__":
    main()
