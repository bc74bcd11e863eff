"""Pages that the program writes about itself: its commands, and the components that a configuration can name.

Names, options, defaults and records come from the program (`troupe components --json`), and what an option means from the
comment at the member of the struct that the program reads it into.
"""
import json
import re
import subprocess
import sys

import yaml

import comments

KINDS = {"problem": "Problems", "model": "Models", "layer": "Layers", "loss": "Losses", "metric": "Metrics",
         "optimizer": "Optimizers", "update_rule": "Update rules", "log_sink": "Log sinks", "extension": "Extensions"}
# Where a configuration names them, with a page that explains more.
INTRODUCTIONS = {
    "problem": "`problem: {name: ...}` names one of these. More: [problems](../problems.md).",
    "model": "`model: {name: ...}` names one of these. More: [models](../models.md).",
    "layer": "`model: {name: network, layers: [...]}` lists these. More: [networks](../models.md#networks).",
    "loss": "`model: {loss: ...}` names one of these. More: [models](../models.md).",
    "metric": "`model: {metrics: [...]}` lists these. More: [models](../models.md).",
    "optimizer": "`optimizer: {name: ...}` names one of these. More: [configuration](../configuration.md).",
    "update_rule": "`rule` of an extension that syncs names one of these. More: [synchronization](../synchronization.md).",
    "log_sink": "`log: {...}` lists these. More: [logs](../logs.md).",
    "extension": "`extensions: {...}` lists these. More: [extensions](../extensions.md).",
}
HEAD = "| option | default | |\n|---|---|---|\n"
FOLDER = "docs/reference/components"
# Read without a struct of its own.
OTHERS = {"layers": "in their order: [layers](layer.md)"}
STRUCT = re.compile(r"^(?:  )?struct (\w+)[^;{]*\{\n(.*?)^\s*TROUPE_FIELDS\(([^)]*)\)", re.MULTILINE | re.DOTALL)


def run(troupe, *arguments):
    return subprocess.run([troupe, *arguments], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def write(troupe, stage):
    """Writes the pages. @returns their part of the navigation"""
    return [{"Components": components(troupe, stage)}, {"Commands": commands(troupe, stage)}]


def commands(troupe, stage):
    """A page for each command, as --help prints it."""
    help_text = run(troupe, "--help").replace(str(troupe), "troupe")
    names = re.findall(r"^  (\w+) {2,}", help_text.split("Subcommands:")[1], re.MULTILINE)
    pages = [("troupe", help_text), *((name, run(troupe, name, "--help").replace(str(troupe), "troupe")) for name in names)]
    navigation = []
    for name, text in pages:
        title = name if name == "troupe" else f"troupe {name}"
        first, _, rest = text.strip().partition("\n")
        page = f"docs/reference/commands/{name}.md"
        stage.write(page, f"# {title}\n\n*Reference*, as `{title} --help` prints it. {first}\n\n```text\n{rest.strip()}\n```\n")
        navigation.append({title: page})
    return navigation


class Options:
    """The structs with TROUPE_FIELDS of the sources: their members, and the comments at these."""

    def __init__(self, root):
        self.structs = [] # name, comment by field
        for layer in ("base", "model", "messages", "actors", "extensions", "apps"):
            for path in sorted((root / layer).rglob("*.[hc]pp")):
                text = path.read_text()
                for found in STRUCT.finditer(text):
                    fields = [field.strip() for field in found.group(3).replace("\n", " ").split(",") if field.strip()]
                    self.structs.append((found.group(1), self.texts(text, found, fields)))

    @staticmethod
    def texts(text, found, fields):
        lines, begin = text.splitlines(), text.count("\n", 0, found.start(2))
        end = begin + found.group(2).count("\n")
        texts = {}
        for field in fields:
            for at in range(begin, end):
                if re.search(rf"\b{field}\b\s*(=|;|\{{|,|$)", re.sub(r"//.*", "", lines[at])):
                    first = comments.first_line(lines, at)
                    last = comments.declaration(lines, first)[1]
                    texts[field] = comments.comment(lines, first, max(last, at))
                    break
            else:
                texts[field] = ""
        return texts

    def of(self, options, name):
        """Comments by option, from the struct whose fields these are; one may have others that are spread beside its own.
        @param name of the component, which chooses among structs with equal fields"""
        name = name.replace("_", "")
        fitting = [struct for struct in self.structs if struct[1] and set(struct[1]) <= set(options)]
        fitting.sort(key=lambda struct: (-len(struct[1]), not struct[0].lower().startswith(name)))
        texts = {}
        for _, fields in fitting:
            for field, text in fields.items():
                texts[field] = texts.get(field) or text
            if all(texts.get(option) for option in options):
                break
        return texts

    def rows(self, options, name, without, prefix=""):
        """Rows of a table of options with their defaults. @param without gets the options that have no comment"""
        texts, rows = self.of(options, name), []
        for key, value in options.items():
            text = comments.in_a_cell(comments.markdown(texts.get(key, ""))) or OTHERS.get(key, "")
            nested = isinstance(value, dict) and value
            rows.append(f"| `{prefix}{key}` | {'' if nested else shown(value)} | {text} |")
            if nested:
                rows += self.rows(value, key, without, f"{prefix}{key}.")
            elif not text:
                without.append(f"{prefix}{key}")
        return rows


def shown(value):
    return "" if value is None else f"`{json.dumps(value) if not isinstance(value, str) else value or chr(34) * 2}`".replace("|", "\\|")


def components(troupe, stage):
    """A page for each kind of component, and one for the rest of a configuration."""
    listed = json.loads(run(troupe, "components", "--json"))
    options = Options(stage.root)
    undescribed = []
    navigation = [{"Runs": whole_run(troupe, stage, options, undescribed)}]
    for kind, title in KINDS.items():
        parts = [f"# {title}: options and defaults", f"*Reference*, as `troupe components --json {kind}` prints them. {INTRODUCTIONS[kind]}"]
        for component in (one for one in listed if one["kind"] == kind):
            parts.append(f"## `{component['name']}`")
            if component["options"]:
                without = []
                parts.append(HEAD + "\n".join(options.rows(component["options"], component["name"], without)))
                undescribed += [f"{kind} {component['name']}: {option}" for option in without]
            if kind == "extension":
                parts.append(participation(component))
            elif not component["options"]:
                parts.append("No options.")
        page = f"{FOLDER}/{kind}.md"
        stage.write(page, "\n\n".join(parts) + "\n")
        navigation.append({title: page})
    if undescribed:
        print("\n".join(undescribed))
        sys.exit(f"build.py: {len(undescribed)} options have no comment at the member of their struct")
    return navigation


def whole_run(troupe, stage, options, undescribed):
    """The options of a run beside those of its components, as a run without a configuration has them."""
    whole = yaml.safe_load(run(troupe, "train", "--print-config"))
    whole["training"]["seed"] = -1 # printed as it was drawn
    parts = ["# Runs: options and defaults", "*Reference*, as `troupe train --print-config` prints them; the sections of components are "
             "on pages of their own. More: [configuration](../configuration.md)."]
    for section, values in whole.items():
        if section in ("problem", "model", "optimizer", "extensions"):
            continue
        without = []
        table = options.rows(values, section, without, f"{section}.") if isinstance(values, dict) else options.rows({section: values}, section, without)
        parts += [f"## `{section}`", HEAD + "\n".join(table)]
        undescribed += without
    page = f"{FOLDER}/run.md"
    stage.write(page, "\n\n".join(parts) + "\n")
    return page


def participation(extension):
    """What an extension does with its options at their defaults."""
    named = lambda names: ", ".join(f"`{name}`" for name in names)
    who = "each worker" if extension["workers"] == "all" else "the main worker"
    lines = [f"- {'A gate' if extension['gate'] else 'An observer'} of {who}."]
    for what, key in (("Called at", "triggers"), ("Writes", "writes"), ("Needs", "needs")):
        if extension[key]:
            lines.append(f"- {what}: {named(extension[key])}.")
    return "\n".join(lines)
