"""Games that are watched from outside: their public pages, built once for all watchers."""
