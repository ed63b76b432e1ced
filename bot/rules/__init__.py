"""The pure core: values in, new values out. Nothing here waits, rolls, logs or reads a file."""
