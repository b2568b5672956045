"""Look the pinned packages up among known vulnerabilities, by pip-audit in an environment apart.

    python scripts/audit.py

Ends with 1 if one is found, and with 0 and a sentence where the service cannot be reached: that
says nothing of the packages.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"


def main() -> int:
    """Run pip-audit, or say why not."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = next(Path(folder).glob("[bS]*/python*"))
        install = [python, "-m", "pip", "install", "--quiet", "--retries", "0", "pip-audit"]
        if (done := _run(install)).returncode:
            sentence, code = verdict("", done.stderr)
        else:
            options = ["--no-deps", "--disable-pip", "--format", "json", "-r", CONSTRAINTS]
            done = _run([python, "-m", "pip_audit", *options])
            sentence, code = verdict(done.stdout, done.stderr)
    print(sentence)
    return code


def verdict(report: str, complaints: str) -> tuple[str, int]:
    """What to say of pip-audit's report in JSON, and the exit code.

    It passes packages over that its service does not answer for, and ends well if that were all.
    """
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        lines = complaints.strip().splitlines()
        return f"not audited: pip-audit cannot be run here ({lines[-1] if lines else 'silent'})", 0
    audited = [package for package in packages if "vulns" in package]
    if not audited:
        return "not audited: the service of known vulnerabilities cannot be reached from here", 0
    found = [
        f"{package['name']} {package['version']}: {flaw['id']}"
        for package in audited
        for flaw in package["vulns"]
    ]
    of = f"{len(audited)} of {len(packages)} packages audited"
    if found:
        return "\n".join([f"{of}, {len(found)} vulnerabilities known:", *found]), 1
    return f"{of}, no vulnerability known", 0


def _run(command: list[object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
