"""The command `transa`: one file a command.

Command files import nothing heavy at the top, so that `transa --help` answers at once.
"""


def main() -> None:
    """Entrance of the command line."""
    from transa.cli.app import run

    run()
