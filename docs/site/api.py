"""Pages of the API: one for each public header, from Doxygen's XML and the header's own text."""
import dataclasses
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import comments
import pictures

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = ("base", "model", "messages", "actors", "extensions", "apps")
KINDS = {"struct": "struct", "class": "class", "function": "function", "enum": "enum", "typedef": "type", "variable": "variable",
         "define": "macro", "concept": "concept"}


@dataclasses.dataclass
class Entity:
    kind: str
    name: str # with namespaces below troupe, and classes
    file: str
    line: int
    declaration: str
    comment: str
    inherited: str
    members: list
    default: str = ""
    type: str = ""
    overrides: str = ""

    def says_all(self):
        return re.search(r"= (default|delete)$", self.declaration) is not None


def public_headers():
    """Pairs of subject and headers."""
    subjects = []
    for line in (HERE / "public_headers.txt").read_text().splitlines():
        if line.startswith("  "):
            subjects[-1][1].append(line.strip())
        elif line and not line.startswith("#"):
            subjects.append((line.strip(), []))
    return subjects


def run_doxygen(root, headers, folder):
    """@returns the folder of Doxygen's XML of the headers, and its warnings"""
    settings = (HERE / "Doxyfile").read_text()
    log = folder / "warnings.txt"
    settings += f"\nINPUT = {' '.join(headers)}\nOUTPUT_DIRECTORY = {folder}\nSTRIP_FROM_PATH = {root}\nWARN_LOGFILE = {log}\n"
    shutil.rmtree(folder, ignore_errors=True) # of headers that were listed before
    folder.mkdir(parents=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=root, check=True, stdout=subprocess.DEVNULL)
    return folder / "xml", sorted(set(log.read_text().replace(f"{root}/", "").splitlines()))


def text_of(node):
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


class Reader:
    def __init__(self, root, folder):
        self.root, self.lines, self.by_file, self.compounds = root, {}, {}, {}
        for path in sorted(folder.glob("*.xml")):
            if path.name in ("index.xml", "Doxyfile.xml"):
                continue
            for compound in xml.parse(path).getroot().findall("compounddef"):
                if compound.get("kind") in ("struct", "class", "concept"):
                    self.compounds[compound.get("id")] = compound
                elif compound.get("kind") in ("namespace", "file"):
                    for member in compound.iter("memberdef"):
                        self.add(self.entity(member))
        for compound in self.compounds.values():
            if "<" not in text_of(compound.find("compoundname")) and compound.get("prot") != "private":
                self.add(self.entity(compound))
        for entities in self.by_file.values():
            entities.sort(key=lambda entity: entity.line)

    def source(self, file):
        if file not in self.lines:
            self.lines[file] = (self.root / file).read_text().splitlines()
        return self.lines[file]

    def add(self, entity):
        if entity and not any(other.name == entity.name and other.line == entity.line for other in self.by_file.get(entity.file, [])):
            self.by_file.setdefault(entity.file, []).append(entity)

    def entity(self, node):
        """An entity of a node of Doxygen's XML; None for what no page shows."""
        place = node.find("location")
        if place is None:
            return None
        file, line = place.get("declfile") or place.get("file"), int(place.get("declline") or place.get("line"))
        name = text_of(node.find("compoundname")) or text_of(node.find("qualifiedname")) or text_of(node.find("name"))
        name = name.removeprefix("troupe::")
        kind = node.get("kind")
        if kind not in KINDS or "@" in name or "detail::" in name or node.get("prot") == "private" or not file.endswith(".hpp"):
            return None
        if name.rsplit("::", 1)[-1].startswith("~"):
            return None
        lines = self.source(file)
        if kind == "define" and any(line.strip() == f"#undef {name}" for line in lines):
            return None # of this header alone
        first = comments.first_line(lines, line - 1)
        declaration, last = comments.declaration(lines, first)
        members = [self.entity(member) for member in node.iter("memberdef")] if node.tag == "compounddef" else []
        members = sorted((member for member in members if member), key=lambda member: member.line)
        if kind == "enum":
            members = [self.value(value, file, lines, line) for value in node.findall("enumvalue")]
        doc = " ".join(filter(None, (text_of(node.find("briefdescription")), text_of(node.find("detaileddescription")))))
        overrides = text_of(node.find("reimplements"))
        initial = text_of(node.find("initializer")).removeprefix("=").strip()
        if kind == "define":
            declaration = "#define " + name + ("(" + ", ".join(text_of(p) for p in node.findall("param")) + ")" if node.find("param") is not None else "")
        return Entity(kind, name, file, line, declaration, comments.comment(lines, first, last), doc, members, initial,
                      text_of(node.find("type")), overrides)

    @staticmethod
    def value(node, file, lines, line):
        name = text_of(node.find("name"))
        at = next((i for i in range(line - 1, min(line + 60, len(lines))) if re.search(rf"\b{name}\b(?=\s*(=.*)?[,}}]|\s*$|\s*//|\s*=)", re.sub(r"//.*", "", lines[i]) or " ")), line - 1)
        doc = text_of(node.find("briefdescription")) or text_of(node.find("detaileddescription"))
        return Entity("value", name, file, at + 1, name, comments.comment(lines, at, at) if doc else "", doc, [])

    def undocumented(self):
        """Warnings of entities without a comment, unless their declaration says all."""
        def among(entities):
            for entity in entities:
                if not entity.comment and not entity.inherited and not entity.says_all():
                    yield f"{entity.file}:{entity.line}: warning: {entity.kind} {entity.name} is not documented"
                yield from among(entity.members)
        return sorted({line for entities in self.by_file.values() for line in among(entities)})


def anchor(name):
    return re.sub(r"[^\w]+", "-", name).strip("-")


class Pages:
    def __init__(self, stage, reader, subjects):
        self.stage, self.reader, self.subjects = stage, reader, subjects
        self.home = {} # name of an entity: its page and anchor
        for file, entities in reader.by_file.items():
            for entity in entities:
                self.home.setdefault(entity.name, (self.page_of(file), anchor(entity.name)))
                self.home.setdefault(entity.name.rsplit("::", 1)[-1], (self.page_of(file), anchor(entity.name)))

    @staticmethod
    def page_of(file):
        return pathlib.Path("api") / file.replace(".hpp", ".md")

    def source(self, page, file, line):
        return f"{os.path.relpath(self.stage.file(file), page.parent)}#L-{line}"

    def link(self, page):
        def address(name):
            if name.endswith(".hpp"):
                listed = any(name in headers for _, headers in self.subjects)
                exists = (self.reader.root / name).exists()
                return os.path.relpath(self.page_of(name) if listed else self.stage.file(name), page.parent) if exists else None
            if name not in self.home:
                return None
            other, at = self.home[name]
            return f"{os.path.relpath(other, page.parent)}#{at}"
        return address

    def definition(self, entity):
        """File and line of a function's body outside of its header, if there is one."""
        source = entity.file.replace(".hpp", ".cpp")
        if entity.kind != "function" or not (self.reader.root / source).exists():
            return None
        local = re.escape(entity.name.rsplit("::", 1)[-1])
        owner = entity.name.rsplit("::", 2)[-2] if "::" in entity.name else None
        qualified = rf"\b{re.escape(owner)}(<\w+>)?::{local}\(" if owner else None
        for pattern in filter(None, (qualified, rf"^(?![ \t/}}]).*\b{local}\(|^{local}\(")):
            for number, line in enumerate(self.reader.source(source), 1):
                if re.search(pattern, line) and not line.rstrip().endswith(";"):
                    return source, number
        return None

    def text(self, page, entity):
        if entity.comment:
            return comments.markdown(entity.comment, self.link(page), pictures.conversation)
        if entity.overrides:
            of = f" As in [`{entity.overrides}`]({self.link(page)(entity.overrides)})" if self.link(page)(entity.overrides) else " As in its base class"
            return f"{comments.escaped(entity.inherited)}{of}."
        return comments.escaped(entity.inherited)

    def sources(self, page, entity):
        links = [f"[{entity.file}:{entity.line}]({self.source(page, entity.file, entity.line)})"]
        body = self.definition(entity)
        if body:
            links.append(f"[{body[0]}:{body[1]}]({self.source(page, *body)})")
        return f'<small class="source" markdown>{" · ".join(links)}</small>'

    def entity(self, page, entity, level, seen):
        at = anchor(entity.name)
        seen[at] = seen.get(at, 0) + 1
        at += f"-{seen[at]}" if seen[at] > 1 else ""
        short = entity.name if level == 2 else entity.name.rsplit("::", 1)[-1]
        lines = [f"{'#' * level} `{short}` {{ #{at} }}", f"```cpp\n{entity.declaration}\n```", self.text(page, entity)]
        values = [member for member in entity.members if member.kind in ("value", "variable")]
        if values and entity.kind == "enum":
            lines.append("| value | |\n|---|---|\n" + "\n".join(f"| `{v.name}` | {comments.in_a_cell(self.text(page, v))} |" for v in values))
        elif values:
            rows = []
            for v in values:
                name, code = v.name.rsplit("::", 1)[-1], lambda t: f"`{t}`".replace("|", "\\|") if t else ""
                rows.append(f"| `{name}` | {code(v.type)} | {code(v.default)} | {comments.in_a_cell(self.text(page, v))} |")
            lines.append("| member | type | default | |\n|---|---|---|---|\n" + "\n".join(rows))
        lines.append(self.sources(page, entity))
        for member in entity.members:
            if member.kind not in ("value", "variable") and (member.comment or not member.says_all()):
                lines.append(self.entity(page, member, min(level + 1, 4), seen))
        return "\n\n".join(filter(None, lines))

    def header(self, file):
        page = self.page_of(file)
        opening = comments.markdown(comments.lead(self.reader.source(file)), self.link(page), pictures.conversation)
        seen = {}
        parts = [f"# {file}", f"```cpp\n#include <troupe/{file}>\n```", opening]
        parts += [self.entity(page, entity, 2, seen) for entity in self.reader.by_file.get(file, [])]
        self.stage.write(page, "\n\n".join(filter(None, parts)) + "\n")
        return page

    def first_sentence(self, file):
        entities = [entity for entity in self.reader.by_file.get(file, []) if entity.comment]
        subject = pathlib.Path(file).stem.replace("_", "")
        entities.sort(key=lambda entity: (entity.name.lower() not in (subject, f"basic{subject}"), entity.kind == "typedef"))
        text = re.split(r"\n\s*\n|\n  ", comments.lead(self.reader.source(file)) or entities[0].comment)[0].replace("\n", " ")
        return comments.escaped(re.split(r"(?<=[.;]) |:$", text)[0].rstrip(";"))


def refuse_other_includes(root, headers):
    """Ends with the examples and pages that include a header of the library which is not public."""
    known = {*headers, "version.hpp"} # which CMake writes
    texts = [*(root / "examples").rglob("*.[hc]pp"), *(root / "docs").rglob("*.md"), root / "README.md"]
    other = [f"{path.relative_to(root)} includes troupe/{name}" for path in texts
             for name in re.findall(r'#include [<"]troupe/([^>"]+)', path.read_text()) if name not in known]
    if other:
        print("\n".join(other))
        sys.exit("build.py: these are not in docs/site/public_headers.txt. Add them there, with comments, or include others")


def write(stage):
    """Writes the pages. @returns their part of the navigation, and what gives the address of an entity from a page"""
    subjects = public_headers()
    headers = [header for _, listed in subjects for header in listed]
    missing = [header for header in headers if not (stage.root / header).exists()]
    if missing:
        sys.exit(f"build.py: docs/site/public_headers.txt lists {', '.join(missing)}, which do not exist")
    refuse_other_includes(stage.root, headers)
    folder, warnings = run_doxygen(stage.root, headers, stage.folder_path.parent / "doxygen")
    reader = Reader(stage.root, folder)
    warnings += reader.undocumented()
    if warnings:
        print("\n".join(warnings))
        sys.exit(f"build.py: {len(warnings)} warnings about the public headers. Give each entity a comment that says what its name "
                 "and its type do not")
    pages = Pages(stage, reader, subjects)
    navigation, index = [{"The public headers": "api/index.md"}], ["# The public headers", (
        "*Reference.* What a program on the library or a plugin includes, by subject; each page is made from its header. "
        "They change as [compatibility](../docs/reference/compatibility.md) promises.")]
    for subject, listed in subjects:
        index.append(f"## {subject}\n\n| header | |\n|---|---|\n" + "\n".join(
            f"| [{header}]({os.path.relpath(Pages.page_of(header), 'api')}) | {pages.first_sentence(header)} |" for header in listed))
        navigation.append({subject: [{pathlib.Path(header).stem: str(pages.header(header))} for header in listed]})
    stage.write("api/index.md", "\n\n".join(index) + "\n")
    return navigation, pages.link
