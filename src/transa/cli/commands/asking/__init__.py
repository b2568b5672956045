"""Commands that ask a model for more than one answer: why, what else, who is near."""
