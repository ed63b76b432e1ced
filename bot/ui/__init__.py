"""What an adapter sees: commands, options, text, completion, forms and replies."""
