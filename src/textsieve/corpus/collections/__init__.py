"""The collections used in the papers: one module each, with its description (`COLLECTION`) and its reader.

`editions.py` and `collection.py` define what a collection is and what the words after its name mean; `locating.py` and
`fetching.py` find or download its files; `members.py`, `archives.py` and `records.py` stream the contents of folders,
archives and marked-up files.
"""
