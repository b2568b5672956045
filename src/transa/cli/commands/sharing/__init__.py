"""Commands that hand a model on."""
