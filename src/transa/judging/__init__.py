"""Is this triple true? Thresholds, verdicts, and vectors for entities that are new."""
