"""Training on a graph in partitions: two of them in memory, the others on disk."""
