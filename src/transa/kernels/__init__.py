"""Numba inner loops, and nothing else.

Kernels are pure functions over the arrays they are handed: no globals, no objects, ids relative to
the table they index. Each runs on one thread and releases the GIL; `threads.py` spreads spans of
work over threads. Each has an oracle in plain NumPy or PyTorch in its test.
"""
