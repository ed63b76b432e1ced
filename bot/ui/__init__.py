"""Commands, options, completion, forms and replies as values, which adapters show and read."""
