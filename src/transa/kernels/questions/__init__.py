"""Inner loops of questions that are held against many entities at once."""
