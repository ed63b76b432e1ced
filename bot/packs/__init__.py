"""For whoever writes a pack: what is wrong in it, what looks odd, and a first one to begin with."""
