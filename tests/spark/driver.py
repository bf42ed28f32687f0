"""A function of the tests in a process of its own, with a session of its own: `python -m tests.spark.driver`.

For what a process can have only once or only at its beginning: the memory of a driver, or a session that is ended
from outside. The function is named as module:function, gets the session and arguments that JSON can hold, and what it
returns is handed back by a file.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.processes import Program
from tests.spark.cluster import environment


def run_driver(function: str, master: str, folder: Path, **arguments: Any) -> Any:
    """What a function returned that ran on a master, or on a Connect server's address."""
    about = [function, master, str(folder / "result.json"), json.dumps(arguments)]
    program = Program([sys.executable, "-m", __name__, *about], environment(), folder / "driver.log")
    try:
        program.says(r"(The driver has ended\.)")
        return json.loads((folder / "result.json").read_text())
    finally:
        program.stop()


def main() -> None:
    """Run the function that the command line names."""
    from tests.spark.sessions import end_java, session_of

    name, master, result, arguments = sys.argv[1:]
    module, function = name.split(":")
    with session_of(master) as session:
        found = getattr(import_module(module), function)(session, **json.loads(arguments))
    end_java()
    Path(result).write_text(json.dumps(found))
    print("The driver has ended.", flush=True)


if __name__ == "__main__":
    main()
