"""From energies to yes or no, and to probabilities."""
