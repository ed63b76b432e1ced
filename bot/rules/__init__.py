"""The pure core: values in, new values out. No module of it waits, rolls, logs or reads a file."""
