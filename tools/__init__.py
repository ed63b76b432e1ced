"""What maintainers run: pages made from the tables."""
