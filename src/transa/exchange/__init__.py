"""Models and graphs for other libraries: PyTorch, PyKEEN, frames, the Hugging Face hub."""
