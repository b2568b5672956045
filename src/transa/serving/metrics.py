"""What the server counts of itself, as Prometheus reads it.

Several workers count together where PROMETHEUS_MULTIPROC_DIR names a folder for it, which
`running` sees to.
"""

from __future__ import annotations

import os

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_TOGETHER = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.requests = Counter(
            "transa_requests_total", "Requests.", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "transa_request_seconds",
            "Seconds until a request was answered.",
            ["path"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.together = Histogram(
            "transa_questions_together",
            "Questions that shared a call of a kernel.",
            ["kind"],
            buckets=_TOGETHER,
            registry=registry,
        )
        self.running = Gauge(
            "transa_requests_running",
            "Requests that are being answered.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.loads = Counter(
            "transa_model_loads_total", "Model folders read.", ["outcome"], registry=registry
        )

    def text(self) -> bytes:
        """All of them, in Prometheus's text format."""
        if FOLDER not in os.environ:
            return bytes(generate_latest(self._registry))
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return bytes(generate_latest(together))
