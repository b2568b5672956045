"""The probability that an answer is true: what it means, and how it is fitted."""
