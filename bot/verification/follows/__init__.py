"""The checks whether each event of a log may follow on those before it."""
