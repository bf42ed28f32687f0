"""Would more labelled documents help?

`check` trains on parts of the documents and measures the rest. If the curve still rises at its end, label more
documents; if it is flat, better labels or other terms are the only way up.
"""

from textsieve import read
