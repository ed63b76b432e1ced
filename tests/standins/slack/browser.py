"""Just enough of a browser to install the app: pages, redirects, cookies."""

from __future__ import annotations

import html
import re
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import aiohttp

if TYPE_CHECKING:
    from .user import User


async def install(user: User, url: str, *, deny: bool = False) -> tuple[int, str]:
    """The last page's status and text. At Slack's page the person agrees, or with `deny` does
    not.
    """
    cookies: dict[str, str] = {}
    slack = user.workspace.slack
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        for _ in range(8):
            if url.startswith(slack.authorize_url):
                url += f"&standin_user={user.id}" + ("&standin_deny=1" if deny else "")
            sent = (
                {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
                if cookies
                else {}
            )
            async with session.get(url, headers=sent, allow_redirects=False) as page:
                for header in page.headers.getall("Set-Cookie", []):
                    cookies |= {name: crumb.value for name, crumb in SimpleCookie(header).items()}
                text = await page.text()
                link = re.search(rf'href="({re.escape(slack.authorize_url)}[^"]*)"', text)
                if 300 <= page.status < 400:
                    url = urljoin(url, page.headers["Location"])
                elif link:
                    url = html.unescape(link[1])
                else:
                    return page.status, text
    raise AssertionError("the install pages lead nowhere")
