"""Less memory than the work needs: it is refused, or comes to its end."""

from __future__ import annotations

import resource
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import transa
from torture.children import ADDRESS_SPACE, run_cases
from torture.outcomes import Ending, Outcome, Outcomes

_MB = 1 << 20


def phase(rng: Random, deadline: float) -> Outcomes:
    """Work under limits until the deadline."""
    return run_cases("torture.memory", rng.getrandbits(32), deadline)


def inputs(rng: Random) -> Iterator[dict[str, Any]]:
    """Settings, and how many bytes are left for them."""
    while True:
        yield {
            "room": rng.choice((64, 128, 256, 512, 1024)) * _MB + rng.randrange(64 * _MB),
            "entities": rng.choice((100, 2000)),
            "model": rng.choice(("transe", "distmult", "rescal", "ntn")),
            "dim": rng.choice((8, 300, 3000, 200_000)),
            "negatives": rng.choice((1, 1000, 10**7)),
        }


def try_one(one: dict[str, Any], _folder: Path) -> Outcome:
    """Train one epoch on a graph, under the limit."""
    rows = [(f"e{i}", "r", f"e{(i * 7 + 1) % one['entities']}") for i in range(one["entities"])]
    graph = transa.from_labels(rows, split=None)
    options = {"epochs": 1, "threads": 1, "engine": "autograd", "batch": 64}
    made = transa.Estimator(one["model"], dim=8, negatives=1, **options).fit(graph)
    made = transa.Estimator(one["model"], dim=one["dim"], negatives=one["negatives"], **options)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + one["room"], ADDRESS_SPACE))
    try:
        made.fit(graph)
    except transa.TransaError as error:
        return Outcome(Ending.REFUSED, str(error))
    except MemoryError:  # which the command line tells in a sentence
        return Outcome(Ending.REFUSED)
    except Exception:
        return Outcome(Ending.CRASHED, f"{one}: {traceback.format_exc()[-600:]}")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    return Outcome(Ending.SURVIVED)
