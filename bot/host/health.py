"""`grognard health`: how the running bot is, as an exit status for a container or another supervisor."""

import http.client
from collections.abc import Sequence

from bot.host.cli import Arguments
from bot.process.settings import load_settings
from bot.rules.errors import UserError

SECONDS = 5.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def health(words: Sequence[str]) -> int:
    """Ask the health port; 1 where something is wrong or nobody answers. Raises UserError where no port is set."""
    flags = Arguments(words, flags={"ready": False, "live": False}).flags
    asked = "/livez" if "live" in flags else "/readyz" if "ready" in flags else "/healthz"
    settings = load_settings()
    if not settings.health_port:
        raise UserError(
            "HEALTH_PORT is not set, so there is nobody to ask.", hint="The line in .env: HEALTH_PORT=9090",
            code="bad-settings",
        )  # fmt: skip
    host = EVERYWHERE.get(settings.health_host, settings.health_host)
    try:
        connection = http.client.HTTPConnection(host, settings.health_port, timeout=SECONDS)
        connection.request("GET", asked)
        answer = connection.getresponse()
        said = answer.read(4096).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException) as error:
        print(f"Nobody answers at port {settings.health_port} of {host}: {error}.")
        return 1
    print(said)
    return int(answer.status != 200)
