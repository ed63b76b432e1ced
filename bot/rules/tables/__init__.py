"""A printed table as a value."""
