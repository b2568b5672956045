"""Each extra, really missing: a process that cannot import it, and the entrances that need it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

# Finders are asked in order: this one is first, and knows only that there is no such package.
HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
TELL = """
import transa
try:
    {call}
except transa.TransaError as error:
    print(error)
"""
COMMAND = """
import sys
from transa.cli import main
sys.argv = ["transa", *{words!r}]
main()
"""
PANDAS = (
    "import pandas; transa.from_frame(pandas.DataFrame([['a', 'r', 'b']], columns=list('hrt')))"
)
ANSWERS = "transa.Predictions('?', (transa.Prediction(1, 'es', 'Spain', -0.5),)).to_pandas()"

MODEL = (
    "transa.TransE(dim=2, epochs=1, threads=1)"
    ".fit(transa.from_labels([('a', 'r', 'b')], split=None))"
)

TRACKED = "transa.TransE(dim=2, epochs=1).fit('countries', callbacks=[transa.tracking"


def without(package: str, code: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", HIDE.format(package=package) + code]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.fixture
def nt(tmp_path):
    path = tmp_path / "x.nt"
    path.write_text("<a> <r> <b> .\n")
    return path


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("pyoxigraph", "rdf", "transa.read({nt!r})"),
        ("pyoxigraph", "rdf", "transa.load_graph('sparql+http://localhost:9/')"),
        ("duckdb", "sql", "transa.read({nt!r}, format='duckdb')"),
        ("pyarrow", "pandas", PANDAS),
        ("pyarrow", "pandas", ANSWERS),
        ("pandas", "pandas", ANSWERS),
        ("tensorboard", "tensorboard", f"{TRACKED}.TensorBoard('x')])"),
        ("mlflow", "mlflow", f"{TRACKED}.MLflow()])"),
        ("wandb", "wandb", f"{TRACKED}.WeightsAndBiases()])"),
        ("huggingface_hub", "hub", "transa.load('hf://ann/atlas')"),
        ("pykeen", "pykeen", f"{MODEL}.to_pykeen()"),
        ("optuna", "search", "transa.search('countries')"),
        ("pandas", "pandas", f"{MODEL}.vectors(to='pandas')"),
        ("pyarrow", "pandas", f"{MODEL}.vectors(to='arrow')"),
    ],
)
def test_from_python(nt, package, extra, call):
    done = without(package, TELL.format(call=call.replace("{nt!r}", repr(str(nt)))))
    assert done.stderr == ""
    assert f"needs {package}: pip install 'transa[{extra}]'" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_rdf_from_the_command_line(nt):
    done = without("pyoxigraph", COMMAND.format(words=["train", str(nt)]))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"transa: {nt}: reading N-Triples needs pyoxigraph: pip install 'transa[rdf]'"
    ]


def test_figures_from_the_command_line(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    words = [
        "margins",
        str(tmp_path / "model"),
        "--entity",
        "fr",
        "--figure",
        str(tmp_path / "x.png"),
    ]
    done = without("matplotlib", COMMAND.format(words=words))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "transa: a figure needs matplotlib: pip install 'transa[figures]'"
    ]


def test_an_index_from_the_command_line(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    done = without("faiss", COMMAND.format(words=["index", str(tmp_path / "model")]))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "transa: an index of neighbours needs faiss: pip install 'transa[ann]'"
    ]


@pytest.mark.parametrize(
    "package", ["fastapi", "uvicorn", "httptools", "prometheus_client", "rapidfuzz"]
)
def test_a_server_from_the_command_line(fitted, tmp_path, package):
    fitted.save(tmp_path / "model")
    done = without(package, COMMAND.format(words=["serve", str(tmp_path / "model")]))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"transa: transa serve needs {package}: pip install 'transa[serve]'"
    ]


def test_the_hub_from_the_command_line(tmp_path):
    words = ["pull", "ann/atlas", str(tmp_path / "model")]
    done = without("huggingface_hub", COMMAND.format(words=words))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "transa: the Hugging Face hub needs huggingface_hub: pip install 'transa[hub]'"
    ]
    assert list(tmp_path.iterdir()) == []


def test_every_extra_is_hidden_from_someone_here():
    """But `all` and `dev`, which name others, and `docs`, which the package does not import."""
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    tested = Path(__file__).read_text()
    named = {e for e in extras if f'"{e}"' in tested or f"transa[{e}]" in tested}
    assert extras.keys() - named <= {"all", "dev", "docs"}


@pytest.mark.parametrize(
    "package",
    ["pyoxigraph", "duckdb", "matplotlib", "pandas", "pyarrow", "faiss", "fastapi", "rapidfuzz"],
)
def test_all_else_does_without(package):
    done = without(package, "import transa; print(transa.load_graph('countries').n_entities)")
    assert done.returncode == 0
    assert int(done.stdout) > 100


def test_a_cluster_from_the_command_line(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    words = ["evaluate", str(tmp_path / "model"), "--cluster", "local"]
    done = without("ray", COMMAND.format(words=words))
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["transa: a cluster needs ray: pip install 'transa[ray]'"]
