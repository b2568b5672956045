"""The site builds without a warning, and leads nowhere that is not there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from scripts.site import with_all_pages, with_public_links
from transa.cli.app import app

ROOT = Path(__file__).parents[2]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]

pytestmark = pytest.mark.xdist_group("site")


class Page(HTMLParser):
    """What a page links to, what it loads, and which places in it can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.anchors |= {told[name] for name in ("id", "name") if told.get(name)}
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        if tag in ("img", "script") and told.get("src"):
            self.loaded.append(told["src"])
        if tag == "link" and told.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(told["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    build = [sys.executable, ROOT / "scripts" / "site.py", folder]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Page]:
    return {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}


def test_every_page_is_built(site):
    wanted = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"} | {"commands"}
    assert {folder.name for folder in site.iterdir() if (folder / "index.html").exists()} == wanted


def test_every_link_within_it_leads_somewhere(pages):
    lost = []
    for file, page in pages.items():
        for link in page.links + page.loaded:
            to = urlsplit(link)
            if to.scheme or link.startswith(("//", "data:")):
                continue
            target = (file.parent / unquote(to.path)).resolve() if to.path else file
            target = target / "index.html" if target.is_dir() else target
            missing = to.fragment and target in pages and to.fragment not in pages[target].anchors
            if not target.exists() or missing:
                lost.append(f"{file.parent.name}: {link}")
    assert lost == []


def test_links_to_the_repository_name_files_that_it_has(pages):
    home = f"{URLS['Repository']}/blob/main/"
    named = {link.removeprefix(home) for p in pages.values() for link in p.links if home in link}
    assert named
    assert [name for name in named if not (ROOT / name.partition("#")[0]).is_file()] == []


def test_nothing_is_fetched_from_elsewhere(pages):
    assert [link for page in pages.values() for link in page.loaded if "//" in link] == []


def test_the_reference_has_all_commands_and_names(site):
    commands = (site / "commands" / "index.html").read_text(encoding="utf-8")
    for registered in app.registered_commands:
        assert f'id="transa-{registered.name}"' in commands
    api = (site / "api" / "index.html").read_text(encoding="utf-8")
    for name in ("predict_tails", "discover", "evaluate", "save"):
        assert f'id="transa.estimator.base.Estimator.{name}"' in api


def test_a_page_that_the_menu_does_not_name_is_under_guides(tmp_path):
    (tmp_path / "a.md").touch()
    (tmp_path / "new.md").touch()
    nav = [{"Home": "a.md"}, {"Guides": []}]
    assert with_all_pages(nav, tmp_path) == [{"Home": "a.md"}, {"Guides": ["new.md"]}]


def test_links_out_of_the_pages_are_made_public():
    made = with_public_links("[a](../SECURITY.md#x) [b](method.md)")
    assert made == f"[a]({URLS['Repository']}/blob/main/SECURITY.md#x) [b](method.md)"


def test_one_address():
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert told["site_url"] == URLS["Documentation"]
