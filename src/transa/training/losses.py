"""The losses by name: what each asks of a triple and its corruptions.

In PyTorch, for the autograd engine and as the oracle of `kernels.training.losses`, which the fused
engine knows them by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from transa.errors import ConfigError
from transa.kernels.training.losses import HINGE, LOGISTIC, SOFTPLUS
from transa.models.tensors import Tensor
from transa.settings.recipe import OWN_LOSSES


class Compared(NamedTuple):
    """What a loss is computed from, for n triples and K corruptions of each.

    Attributes:
        positive: f, (n,).
        negative: f′, (n, K).
        weights: w, how much each corruption counts, (n, K); they sum to 1.
        margin: M, (n,).
        gamma: γ, the radius of the external sphere.
    """

    positive: Tensor
    negative: Tensor
    weights: Tensor
    margin: Tensor
    gamma: float


@dataclass(frozen=True)
class Loss:
    """A loss.

    Attributes:
        of_triples: the loss of each triple, (n,); None where it compares all entities at once.
        kernel: its number in `transa.kernels.training.losses`; None if only autograd knows it.
    """

    of_triples: Callable[[Compared], Tensor] | None
    kernel: int | None = None


def hinge(c: Compared) -> Tensor:
    """Σⱼ wⱼ max(0, f + M − f′ⱼ)."""
    return (c.weights * _violation(c).relu()).sum(-1)


def softplus(c: Compared) -> Tensor:
    """Σⱼ wⱼ log(1 + exp(f + M − f′ⱼ))."""
    from torch.nn.functional import softplus

    return (c.weights * softplus(_violation(c))).sum(-1)


def logistic(c: Compared) -> Tensor:
    """log(1 + exp(f − (γ − M))) + Σⱼ wⱼ log(1 + exp(γ − f′ⱼ)).

    The positive is to be inside the internal sphere, the negatives outside the external one, whose
    radius is γ.
    """
    from torch.nn.functional import softplus

    outside = (c.weights * softplus(c.gamma - c.negative)).sum(-1)
    return softplus(c.positive - c.gamma + c.margin) + outside


def _violation(c: Compared) -> Tensor:
    return (c.positive + c.margin)[:, None] - c.negative


_BY_NAME: dict[str, Loss] = {
    "hinge": Loss(hinge, HINGE),
    "softplus": Loss(softplus, SOFTPLUS),
    "logistic": Loss(logistic, LOGISTIC),
    "listwise": Loss(None),
    "softmax": Loss(None),
}

LOSSES: Mapping[str, Loss] = MappingProxyType(_BY_NAME)
"""Every loss by its name."""


def register_loss(name: str, of_triples: Callable[[Compared], Tensor]) -> None:
    """Make a loss that models can be trained with by its name, on the autograd engine."""
    if name in _BY_NAME:
        raise ConfigError(f"there is a loss {name!r} already; choose another name")
    _BY_NAME[name] = Loss(of_triples)
    OWN_LOSSES.append(name)


def negative_weights(energies: Tensor, adversarial: float) -> Tensor:
    """How much each of K negatives counts: 1/K, or a softmax of their scores (Sun et al. 2019)."""
    import torch

    if adversarial == 0:
        return torch.full_like(energies, 1 / energies.shape[-1])
    return torch.softmax(-adversarial * energies.detach(), dim=-1)
