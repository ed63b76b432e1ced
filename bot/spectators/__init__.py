"""Games that are watched from outside: what may be shown of them, made once for all who watch."""
