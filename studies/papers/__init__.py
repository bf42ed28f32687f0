"""The papers: a module each, with its numbers, its words and how its sentences are read, as a `PAPER`."""
