"""MLflow: a run of an experiment, on a server or in a folder. Needs the extra `mlflow`."""

from __future__ import annotations

import time
from typing import Any

from transa.errors import ConfigError, optional
from transa.tracking.reporting import Tracker, Value


class MLflow(Tracker):
    """Logs parameters and metrics by MLflow's client; the run that a script has open is left alone.

    Args:
        uri: of the tracking server, or of a folder or data base; else as MLflow finds it
            (``MLFLOW_TRACKING_URI``).
        experiment: its name.
    """

    def __init__(self, uri: str | None = None, experiment: str = "transa") -> None:
        self.uri, self.experiment = uri, experiment
        self._client: Any = None
        self._run = ""

    def open(self, name: str, settings: dict[str, Value]) -> None:
        """A run, in an experiment that is made if there is none."""
        mlflow = optional("mlflow", "mlflow", "a record for MLflow")
        self._client = mlflow.MlflowClient(tracking_uri=self.uri)
        try:
            found = self._client.get_experiment_by_name(self.experiment)
            own = found.experiment_id if found else self._client.create_experiment(self.experiment)
            self._run = self._client.create_run(own, run_name=name).info.run_id
            for setting, value in settings.items():
                self._client.log_param(self._run, setting, value)
        except (OSError, mlflow.exceptions.MlflowException) as error:
            told = " ".join(str(error).split())
            raise ConfigError(f"MLflow cannot record this run ({told:.300})") from error

    def add(self, numbers: dict[str, float], epoch: int) -> None:
        """In one request."""
        entities = optional("mlflow.entities", "mlflow", "a record for MLflow")
        now = round(time.time() * 1000)
        metrics = [entities.Metric(name, value, now, epoch) for name, value in numbers.items()]
        self._client.log_batch(self._run, metrics=metrics)

    def close(self, summary: dict[str, Value] | None) -> None:
        """Finished, killed or failed."""
        if summary is None:
            self._client.set_terminated(self._run, status="FAILED")
            return
        self._client.set_tag(self._run, "stopped", summary["stopped"])
        self._client.set_tag(self._run, "best_epoch", summary["best_epoch"])
        killed = summary["stopped"] == "interrupted"
        self._client.set_terminated(self._run, status="KILLED" if killed else "FINISHED")
