"""Running an experiment: units of work, and a record of each."""
