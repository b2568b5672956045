"""``python -m transa`` is the command `transa`."""

from transa.cli import main

if __name__ == "__main__":
    main()
