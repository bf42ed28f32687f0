"""Readers for the file formats, each imported when a file in its format is read.

Each module has `corpus(source, format)`: it inspects the beginning of the source, so that mistakes show at once, and
returns a `Corpus` that can start a pass.
"""
