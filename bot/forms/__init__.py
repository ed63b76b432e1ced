"""Forms: commands that are filled in before they run."""
