"""The page of conversations: a picture of each from its header, what its actors answer, and the cast of all."""
import os
import pathlib
import re

import comments
import pictures

PAGE = pathlib.Path("docs/reference") / "conversations.md"
INTERFACE = re.compile(r"^using (\w+)\s*=\s*(?:caf::typed_actor|(\w+)::extend)\s*<(.*?)>;", re.MULTILINE | re.DOTALL)
HANDLER = re.compile(r"(?:replies_to<(\w+)>::with<(\w+)>|reacts_to<(\w+)>)")
MESSAGE = re.compile(r"\bX\((\w+)\)")
# A lane that stands for several actors, or for one under another name.
SAME = {"holder": "parameter holder", "holders on other nodes": "parameter holder", "trainers": "trainer", "extensions": "extension",
        "saver": "checkpoint", "supervisor": "grid supervisor", "node (a runner on each of its processors)": "grid node",
        "runner (one for each run at once)": "runner", "coordinator": "grid coordinator"}
NOBODY = {"anyone", "a client", "another node", "actor", "program", "composition root", "the run's session", "follower", "listener", "worker"}


def write(stage, link):
    """Writes the page. @param link the address of an entity of the API from a page, or None. @returns its name"""
    headers = [path for path in sorted((stage.root / "messages").rglob("*.hpp")) if INTERFACE.search(path.read_text())]
    sources = {path: path.read_text() for path in sorted((stage.root / "messages").rglob("*.hpp"))}
    messages = {name: text for source in sources.values() for name, text in structs(source).items()}
    address = link(PAGE)
    cast, parts, told = [], [], set()
    for header in headers:
        lines = sources[header].splitlines()
        drawn = []
        opening = comments.markdown(comments.lead(lines), address, lambda block: keep(drawn, block))
        tables = [interface(found, messages, told, address) for found in INTERFACE.finditer(sources[header])]
        if not drawn and not any(tables):
            continue
        for names, rows in drawn:
            cast += [(names[a], names[b], text) for row, _ in rows for a, b, text in row]
        name = header.relative_to(stage.root)
        place = os.path.relpath(stage.file(name), PAGE.parent)
        others = [message for message in structs(sources[header]) if message in registered(sources) and message not in told]
        told.update(others)
        if others:
            tables.append("Also:\n\n| message | |\n|---|---|\n" + "\n".join(f"| {named(one, address)} | {first(messages[one])} |" for one in others))
        parts.append("\n\n".join([f"## {name.parent.name}/{name.stem}", opening, *filter(None, tables),
                                  f'<small class="source" markdown>[{name}]({place})</small>']))
    missing = sorted(registered(sources) - told)
    if missing:
        raise SystemExit(f"build.py: no header of a conversation has the messages {', '.join(missing)}")
    stage.write(PAGE, "\n\n".join([
        "# Conversations", "*Reference.* Who says what to whom, made from the headers below `messages/`: the diagram that opens each "
        "as a picture, and what its actors take and answer. What it is for: [messages](messages.md).",
        "## The cast", "What the actors ask each other, without answers, and without what any actor may ask.",
        pictures.picture(pictures.graph_as_svg(cast_lines(cast, interfaces(sources))), " cast"), *parts]) + "\n")
    return str(PAGE)


def keep(drawn, block):
    """The picture of a diagram, which is also kept for the cast."""
    read = pictures.read_conversation(block)
    if read is None:
        return None
    drawn.append(read)
    return pictures.conversation(block)


def registered(sources):
    """All messages with a type id."""
    return {name for source in sources.values() for block in re.findall(r"#define TROUPE_\w*MESSAGES\(X\)(.*?)\n\s*\n", source, re.DOTALL)
            for name in MESSAGE.findall(block)}


def structs(source):
    """The structs of a header with their comments."""
    lines, found = source.splitlines(), {}
    for at, line in enumerate(lines):
        match = re.match(r"struct (\w+) \{", line)
        if match:
            found[match.group(1)] = comments.comment(lines, at, at)
    return found


def first(text):
    """The first sentence of a comment for a cell."""
    return comments.in_a_cell(comments.escaped(re.split(r"(?<=[.;]) |\n\n|\n  ", text.replace("\n", " "))[0].rstrip(";")))


def named(name, address):
    return f"[`{name}`]({address(name)})" if address(name) else f"`{name}`"


def interface(found, messages, told, address):
    """What an actor takes and answers, as a table."""
    rows = []
    for request, answer, event in HANDLER.findall(found.group(3)):
        told.update(filter(None, (request, answer, event)))
        taken = request or event
        rows.append(f"| {named(taken, address)} | {named(answer, address) if answer else ''} | {first(messages.get(taken, ''))} |")
    also = f", and what a `{found.group(2)}` takes" if found.group(2) else ""
    return f"To a `{found.group(1)}`{also}:\n\n| message | answer | |\n|---|---|---|\n" + "\n".join(rows) if rows else ""


def interfaces(sources):
    """What each actor takes, by the name of its lane: "parameter holder"."""
    takes = {}
    for source in sources.values():
        for name, base, handlers in INTERFACE.findall(source):
            takes[name] = takes.get(base, set()) | {request or event for request, _, event in HANDLER.findall(handlers)}
    lanes = {"runner": "TrialRunner", "writer": "RunWriter"}
    lanes |= {re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower(): name for name in takes}
    return {lane: takes[name] for lane, name in lanes.items()}


def cast_lines(cast, takes):
    """Edges of the graph of all conversations. A message in a lane of several actors goes to those that take it."""
    between = {}
    for start, end, text in cast:
        for a, b in ((a, b) for a in actors(start) for b in actors(end) if a != b and b in takes):
            known = between.setdefault((a, b), [])
            known += [word for word in re.findall(r"\b[A-Z]\w+", text) if word in takes[b] and word not in known]
    lines = ["rankdir=LR; ranksep=0.3; nodesep=0.15;"]
    for (a, b), texts in between.items():
        if texts:
            label = "\\n".join(texts[:4]) + ("\\n..." if len(texts) > 4 else "")
            lines.append(f'"{a}" -> "{b}" [label=" {label} "];')
    return lines


def actors(lane):
    """The actors for which a lane stands, without those that may be any."""
    names = [SAME.get(name.strip(), name.strip()) for name in (lane.split(",") if "(" not in lane else [lane])]
    return [name for name in names if name not in NOBODY]
