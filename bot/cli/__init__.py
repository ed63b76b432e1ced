"""For whoever runs it: command line, doctor, batch."""
