"""The papers' collections: a module each, with what is known of it (`COLLECTION`) and how its files are read.

`editions.py` and `collection.py` say what a collection is and what the words after its name mean; `locating.py` and
`fetching.py` find its files or get them; `members.py`, `archives.py` and `records.py` go through folders, archives and
marked-up files without holding them in memory.
"""
