"""What a platform calls a server and whoever manages it."""

_SERVERS = {"slack": "workspace"}
_MANAGERS = {"slack": "workspace admin"}


def get_server_word(place: str) -> str:
    """Return what the platform of a place calls a server: `workspace` on Slack."""
    return _SERVERS.get(place.partition(":")[0], "server")


def get_manager_word(place: str) -> str:
    """Return what the platform of a place calls whoever manages a server there."""
    return _MANAGERS.get(place.partition(":")[0], "server manager")
