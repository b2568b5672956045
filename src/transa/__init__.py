"""Knowledge-graph embedding without a margin to tune: TransA and its kin."""
