"""Installation by OAuth (addresses only, so far)."""

from __future__ import annotations

INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
