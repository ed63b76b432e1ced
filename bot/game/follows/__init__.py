"""Whether an event follows on those before it."""
