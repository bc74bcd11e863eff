"""Pages that the program writes about itself: its commands."""
import re
import subprocess


def run(troupe, *arguments):
    return subprocess.run([troupe, *arguments], check=True, capture_output=True, text=True).stdout


def write(troupe, stage):
    """Writes the pages. @returns their part of the navigation"""
    return [{"Commands": commands(troupe, stage)}]


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
