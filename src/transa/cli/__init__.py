"""The command `transa`: one file a command."""


def main() -> None:
    """Entrance of the command line."""
