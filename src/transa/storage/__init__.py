"""What is kept on disk: the model folder, and vectors for other programs."""
