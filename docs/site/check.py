"""Checks a built site: every link leads to a file and an anchor of it, and no page loads anything from elsewhere."""
import html.parser
import pathlib
import sys
import urllib.parse

LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data"),
         ("image", "href"), ("use", "href")}
# A link element that names a page and loads nothing.
NAMES_ONLY = {"canonical", "next", "prev"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        for key, value in attributes:
            if value and (tag, key) in LOADS and values.get("rel") not in NAMES_ONLY:
                self.loads.append(value)
            elif value and (tag, key) == ("a", "href"):
                self.links.append(value)


def report(site):
    """Prints the defects. @returns the exit code"""
    read = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    defects = set()
    for path, page in read.items():
        if path.name == "404.html":
            continue # its links begin at the root of a server
        name = path.relative_to(site)
        for load in page.loads:
            if urllib.parse.urlsplit(load).scheme not in ("", "data") or load.startswith("//"):
                defects.add(f"{name}: loads {load}, which is not part of the site")
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                defects.add(f"{name}: there is no {link}")
            elif anchor and target in read and anchor not in read[target].anchors:
                defects.add(f"{name}: {link} has no such anchor")
    for style in site.rglob("*.css"):
        text = style.read_text()
        if "url(http" in text or "url(//" in text or "@import" in text:
            defects.add(f"{style.relative_to(site)}: loads something that is not part of the site")
    print("\n".join([*sorted(defects), f"{len(read)} pages, {len(defects)} defects"]))
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(report(pathlib.Path(sys.argv[1]).resolve()))
