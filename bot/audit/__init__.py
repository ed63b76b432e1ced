"""Log, chain, dice and state agree: replay, export and the checks of both."""
