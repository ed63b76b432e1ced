"""Units: added, listed, shown, changed."""
