"""A GPU that is not there: its tensors are computed on the CPU, and may not meet those of the CPU.

What would fail on a real one fails here: an operation on tensors of both places, and NumPy's look
at what is not in the memory of the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

GPU = torch.device("cuda")


class OnGPU(torch.Tensor):
    """A tensor that says it is there."""

    __torch_function__ = torch._C._disabled_torch_function_impl


class PretendedGPU(TorchFunctionMode):
    """While entered, `device="cuda"` is a place of its own.

    Attributes:
        moved: how many tensors were brought there.
    """

    moved = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function == torch.Tensor.device.__get__:
            return GPU if isinstance(args[0], OnGPU) else function(*args)
        if function in (torch.Tensor.numpy, torch.Tensor.__array__) and isinstance(args[0], OnGPU):
            raise TypeError("can't convert a tensor of the GPU to NumPy")
        if function is torch.Tensor.cpu:
            return _here(args[0])
        if function is torch.Tensor.to and self._target(args, kwargs) is not None:
            here = _here(args[0])
            return self._there(here.clone()) if self._target(args, kwargs) == GPU else here
        there = kwargs.get("device") == GPU
        if there:
            kwargs["device"] = "cpu"
        tensors = list(_tensors((args, kwargs)))
        on = [isinstance(tensor, OnGPU) for tensor in tensors]
        if any(on) and any(not o and t.dim() for o, t in zip(on, tensors, strict=True)):
            raise RuntimeError(f"{function.__name__}: tensors on the CPU and on the GPU")
        found = function(*args, **kwargs)
        return tree_map(_as_there, found) if there or any(on) else found

    def _target(self, args, kwargs):
        wanted = kwargs.get("device", args[1] if len(args) > 1 else None)
        return wanted if isinstance(wanted, torch.device) else None

    def _there(self, tensor):
        self.moved += 1
        return tensor.as_subclass(OnGPU)


def _tensors(values) -> Iterator[torch.Tensor]:
    for value in tree_leaves(values):
        if isinstance(value, torch.Tensor):
            yield value


def _here(tensor):
    """A copy of what is on the GPU; what is on the CPU is shared, as PyTorch does."""
    return tensor.as_subclass(torch.Tensor).clone() if isinstance(tensor, OnGPU) else tensor


def _as_there(value):
    plain = isinstance(value, torch.Tensor) and not isinstance(value, OnGPU)
    return value.as_subclass(OnGPU) if plain else value
