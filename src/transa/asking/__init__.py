"""Questions put to a trained model, and its answers."""
