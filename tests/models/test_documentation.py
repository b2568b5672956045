"""The example of docs/models.md, run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from transa.models import registry

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def test_a_model_of_your_own(capsys):
    before = set(registry._BY_NAME)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    namespace = {"__name__": "example"}
    try:
        exec(compile(code, str(PAGE), "exec", dont_inherit=True), namespace)
        losses = [line.loss for line in namespace["model"].history_]
        assert losses[-1] < losses[0]
        assert "Peru · borders · ?" in capsys.readouterr().out
    finally:
        for name in set(registry._BY_NAME) - before:
            del registry._BY_NAME[name]
