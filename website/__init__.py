"""Makes the documentation site: navigation, and the parts of the reference that are generated from the code."""
