"""The paper's experiments: units of work that leave records, and reports made of records alone."""
