"""What each family of commands does: cleaned options in, rules called, a Reply out."""
