"""How a model learns: sampling, losses, optimisers, engines, the loop, checkpoints."""
