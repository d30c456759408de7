"""The commands of `python -m followup`. They need pyarrow; the rest of the package does not."""
