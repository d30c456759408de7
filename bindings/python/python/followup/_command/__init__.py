"""The commands of `python -m followup`. They need pyarrow; the rest of the package does not."""

TEMPORARY: set[str] = set()
"""The files that have to be removed if the program is terminated."""
