"""The same buckets on many machines: Ray says what runs where, this room what may run."""
