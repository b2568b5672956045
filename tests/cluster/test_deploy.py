"""The manifest for Kubernetes has the form of one, and the versions that are tested."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_the_manifest_is_of_the_version_that_is_tested():
    text = (ROOT / "deploy" / "kuberay.yaml").read_text()
    cluster, claim = yaml.safe_load_all(text)
    pinned = re.search(r"^ray==(.+)$", (ROOT / "constraints.txt").read_text(), re.M)[1]
    assert cluster["spec"]["rayVersion"] == pinned
    assert f"rayproject/ray:{pinned}-" in text
    head, (workers,) = cluster["spec"]["headGroupSpec"], cluster["spec"]["workerGroupSpecs"]
    assert head["rayStartParams"]["num-cpus"] == "0"
    pods = [group["template"]["spec"] for group in (head, workers)]
    images = {container["image"] for pod in pods for container in pod["containers"]}
    assert len(images) == 1
    claimed = pods[0]["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert claim["metadata"]["name"] == claimed
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
