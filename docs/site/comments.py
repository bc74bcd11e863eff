"""Comments and declarations as they stand in a header, and comments as Markdown.

Doxygen joins the lines of a comment, and the house style's formulas and tables are lines. So texts come from the source, at the
places that Doxygen gives.
"""
import re

PATH = re.compile(r"(?<![\w/`])((?:base|model|messages|actors|extensions|apps)/[\w/]+\.hpp)\b")
TAG = re.compile(r"@(param|tparam|returns?|throws)\b[ \t]*")
LABELS = {"return": "Returns", "returns": "Returns", "throws": "Throws"}


def lead(lines):
    """The comment that opens a header, with its diagrams."""
    taken = []
    for line in lines:
        if not line.startswith("//"):
            break
        taken.append(line[3:])
    return "\n".join(taken)


def first_line(lines, at):
    """The index of the line on which the declaration begins that line `at` is part of."""
    while at > 0:
        above = lines[at - 1].strip()
        code = re.sub(r"\s*//.*$", "", above)
        if not code or above.startswith("#") or re.search(r"[;{}]$", code) or re.fullmatch(r"(public|protected|private):", code):
            break
        if re.fullmatch(r"\w+( = .*)?,", code): # a value of an enumeration
            break
        at -= 1
    return at


def declaration(lines, first):
    """The declaration that begins on a line, up to its semicolon or body. @returns it, and the index of its last line"""
    text, depth = [], 0
    for at in range(first, min(first + 40, len(lines))):
        line = re.sub(r"\s*//.*$", "", lines[at])
        for i, c in enumerate(line):
            initializes = c == "{" and i > 0 and (line[i - 1].isalnum() or line[i - 1] in "_>")
            if c in "([" or initializes or (c == "{" and depth > 0):
                depth += 1
            elif c in ")]" or (c == "}" and depth > 0):
                depth -= 1
            elif depth == 0 and (c == ";" or (c == "{" and not re.search(r"=\s*$|requires\s*$|\w$", line[:i]))):
                return tidy([*text, line[:i]]), at
            elif depth == 0 and c == "{" and not re.search(r"[=]", line[:i]):
                return tidy([*text, line[:i]]), at
        text.append(line)
    return tidy(text), first


def tidy(lines):
    """The lines without common indentation, initialisers of members, and defaulting."""
    text = "\n".join(lines).rstrip()
    text = re.sub(r"\)(\s*(?:const|noexcept))*\s*\n?\s* : [a-zA-Z_]\w*[({].*$", lambda m: ")" + (m.group(1) or ""), text, flags=re.DOTALL)
    rows = text.split("\n")
    indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return "\n".join(row[indent:] for row in rows)


def comment(lines, first, last):
    """The comment of the declaration on these lines: above it, or behind it."""
    above, at = [], first
    while at > 0 and re.match(r"\s*///(?!<)", lines[at - 1]):
        at -= 1
        above.insert(0, re.sub(r"^\s*/// ?", "", lines[at]))
    behind = []
    for at in range(first, len(lines)):
        found = re.search(r"///< ?(.*)$", lines[at])
        if at > last and not (found and lines[at].strip().startswith("///<")):
            break
        if found:
            behind.append(found.group(1))
    return "\n".join(above + behind)


def escaped(text):
    """Text with what Markdown would take for markup escaped, outside of code."""
    parts = re.split(r"(`[^`]*`)", PATH.sub(r"`\1`", text))
    return "".join(part if part.startswith("`") else re.sub(r"([\\<*_\[\]|])", r"\\\1", part) for part in parts)


def markdown(text, link=lambda name: None, draw=lambda block: None):
    """A comment as Markdown: paragraphs, indented lines as they are, and tags as a list.
    @param link the address of the entity of a name, or None
    @param draw a picture of an indented block, or None"""
    blocks, tags = [], []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        while lines:
            indented = lines[0].startswith("  ") and not re.match(r"\s*@", lines[0])
            count = 1
            while count < len(lines) and (lines[count].startswith("  ") and not re.match(r"\s*@", lines[count])) == indented:
                count += 1
            part, lines = lines[:count], lines[count:]
            if indented and not tags:
                drawn = draw(part)
                blocks.append(drawn if drawn else "```text\n" + tidy(part) + "\n```")
                continue
            pieces = TAG.split(" ".join(line.strip() for line in part))
            if pieces[0].strip():
                (tags if tags else blocks).append(pieces[0].strip() if not tags else tags.pop() + " " + pieces[0].strip())
            for tag, body in zip(pieces[1::2], pieces[2::2]):
                body = body.strip()
                if tag in ("param", "tparam"):
                    name, _, body = body.partition(" ")
                    tags.append(f"`{name}`: {body}")
                else:
                    tags.append(f"**{LABELS[tag]}** {body}")
    linked = lambda t: re.sub(r"`([\w:/.]+)`", lambda m: f"[{m.group()}]({link(m.group(1))})" if link(m.group(1)) else m.group(), t)
    texts = [b if b.startswith(("```", "<div")) else linked(escaped(b)) for b in blocks]
    if tags:
        texts.append("\n".join("- " + linked(re.sub(r"^\\\*\\\*(\w+)\\\*\\\*", r"**\1**", escaped(t))) for t in tags))
    return "\n\n".join(texts)


def in_a_cell(text):
    """Markdown of one table cell."""
    return re.sub(r"\s*\n\s*", " ", text.replace("```text", "").replace("```", "").replace("\n- ", "; ")).strip().removeprefix("- ")
