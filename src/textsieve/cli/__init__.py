"""The command line. Each subcommand is a module that parses its options, makes one call into the library, and prints.

Only click is imported before the subcommand is known, so that `--help` is fast.
"""

import sys


def main() -> None:
    """Run the command line; this is the entry point of the console script."""
    try:
        from .program import program

        program(prog_name="textsieve")
    except KeyboardInterrupt:  # before or after `handle_errors` handles it
        sys.exit(130)
