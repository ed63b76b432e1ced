"""Commands as text: parsing, completion, correction, macros, and writing them for a reader."""
