"""A server as one writes it in ten minutes: FastAPI, PyTorch, one scoring call a request."""

from __future__ import annotations

import socket
import sys

import torch
import uvicorn
from fastapi import FastAPI

import transa


def application(folder: str) -> FastAPI:
    """The questions for tails, answered one by one."""
    model = transa.load(folder)
    entity = torch.tensor(model.parameters_["entity"])
    translation = torch.tensor(model.parameters_["relation"])
    labels = model.graph_.entities.labels.to_list()
    app = FastAPI()

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/api/v1/tails")
    def tails(head: str, relation: str, k: int = 10) -> dict[str, object]:
        h, r = model.graph_.entities.id(head), model.graph_.relations.id(relation)
        with torch.no_grad():
            far = (entity[h] + translation[r] - entity).abs().sum(-1)
            for known in model.model_.known.answers_to((h, r, None)):
                far[known] = torch.inf
            best = torch.topk(far, k, largest=False)
        pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        return {"answers": [{"label": labels[i], "score": -value} for i, value in pairs]}

    return app


def main() -> None:
    """Serve at a free port, whose address is printed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    uvicorn.run(application(sys.argv[1]), port=port, log_level="warning")


if __name__ == "__main__":
    main()
