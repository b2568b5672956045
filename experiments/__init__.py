"""The paper's experiments: `python -m experiments table3`, and all the others."""
