"""A small load: many clients at once, every answer right, calls shared."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import httpx

CLIENTS, EACH = 16, 25


def test_under_load_every_answer_is_right(start, folder, ring):
    expected = {
        f"town {i}": [p.label for p in ring.predict_tails(f"town {i}", "near", 3)]
        for i in range(30)
    }
    server = start(folder)

    def ask(client: int) -> int:
        right = 0
        with httpx.Client(base_url=server.address, timeout=60) as connection:
            for n in range(EACH):
                head = f"town {(client * 7 + n) % 30}"
                asked = {"head": head, "relation": "near", "k": 3}
                said = connection.get("/api/v1/tails", params=asked).json()["answers"]
                right += [a["label"] for a in said] == expected[head]
        return right

    with ThreadPoolExecutor(CLIENTS) as pool:
        assert list(pool.map(ask, range(CLIENTS))) == [EACH] * CLIENTS
    text = httpx.get(f"{server.address}metrics").text
    calls = re.search(r'questions_together_count{kind="answers"} (\S+)', text)
    assert float(calls[1]) <= CLIENTS * EACH
    assert f'status="200"}} {CLIENTS * EACH}.0' in text
    assert "transa_requests_running 1.0" in text  # this very one
