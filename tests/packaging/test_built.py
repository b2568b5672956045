"""The wheel and the sdist: what they hold, and whether they work where nothing else of this is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]

pytestmark = pytest.mark.xdist_group("packaging")


def run(*command: object, **options) -> str:
    line = [str(word) for word in command]
    done = subprocess.run(line, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the sdist and the wheel that is made of it."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT)
    return out


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def metadata(wheel) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode("utf-8"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """An environment with this wheel, and what it needs from the one that runs the tests."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    install = ("install", "--quiet", "--no-deps", "--no-index", wheel)
    run(sys.executable, "-m", "pip", "--python", python, *install)
    (packages,) = folder.glob("lib/python*/site-packages")
    # What an entry of a .pth names is a place of packages; the .pth files there are not followed, so
    # that an editable installation of this repository is not found.
    (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder / "bin"


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict:
    """Where installed commands run: far from the source, which no path names."""
    environ = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return {"cwd": tmp_path_factory.mktemp("anywhere"), "env": environ}


def files_of_the_package() -> set[str]:
    source = ROOT / "src"
    made = {".pyc", ".nbi", ".nbc"}
    return {
        file.relative_to(source).as_posix()
        for file in (source / "transa").rglob("*")
        if file.is_file() and file.suffix not in made and "egg-info" not in str(file)
    }


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        about = {Path(name).name for name in archive.namelist() if ".dist-info/" in name}
    assert names == files_of_the_package()
    for needed in ("py.typed", "serving/page/index.html", "datasets/countries/train.txt"):
        assert f"transa/{needed}" in names
    assert {"METADATA", "entry_points.txt", "LICENSE"} <= about


def test_the_sdist_holds_what_the_wheel_is_made_of(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in files_of_the_package()} <= names
    others = {name for name in names if not name.startswith("src/transa/")}
    assert others == {
        ".gitignore",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "SECURITY.md",
        "pyproject.toml",
    }


def test_the_registry_takes_them(built):
    said = run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir())
    assert said.count("PASSED") == 2


def test_the_metadata_tells_of_extras_and_addresses(metadata):
    extras = set(metadata.get_all("Provides-Extra"))
    assert extras == set(PROJECT["optional-dependencies"])
    urls = dict(line.split(", ") for line in metadata.get_all("Project-URL"))
    assert urls == PROJECT["urls"]
    assert all(url.startswith(REPOSITORY) or "Documentation" in name for name, url in urls.items())


def test_links_of_the_registrys_page_are_absolute_and_lead_somewhere(metadata):
    page = metadata.get_payload()
    links = re.findall(r"\]\(([^)]+)\)", page)
    raw = REPOSITORY.replace("github.com", "raw.githubusercontent.com")
    of_ours = (f"{REPOSITORY}/blob/main/", f"{raw}/main/")
    named = [link.removeprefix(home) for link in links for home in of_ours if link.startswith(home)]
    assert len(named) > 5
    for name in named:
        assert (ROOT / name.partition("#")[0]).is_file(), name
    assert [link for link in links if not link.startswith("https://")] == []
    images = re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)
    assert images
    assert all(link.startswith(f"{raw}/main/") for link in images)


def test_the_installed_package_answers(environment, alone, metadata):
    python = environment / "python"
    home = run(python, "-c", "import transa; print(transa.__file__, transa.__version__)", **alone)
    assert home == f"{next(environment.parent.glob('lib/*/site-packages'))}/transa/__init__.py " + (
        f"{metadata['Version']}\n"
    )
    transa = environment / "transa"
    assert run(transa, "--version", **alone) == f"transa {metadata['Version']}\n"
    # Kernels are cached by where they are installed, which is new here: few are asked for.
    quick = ("--model", "distmult", "--engine", "autograd", "--dim", 8, "--epochs", 1)
    run(transa, "train", "countries", *quick, "--validate-every", 0, "--out", "model", **alone)
    asked = ("predict", "model", "--head", "France", "--relation", "borders")
    answers = json.loads(run(transa, *asked, "--json", "-k", 3, **alone))
    assert len(answers["predictions"]) == 3
    page = (
        "import fastapi.testclient, transa.serving.pages as pages\n"
        "app = fastapi.FastAPI()\n"
        "pages.add_pages(app)\n"
        "print(fastapi.testclient.TestClient(app).get('/').status_code)"
    )
    assert run(python, "-c", page, **alone) == "200\n"


@pytest.mark.parametrize(("tag", "version"), [("v9.8.7", "9.8.7"), (None, "0.1.0.dev0")])
def test_the_version_is_the_tags(tag, version, tmp_path):
    for name in ("pyproject.toml", "README.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    if tag:
        as_somebody = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"], ["tag", tag]):
            run("git", *as_somebody, *words, cwd=tmp_path)
    assert run(sys.executable, "-m", "hatchling", "version", cwd=tmp_path) == f"{version}\n"
