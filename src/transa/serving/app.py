"""The application: the questions, the page, health and metrics, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from transa import __version__
from transa.serving import api
from transa.serving.guarding import Guard
from transa.serving.holding import Holder
from transa.serving.metrics import Metrics
from transa.serving.options import Serving
from transa.serving.pages import add_pages
from transa.serving.problems import add_handlers

_ABOUT = """Questions to a trained model. What stands under *questions* takes one, by GET; under
*batches*, many at once, by POST. A refusal is problem+json (RFC 9457), with the names that may have
been meant."""


def application(serving: Serving) -> ASGIApp:
    """What uvicorn serves."""
    metrics = Metrics()
    holder = Holder(serving, metrics)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await holder.open()
        yield
        await holder.close()

    app = FastAPI(
        title="transa",
        version=__version__,
        description=_ABOUT,
        lifespan=life,
        openapi_url="/api/openapi.json",
        # Their pages load scripts from elsewhere; ours is at /api.
        docs_url=None,
        redoc_url=None,
    )
    app.state.holder, app.state.serving = holder, serving
    app.include_router(api.router)
    add_pages(app)
    add_handlers(app)

    @app.get("/health", tags=["the server"])
    async def health() -> Response:
        """Whether the server answers."""
        return api.answered({"status": "ok", "version": __version__})

    @app.get("/metrics", tags=["the server"])
    async def metrics_text() -> Response:
        """What the server counts, for Prometheus."""
        return PlainTextResponse(metrics.text(), media_type="text/plain; version=0.0.4")

    return Guard(app, serving, metrics)
