"""The pages that people read, their blocks of code, and how each kind of block is run.

A block is run as it stands, in a folder of its page's own, in the order of the page:

- `python` is executed; what one block defines the next one has;
- `bash` is run a line at a time, `transa` in this process. `pip install` is held against the extras that
  there are, `make` against the Makefile, `git clone` against the address; `curl` asks the server that the
  page has started;
- a block with a file's name for its title is written to that file;
- a title that begins with Needs, Takes or Changes says, to readers too, why a block is not run.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_SHOWN = {"text", "json", "toml", "yaml", "csv", "tsv"}


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its title, its text, and where it stands."""

    page: Path
    line: int
    language: str
    title: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def is_run(self) -> bool:
        return not self.title.startswith(("Needs ", "Takes ", "Changes "))


def blocks(page: Path) -> list[Block]:
    """The blocks of a page. Those that are merely indented have no language."""
    found = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type in ("fence", "code_block"):
            language, _, rest = token.info.partition(" ")
            title = re.search(r'title="([^"]*)"', rest)
            line = token.map[0] + 1
            found.append(Block(page, line, language, title[1] if title else "", token.content))
    return found


@dataclass
class Reader:
    """Somebody who does what a page says, in a folder that has a graph and a model."""

    folder: Path
    call: Callable[..., object]
    given: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "page"})
    server: subprocess.Popen[bytes] | None = None
    port: int = 0

    def follow(self, block: Block) -> None:
        """Run a block, or write it to the file that it names."""
        if block.language == "python":
            code = compile(block.text, block.where, "exec", dont_inherit=True)
            exec(code, self.names)
        elif block.language == "bash":
            for words in commands(block.text):
                self.run(words, block.where)
        elif block.language in _SHOWN:
            if "." in block.title:
                (self.folder / block.title).write_text(block.text, encoding="utf-8")
        else:
            raise AssertionError(f"{block.where}: no way to run {block.language or 'this'!r}")

    def run(self, words: list[str], where: str) -> None:
        """Run a command."""
        kind, *rest = words
        if kind == "transa" and rest[0] == "serve":
            self.serve([word for word in rest if word != "--open"])
        elif kind == "transa" and rest == ["demo"]:
            assert (self.folder / "demo").is_dir()  # has been run for all pages together
        elif kind == "transa":
            self.make_room_for(rest)
            done = self.call(*rest)
            assert done.code == 0, f"{where}: {shlex.join(words)}: {done.err}"
        elif kind == "pip":
            extras = re.findall(r"\[([\w,]+)\]", " ".join(rest))
            known = set(_PROJECT["optional-dependencies"])
            assert {each for few in extras for each in few.split(",")} <= known, where
        elif kind == "make":
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert re.search(f"^{rest[0]}:", makefile, re.MULTILINE), where
        elif kind == "git":
            assert rest == ["clone", _PROJECT["urls"]["Repository"]], where
        elif kind == "curl":
            self.ask([word.replace(":8000", f":{self.port}") for word in words])
        elif kind != "cd":
            raise AssertionError(f"{where}: no way to run {kind!r}")

    def make_room_for(self, words: list[str]) -> None:
        """Away with what was given, if the page makes its own."""
        out = self.folder / words[words.index("--out") + 1] if "--out" in words else None
        if words[0] == "train" and out and (self.given / out.name).is_dir() and out.exists():
            shutil.rmtree(out)

    def serve(self, words: list[str]) -> None:
        """Start a server, and wait until it answers."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        line = [sys.executable, "-m", "transa", *words, "--port", str(self.port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.close()
        self.server = subprocess.Popen(line, cwd=self.folder, **quiet)
        for _ in range(1200):
            assert self.server.poll() is None, f"{shlex.join(words)} has ended"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{shlex.join(words)} does not answer")

    def ask(self, words: list[str]) -> None:
        """Ask the server."""
        words = [*words, "--silent", "--show-error", "--fail"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("{")

    def close(self) -> None:
        """End the server."""
        if self.server:
            self.server.terminate()
            self.server.wait()


def commands(text: str) -> list[list[str]]:
    """The commands of a block, each as its words."""
    lines = text.replace("\\\n", " ").splitlines()
    found = []
    for line in lines:
        words = shlex.split(line, comments=True)
        while "&&" in words:
            at = words.index("&&")
            found.append(words[:at])
            words = words[at + 1 :]
        found.append(words)
    return [words for words in found if words]


def prepare(folder: Path, given: Path) -> None:
    """Put what every page may use into its folder."""
    shutil.copytree(given, folder, dirs_exist_ok=True, copy_function=os.link)
