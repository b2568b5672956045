"""The adaptive margin against fixed ones."""
