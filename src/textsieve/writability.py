"""Check, before any long work is done, that an output file can be written.

`check_writable` is for files that are replaced (`files.replacing`), which needs permission to write to their folder.
`check_openable` is for files that are opened and written in place.
"""

import errno
import os
import stat

from .errors import InputError, shown


def check_writable(path: str, *, what: str) -> None:
    """Raise `InputError` if a file can't be created or replaced; `what` names its content, such as "a chart"."""
    _check_target(path, what=what)
    if not os.access(os.path.dirname(os.path.realpath(path)), os.W_OK):
        raise _not_permitted(path)


def check_openable(path: str, *, what: str, may_be_stream: bool = False) -> None:
    """Raise `InputError` if a file can't be created or opened for writing; `what` names its content.

    With `may_be_stream`, a pipe or a device is allowed, too.
    """
    _check_target(path, what=what, may_be_stream=may_be_stream)
    if not os.access(path if os.path.exists(path) else os.path.dirname(path) or ".", os.W_OK):
        raise _not_permitted(path)


def unwritable(path: str, reason: str, hint: str = "") -> InputError:
    """Return the error for a file that can't be written."""
    return InputError(f"can't be written: {reason}" + ("" if hint else "."), place=path, hint=hint)


def _check_target(path: str, *, what: str, may_be_stream: bool = False) -> None:
    """Raise `InputError` if no file can be written at a path, whatever the permissions are."""
    folder = os.path.dirname(path) or "."
    if "\0" in path:
        raise unwritable(shown(path), "file names can't contain null characters")
    try:
        mode = os.stat(path).st_mode
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            link = "it" if os.path.islink(path) else f"its folder {folder}"
            reason = f"{link} is a symbolic link that ends in a loop of links"
            raise unwritable(path, reason, "remove that link or give another name") from problem
        mode = None  # the file does not exist yet, or not even its folder, which is checked next
    if not os.path.isdir(folder):
        raise unwritable(path, f"there is no folder {folder}", "make it first")
    if mode is None or stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise InputError("this is a folder", place=path, hint="give the name of a file in it")
    if stat.S_ISSOCK(mode) or not may_be_stream:
        kind = "a socket" if stat.S_ISSOCK(mode) else "a device or a pipe"
        raise InputError(f"this is {kind}, and {what} is written to a file", place=path, hint="give the name of a file")


def _not_permitted(path: str) -> InputError:
    return unwritable(path, "you don't have permission to write there", "choose another place")
