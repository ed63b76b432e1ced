"""Slack: every command as a slash command, a mention or a direct message, over Socket Mode or HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bot.rules.errors import UserError


def print_manifest(words: Sequence[str]) -> int:
    """`grognard manifest slack [--url HTTPS]`: print the app's manifest; exit status 0. Raises UserError."""
    from adapters.slack.installation import make_manifest
    from bot.host.cli import Arguments
    from bot.interface.registry import registry

    arguments = Arguments(words, flags={"url": True})
    if arguments.words != ["slack"] or arguments.pairs:
        raise UserError(
            "manifest knows only slack.",
            hint="Type: grognard manifest slack --url https://bot.example.org",
            code="bad-arguments",
        )
    url = arguments.flags.get("url", [""])[-1]
    print(json.dumps(make_manifest(registry(), url), indent=2, ensure_ascii=False))
    return 0
