"""The command line: a verb a module; each parses, makes one call into the library, and prints.

Nothing but click is loaded before it is known what is wanted, so that help answers at once.
"""

import sys


def main() -> None:
    """Run what was asked for; the console script."""
    try:
        from .program import program

        program(prog_name="textsieve")
    except KeyboardInterrupt:  # so early or so late that nobody else saw it
        sys.exit(130)
