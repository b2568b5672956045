"""Build the site: `make docs`, or `python scripts/site.py FOLDER` to have it elsewhere.

What Zensical reads is made first: a copy of docs/ whose links to other parts of the repository lead to
its public home, the page of commands, and a menu that has every page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def build(site: Path) -> None:
    """Build the site into a folder, which is replaced; whatever is wrong ends it."""
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        _gather(work)
        zensical = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
        subprocess.run(zensical, cwd=work, check=True)
        if site.exists():
            shutil.rmtree(site)
        shutil.copytree(work / "site", site)


def _gather(work: Path) -> None:
    docs = work / "docs"
    shutil.copytree(ROOT / "docs", docs)
    shutil.copytree(ROOT / "src", work / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for file in (work / "src").rglob("*.py"):
        # Griffe takes the one for an example, the other for a paragraph with a frame.
        text = file.read_text(encoding="utf-8").replace("    Example:\n", "    Examples:\n")
        file.write_text(text, encoding="utf-8")
    write_commands(docs / "commands.md")
    for page in docs.glob("*.md"):
        page.write_text(with_public_links(page.read_text(encoding="utf-8")), encoding="utf-8")
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    told["nav"] = with_all_pages(told["nav"], docs)
    (work / "mkdocs.yml").write_text(yaml.safe_dump(told, sort_keys=False), encoding="utf-8")


def write_commands(page: Path) -> None:
    """Write the page of commands, from the code of the command line."""
    typer = [sys.executable, "-m", "typer", "transa.cli.app", "utils", "docs", "--name", "transa"]
    subprocess.run([*typer, "--output", str(page)], check=True, capture_output=True)
    text = page.read_text(encoding="utf-8").replace("{GRAPH}", "GRAPH").replace("{DIR}", "DIR")
    page.write_text(text.replace("# `transa`\n", "# Commands\n", 1), encoding="utf-8")


def with_public_links(text: str) -> str:
    """A page whose links out of docs/ lead to the repository's public home."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return re.sub(r"\]\(\.\./", f"]({project['urls']['Repository']}/blob/main/", text)


def with_all_pages(nav: list[dict], docs: Path) -> list[dict]:
    """The menu, with the pages that it does not name under Guides."""
    named = set(re.findall(r"[\w-]+\.md", str(nav)))
    others = sorted(page.name for page in docs.glob("*.md") if page.name not in named)
    (guides,) = (part["Guides"] for part in nav if "Guides" in part)
    guides.extend(others)
    return nav


if __name__ == "__main__":
    build(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "site")
