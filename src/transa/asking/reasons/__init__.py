"""Why an answer is plausible, or why not, by what the graph knows."""
