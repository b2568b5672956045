"""From files, frames and arrays to a graph."""
