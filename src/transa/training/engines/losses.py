"""The losses of the autograd engine: the oracle of `kernels.losses`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transa.settings.recipe import Loss

if TYPE_CHECKING:
    from torch import Tensor


def negative_weights(energies: Tensor, adversarial: float) -> Tensor:
    """How much each of K negatives counts: 1/K, or a softmax of their scores (Sun et al. 2019)."""
    import torch

    if adversarial == 0:
        return torch.full_like(energies, 1 / energies.shape[-1])
    return torch.softmax(-adversarial * energies.detach(), dim=-1)


def losses(
    loss: Loss,
    positive: Tensor,
    negative: Tensor,
    margin: Tensor,
    gamma: float,
    adversarial: float,
) -> Tensor:
    """The loss of each triple, from f (n,), f′ (n, K) and M (n,).

    - hinge: Σⱼ wⱼ max(0, f + M − f′ⱼ)
    - softplus: Σⱼ wⱼ log(1 + exp(f + M − f′ⱼ))
    - logistic: log(1 + exp(f − (γ − M))) + Σⱼ wⱼ log(1 + exp(γ − f′ⱼ)): the positive inside the
      internal sphere, the negatives outside the external one, whose radius is γ
    """
    from torch.nn.functional import relu, softplus

    weights = negative_weights(negative, adversarial)
    if loss == "logistic":
        outside = (weights * softplus(gamma - negative)).sum(-1)
        return softplus(positive - gamma + margin) + outside
    violation = (positive + margin)[:, None] - negative
    smooth = relu(violation) if loss == "hinge" else softplus(violation)
    return (weights * smooth).sum(-1)
