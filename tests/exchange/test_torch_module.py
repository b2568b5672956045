"""A model as a PyTorch module."""

from __future__ import annotations

import numpy as np
import torch


def ids(graph):
    return torch.tensor(graph.known, dtype=torch.long)


def test_it_scores_as_the_model_does(model):
    module = model.to_torch()
    found = module(ids(model.graph_)).detach().numpy()
    np.testing.assert_allclose(found, -model.model_.energies(*model.graph_.known.T), rtol=1e-5)


def test_it_scores_the_answers_of_questions(model):
    module, graph = model.to_torch(), model.graph_
    h, r, t = ids(graph)[:5].T
    with torch.no_grad():
        tails, heads = module.score_tails(h, r), module.score_heads(r, t)
        some = module.score_tails(h, r, torch.tensor([3, 1]))
    for row in range(5):
        asked = (int(h[row]), int(r[row]), None)
        wanted = -model.model_.energies_of_answers(asked)
        np.testing.assert_allclose(tails[row], wanted, rtol=1e-5, atol=1e-6)
        asked = (None, int(r[row]), int(t[row]))
        wanted = -model.model_.energies_of_answers(asked)
        np.testing.assert_allclose(heads[row], wanted, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(some, tails[:, [3, 1]])


def test_it_can_be_trained_and_stored_and_leaves_the_model_alone(model, tmp_path):
    module, before = model.to_torch(), model.parameters_["entity"].copy()
    optimiser = torch.optim.SGD(module.parameters(), lr=0.1)
    module(ids(model.graph_)).sum().backward()
    optimiser.step()
    assert not np.array_equal(module.tables["entity"].detach().numpy(), before)
    np.testing.assert_array_equal(model.parameters_["entity"], before)
    torch.save(module.state_dict(), tmp_path / "state.pt")
    again = model.to_torch()
    again.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    assert torch.equal(again(ids(model.graph_)), module(ids(model.graph_)))


def test_it_goes_to_another_device(model):
    module = model.to_torch().to("meta")
    h = torch.zeros(4, dtype=torch.long, device="meta")
    assert module.score_tails(h, h).shape == (4, model.graph_.n_entities)
    assert module.score_heads(h, h).device.type == "meta"
