"""Reproductions of five papers, and studies of single methods, on top of textsieve's public API.

They are not part of the installed package: run them from the repository root, `python -m studies --list`.
"""
