"""How steps are executed."""
