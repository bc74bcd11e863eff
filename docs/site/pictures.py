"""Pictures as SVG in the page's colors: flow charts by graphviz, and conversations from the diagrams of headers."""
import html
import re
import subprocess

CHART = re.compile(r"^```mermaid\nflowchart (LR|TB)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
NODE = r"(\w+)(?:\[([^\]]*)\])?"
EDGE = re.compile(rf"\s*{NODE} -- (.*?) --> {NODE}\s*$")


def draw_charts(text):
    """A page's flow charts in mermaid's language as pictures."""
    return CHART.sub(lambda chart: picture(chart_as_svg(chart.group(1), chart.group(2))), text)


def picture(svg, kind=""):
    return f'<div class="picture{kind}">\n{svg}\n</div>\n'


def chart_as_svg(direction, body):
    """@throws ValueError for a line that is not `a[label] -- text --> b[label]`"""
    lines = [f"rankdir={direction};"]
    for line in filter(str.strip, body.splitlines()):
        edge = EDGE.match(line)
        if not edge:
            raise ValueError(f"pictures.py cannot draw the line '{line}'")
        start, start_label, text, end, end_label = edge.groups()
        lines += [f'{name} [label="{label.replace(": ", chr(92) + "n")}"];' for name, label in ((start, start_label), (end, end_label)) if label]
        lines.append(f'{start} -> {end} [label=" {text} "];')
    return graph_as_svg(lines)


def graph_as_svg(lines):
    """@param lines nodes and edges in the language of graphviz"""
    graph = "\n".join(["digraph { bgcolor=transparent; node [shape=box style=rounded fontname=sans fontsize=11];",
                       "edge [fontname=sans fontsize=10];", *lines, "}"])
    svg = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, check=True).stdout
    svg = svg[svg.index("<svg"):].replace('"black"', '"currentColor"')
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg, flags=re.DOTALL)
    return re.sub(r' font-family="[^"]*"', "", svg)


ROW, ACTOR_HEIGHT, CHARACTER, MARGIN = 26, 26, 8, 12
ARROW = re.compile(r"^(?P<back><?)-*\s*(?P<text>.*?)\s*-*(?P<on>>?)$")


def conversation(lines):
    """A diagram of a conversation in a comment as a picture; None where the lines are no such diagram."""
    read = read_conversation(lines)
    return None if read is None else picture(conversation_as_svg(*read), " conversation")


def read_conversation(lines):
    """The actors and the rows of a diagram, each with its messages as (from, to, text) and its note; None where it is none.

    The first line names the actors; below each `|` continues the line of the actor above it, an arrow between two of these is a
    message, and what stands behind the last is a note.
    """
    lines = [line for line in lines if line.strip()]
    if len(lines) < 2 or not any(re.search(r"(<|--?>|-- )", line) and "|" in line for line in lines[1:]):
        return None
    bars = sorted({at for line in lines[1:] for at, c in enumerate(line) if c == "|"})
    actors = [(found.start(), found.group()) for found in re.finditer(r"\S+(?: \S+)*", lines[0])]
    if len(actors) < 2 or not bars:
        return None
    columns, names = [], []
    for index, (start, name) in enumerate(actors):
        end = actors[index + 1][0] if index + 1 < len(actors) else 10 ** 6
        inside = [bar for bar in bars if start - 1 <= bar < end - 1]
        columns.append(max(set(inside), key=lambda bar: sum(len(line) > bar and line[bar] == "|" for line in lines[1:])) if inside else start + 2)
        names.append(name)
    return names, [read_row(line, columns) for line in lines[1:]]


def read_row(line, columns):
    """The messages of a line as (from, to, text), and its note."""
    near = lambda at: min(range(len(columns)), key=lambda i: abs(columns[i] - at))
    messages, note, pieces, at = [], "", [], 0
    for found in re.finditer(r"[^|]+", line):
        pieces.append((found.start(), found.end(), found.group()))
    for start, end, text in pieces:
        stripped = text.strip()
        arrow = re.match(r"(<?-+.*?-*>?)(\s{3,}.*)?$", stripped)
        if start == 0 and "-" not in stripped:
            if stripped:
                note = stripped
            continue
        if arrow and re.search(r"^<|^-|->$", stripped):
            body = arrow.group(1).rstrip()
            label = re.sub(r"^<?-*\s*|\s*-*>?$", "", body).strip()
            label = re.sub(r"\s*-{2,}\s*", ": ", label)
            left, right = near(start - 1), near(end)
            if right == left and right + 1 < len(columns):
                right += 1
            if left != right:
                messages.append((right, left, label) if body.startswith("<") else (left, right, label))
            if arrow.group(2):
                note = arrow.group(2).strip()
        elif stripped:
            note = stripped
    return messages, note


def conversation_as_svg(names, rows):
    width_of = lambda text: len(text) * CHARACTER * 0.82
    xs, at = [], MARGIN
    for index, name in enumerate(names):
        half = width_of(name) / 2 + 8
        if index == 0:
            xs.append(at + half)
            continue
        between = [width_of(text) + 40 for messages, _ in rows for start, end, text in messages if {start, end} == {index - 1, index}]
        far = [(width_of(text) + 40) / abs(end - start) for messages, _ in rows for start, end, text in messages
               if abs(end - start) > 1 and min(start, end) < index <= max(start, end)]
        before = width_of(names[index - 1]) / 2 + 8
        xs.append(xs[-1] + max([before + half + 16, 90, *between, *far]))
    bottom = ACTOR_HEIGHT + 14 + ROW * len(rows) + 6
    notes = [width_of(note) for _, note in rows if note]
    right = xs[-1] + max([width_of(names[-1]) / 2 + 8, *(extent + 24 for extent in notes)]) + MARGIN
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{right:.0f}" height="{bottom:.0f}" '
             f'viewBox="0 0 {right:.0f} {bottom:.0f}" font-size="13">']
    for x, name in zip(xs, names):
        half = width_of(name) / 2 + 8
        drawn.append(f'<rect x="{x - half:.1f}" y="1" width="{2 * half:.1f}" height="{ACTOR_HEIGHT}" rx="6" fill="none" stroke="currentColor"/>'
                     f'<text x="{x:.1f}" y="18" text-anchor="middle">{html.escape(name)}</text>'
                     f'<line x1="{x:.1f}" y1="{ACTOR_HEIGHT + 1}" x2="{x:.1f}" y2="{bottom - 2}" stroke="currentColor" stroke-opacity="0.35"/>')
    for row, (messages, note) in enumerate(rows):
        y = ACTOR_HEIGHT + 14 + ROW * (row + 1) - 8
        for start, end, text in messages:
            a, b = xs[start], xs[end]
            tip = -6 if b > a else 6
            drawn.append(f'<path d="M{a:.1f} {y} H{b:.1f} m{tip} -4 l{-tip} 4 l{tip} 4" fill="none" stroke="currentColor"/>'
                         f'<text class="message" x="{(a + b) / 2:.1f}" y="{y - 5}" text-anchor="middle">{html.escape(text)}</text>')
        if note:
            drawn.append(f'<text class="quiet" x="{xs[-1] + 14:.1f}" y="{y + 1}">{html.escape(note)}</text>')
    return "\n".join([*drawn, "</svg>"])
