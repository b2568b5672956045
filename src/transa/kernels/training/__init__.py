"""Inner loops of training."""
