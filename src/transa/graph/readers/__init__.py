"""One file in, one table of labels out: whatever the format and the compression."""
