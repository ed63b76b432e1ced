"""Packs: systems that are data alone, from a folder or a zip that anybody may have written."""
