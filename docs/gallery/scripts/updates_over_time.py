"""Keep a model up to date.

In the middle of this stream, a reorganisation moves the documents of one class to another. A model that is never
updated stays wrong about them, an updated one learns slowly, and one that forgets old documents recovers.
"""

from textsieve import Categorizer, read
