"""Inner loops of the adaptive margin."""
