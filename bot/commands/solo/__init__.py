"""Playing alone: a scenario whose other side plays itself, and how that side acts."""
