"""The command line. Each subcommand is a module that parses its options, calls the library, and prints the result.

Only click is imported before the subcommand is known, so that `--help` is fast.
"""

import sys


def main() -> None:
    """Run the command line; this is the entry point of the console script."""
    try:
        from .program import program

        program(prog_name="textsieve")
    except KeyboardInterrupt:  # while modules are imported, when `handle_errors` does not run yet
        sys.exit(130)
