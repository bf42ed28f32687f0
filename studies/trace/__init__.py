"""A study of TOFA's weight on real documents: which weight is best, and which criterion finds it (`make trace`)."""
