"""What is asked for, and typed text as values."""
