"""Taking back what was done, and doing it again."""
