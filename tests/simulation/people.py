"""Who plays where: five people, each with an account on every network, and the places of four
servers.
"""

from __future__ import annotations

from dataclasses import dataclass

ANN, BOB, CAS, EVE, MAL = PEOPLE = ("ann", "bob", "cas", "eve", "mal")
"""Ann and Bob play against each other, Cas manages the club, Eve looks on, Mal has a server of
their own.
"""
ALL = frozenset(PEOPLE)


@dataclass(frozen=True, slots=True)
class Spot:
    """A channel: who is in it, who manages it, and whether the bot is a member (Slack)."""

    key: str
    members: frozenset[str] = ALL
    managers: frozenset[str] = frozenset({CAS})
    bot: bool = True

    @property
    def platform(self) -> str:
        """discord or slack."""
        return self.key.partition(":")[0]

    @property
    def server(self) -> str:
        """The id of its server or workspace; "dm" for direct messages."""
        return self.key.partition(":")[2].partition("/")[0]

    @property
    def channel(self) -> str:
        """Its own id."""
        return self.key.rpartition("/")[2]


OWN = frozenset({MAL})
SPOTS = {
    "hill": Spot("discord:11/101"),
    "ford": Spot("discord:11/102"),
    "lair": Spot("discord:22/201", frozenset({MAL, ANN}), OWN),
    "camp": Spot("slack:T1/C1"),
    "den": Spot("slack:T1/C2", frozenset({ANN, BOB, CAS}), bot=False),
    "cave": Spot("slack:T2/C9", frozenset({MAL, ANN}), OWN),
}
BY_KEY = {spot.key: spot for spot in SPOTS.values()}


def discord_id(who: str) -> int:
    """The account on Discord."""
    return 500 + PEOPLE.index(who)


def slack_id(who: str) -> str:
    """The account in a workspace of Slack."""
    return f"U{who.upper()}"


def human(account: str | int) -> str:
    """Who is behind an account's id or key; "" for nobody."""
    own = str(account).rpartition("/")[2].removeprefix("discord:")
    return next((who for who in PEOPLE if own in (str(discord_id(who)), slack_id(who))), "")


def spot_of_dm(channel: str) -> Spot:
    """The direct messages of the person with this account."""
    who = frozenset({human(channel.removeprefix("9").removeprefix("D"))})
    return (
        Spot(f"discord:dm/{channel}", who, who)
        if channel.isdecimal()
        else Spot(f"slack:T1/{channel}", who, who)
    )
