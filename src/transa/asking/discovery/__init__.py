"""The most plausible facts that a graph does not have."""
