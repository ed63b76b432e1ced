"""The command line: commands for hosts, for authors of packs and for scripts."""
