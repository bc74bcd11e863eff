"""The folder from which mkdocs builds: pages, and copies of the source files to which pages lead."""
import html
import pathlib
import shutil

import pygments
import pygments.formatters
import pygments.lexers
import pygments.util

CODE = {".hpp", ".cpp", ".py", ".sh", ".txt", ".cmake", ".yaml", ".yml", ".service", ""}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title><style>
body {{ margin: 1em; font: 14px/1.4 monospace; background: #fff; color: #222; }}
h1 {{ font: bold 18px sans-serif; }} .linenos a, a {{ color: #777; text-decoration: none; }}
pre {{ margin: 0; }} td.linenos {{ padding-right: 1em; text-align: right; }} :target {{ background: #fe8; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #1e2129; color: #ddd; }} :target {{ background: #554400; }} }}
{style}
@media (prefers-color-scheme: dark) {{ {dark} }}
</style></head><body><h1>{name}</h1>{body}</body></html>
"""


def style(name, prefix):
    """The rules for the tokens alone: the page's colors are its own."""
    rules = pygments.formatters.HtmlFormatter(style=name).get_style_defs(prefix).splitlines()
    return "\n".join(rule for rule in rules if rule.startswith(prefix + " .") and "linenos" not in rule)


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder_path, self.wanted = root, folder, set()
        folder.mkdir(parents=True)

    def write(self, name, text):
        path = self.folder_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def file(self, name):
        """The page of a source file, or the copy of another file, to which a page leads."""
        name = pathlib.Path(name)
        self.wanted.add(name)
        return pathlib.Path(f"{name}.html") if self._is_code(name) else name

    def folder(self, name):
        """The page that lists a folder's files."""
        files = sorted(path.relative_to(self.root) for path in (self.root / name).rglob("*") if path.is_file())
        lines = [f'<li><a href="{self.file(file).relative_to(name)}">{file.relative_to(name)}</a></li>' for file in files]
        self.write(name / "index.html", PAGE.format(name=name, body=f"<ul>{''.join(lines)}</ul>", style="", dark=""))
        return name / "index.html"

    def _is_code(self, name):
        return name.suffix in CODE or name.name == "Containerfile"

    def finish(self):
        """Writes the copies of all files that were asked for."""
        light, dark = style("default", ".highlight"), style("monokai", ".highlight")
        for name in sorted(self.wanted):
            source = self.root / name
            if not self._is_code(name):
                (self.folder_path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, self.folder_path / name)
                continue
            text = source.read_text()
            try:
                lexer = pygments.lexers.CppLexer() if name.suffix in (".hpp", ".cpp") else pygments.lexers.get_lexer_for_filename(name.name, text)
            except pygments.util.ClassNotFound:
                lexer = pygments.lexers.TextLexer()
            formatter = pygments.formatters.HtmlFormatter(linenos="table", lineanchors="L", anchorlinenos=True)
            body = pygments.highlight(text, lexer, formatter)
            self.write(f"{name}.html", PAGE.format(name=html.escape(str(name)), body=body, style=light, dark=dark))
