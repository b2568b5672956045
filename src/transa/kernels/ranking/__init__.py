"""Inner loops of ranking."""
