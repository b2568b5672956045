"""Commands that learn: a search over settings, new facts for a trained model."""
