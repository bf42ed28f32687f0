"""A reader for each format, imported when a file in that format is read.

Each module has `corpus(source, format)`: it looks at the beginning of the source, so that mistakes show at
once, and returns a `Corpus` that knows how to start a pass.
"""
