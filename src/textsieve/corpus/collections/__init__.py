"""The collections used in the papers: one module each, with its description (`COLLECTION`) and its reader.

`collection.py` defines what a collection is and what the words after its name mean. `local_files.py` finds its files on
this machine and downloads missing ones. `archives.py` streams the contents of archives, folders and marked-up files.
"""
