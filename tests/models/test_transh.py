"""TransH's constraints: normals of length 1, and what the soft ones let be."""

from __future__ import annotations

import numpy as np
import torch

from transa.models.transh import TransHEnergy

ENERGY = TransHEnergy(dim=2, soft=0.5)
TRIPLE = (torch.tensor([0]), torch.tensor([0]), torch.tensor([1]))


def penalty(entity, relation, normal):
    tables = {"entity": entity, "relation": relation, "normal": normal}
    leaves = {name: torch.tensor(table, requires_grad=True) for name, table in tables.items()}
    found = ENERGY.penalty(leaves, *TRIPLE)
    found.sum().backward()
    assert all(leaf.grad.isfinite().all() for leaf in leaves.values())
    return found.item()


def test_a_translation_in_its_plane_between_entities_on_the_sphere_costs_nothing():
    on_the_sphere = [[0.6, 0.8], [0.0, -1.0]]
    assert penalty(on_the_sphere, [[3.0, 0.0]], [[0.0, 1.0]]) == 0
    assert penalty(on_the_sphere, [[3.0, 0.1]], [[0.0, 1.0]]) > 0
    assert penalty([[0.6, 0.9], [0.0, -1.0]], [[3.0, 0.0]], [[0.0, 1.0]]) > 0


def test_a_translation_of_no_length_is_in_every_plane():
    assert penalty([[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0]], [[0.0, 1.0]]) == 0


def test_normals_that_a_step_moved_get_their_length_back():
    normal = torch.tensor([[3.0, 4.0], [3.0, 4.0], [0.0, 0.0]])
    ENERGY.constrain({"normal": normal}, {"relation": torch.tensor([1, 2])})
    torch.testing.assert_close(normal, torch.tensor([[3.0, 4.0], [0.6, 0.8], [0.0, 0.0]]))


def test_the_mean_of_normals_gets_its_length_back():
    normal = np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)
    ENERGY.settle({"normal": normal})
    np.testing.assert_allclose(normal, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)
