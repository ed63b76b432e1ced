"""The platforms' words for a server and for its managers."""

_SERVERS = {"slack": "workspace"}
_MANAGERS = {"slack": "workspace admin"}


def get_server_word(place: str) -> str:
    """Return the word of a place's platform for a server: `workspace` on Slack."""
    return _SERVERS.get(place.partition(":")[0], "server")


def get_manager_word(place: str) -> str:
    """Return the word of a place's platform for a manager of a server."""
    return _MANAGERS.get(place.partition(":")[0], "server manager")
