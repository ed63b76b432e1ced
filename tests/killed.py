"""A bot of its own for tests/test_kill.py: six games played for ever, until somebody kills it.

It knows nothing of pytest: dozens of these are forked by tests/adapters/nursery.py, which does not
either.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path

from bot.app import App
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.storage.postgres import link
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place
from bot.ui.typing.command_text import parse_text
from tests.fresh import fresh_app

PATIENCE = 0.05  # seconds after which a receipt is shown
GAMES = 6
CUP, CAMPAIGN = 4, 5
"""The games that a cup leads, and that hands and battles which draw decide; the others are free
play.
"""
COMMANDS: tuple[str, ...] = (
    "/roll 2d6",
    '/lnlt fire attackers="squad fp=4" targets="squad morale=5; leader morale=6" adjacent',
    "/game undo",
    '/unit add "Squad {n}" squad US "morale=5"',
    "/roll d20 secret",
    '/lnlt fire attackers="Squad {n}" targets="squad morale=4"',
    "/game redo",
    "/deck draw standard-52 2 to=me",
    "/deck play all",
    "/deck draw standard-52",
    "/deck return all place=top",
    "/deck peek 2 standard-52",
    "/deck give all {other}",
    "/deck shuffle standard-52",
)
STARTS: dict[int, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(range(GAMES), (("a", "/roll 2d6"),)),
    CUP: (
        ("a", "/game start three-mills scenario=sorrel"),
        ("a", "/game join Crown"),
        ("b", "/game join Republic"),
        ("a", '/unit edit "Line 1..2" place=n3'),
        ("b", '/unit edit "Chasseurs 1..2" place=n4'),
    ),
    CAMPAIGN: (
        ("a", "/game start salt-road scenario=year"),
        ("a", "/game join Duke"),
        ("b", "/game join League"),
        ("a", "/unit edit Foot area=market men=9"),
        ("b", "/unit edit Rangers area=tower men=9"),
        ("a", "/game next"),
    ),
}
"""How they begin, before anybody is killed."""
PLAYS = {
    CUP: (
        *("/deck draw cup", "/game pass") * 3,
        *("/game undo", "/game redo", "/game next", "/roll 2d6"),
        '/three-mills fire "Line 1" "Chasseurs 1"',
        '/three-mills fire "Chasseurs 2" "Line 2"',
        '/three-mills rally "Chasseurs 1; Chasseurs 2"',
    ),
    CAMPAIGN: (
        *("/salt-road attack {ours} {theirs}", "/track set orders 3", "/choose option=stand") * 3,
        *("/game undo", "/game redo", "/game next", "/game pass", "/deck draw fate"),
        *(
            "/deck draw {deck} to=me",
            "/deck play all {deck}",
            "/deck return all {deck}",
            "/deck shuffle {deck}",
        ),
        "/unit edit {ours} men=9",
    ),
}
SIDES = {
    "a": {"ours": "Foot", "theirs": "Rangers", "deck": "duke"},
    "b": {"ours": "Rangers", "theirs": "Foot", "deck": "league"},
}
MINUTES = 2  # between two lives: whoever was to post an answer has had his time


class Platform:
    """Where answers are posted: one line each in a file that outlives us."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "platform", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, word: str, request: str) -> None:
        os.write(self._file, f"{word} {request}\n".encode())


async def play(app: App, platform: Platform, game: int, life: int) -> None:
    """Two players take turns for ever."""
    chance = random.Random(f"{game} {life}")
    where = Place(f"kill:{game}")
    lines = PLAYS.get(game, COMMANDS)
    for number in range(10_000):
        name, other = ("ab", "ba")[number % 2]
        text = chance.choice(lines).format(n=chance.randrange(100), other=other, **SIDES[name])
        await do(app, platform, (name, text), where, f"r-{game}-{life}-{number}", life)


async def do(
    app: App, platform: Platform, line: tuple[str, str], where: Place, request: str, life: int
) -> None:
    """One command, from its receipt to its answer."""
    name, text = line
    who = Person(f"kill:{name}", name)
    typed = parse_text(text, app.registry)
    command = Command(typed.spec.path, typed.options, who, where, request, {"token": request})
    running = asyncio.create_task(app.run(command))
    done, _ = await asyncio.wait([running], timeout=PATIENCE)
    if (
        not done
        and await app.promise_answer(command, time.time() + life * MINUTES * 60 + 600) is None
    ):
        platform.note("receipt", request)
    await tell(app, platform, command, await running)


async def tell(app: App, platform: Platform, command: Command, reply: Reply) -> None:
    """Post an answer, as an adapter does."""
    if reply.outbox or reply.seen:
        await app.receipts.finish(command.request_id)
    if reply.outbox:
        platform.note("post", command.request_id)
        await app.answers.mark_delivered(reply)
        platform.note("confirmed", command.request_id)
    elif not reply.seen:
        platform.note("told", command.request_id)
        await app.receipts.finish(command.request_id)


async def post_what_is_left(app: App, platform: Platform) -> None:
    while receipts := await app.receipts.claim("kill:"):
        for receipt in receipts:
            await tell(app, platform, receipt.command, await app.answer_receipt(receipt))
    while due := await app.answers.claim_due("kill:"):
        for answer in due:
            if answer.amends:  # an earlier message is changed: as often as it may be
                await app.answers.mark_delivered(answer.id)
                continue
            request = str(answer.delivery["token"])
            platform.note("post", request)
            await app.answers.mark_delivered(answer.id)
            platform.note("confirmed", request)


async def warm_up() -> None:
    """What a process reads before its first commands is read by now: the kills fall into the
    play behind it.
    """
    app = await fresh_app()
    for text in COMMANDS[:2]:
        await app.run_text(text, Person("warm:a", "a"), Place("warm:1"), text)
    await app.close()


async def main() -> None:
    folder, life, *rest = sys.argv[1:]

    later = int(life) * MINUTES * 60

    def clock() -> float:
        return time.time() + later

    link.NOW = (
        f"({link.NOW} + {later})"  # leases go by the server's clock, which is in the same life
    )
    app = App(await open_store(load_settings(), clock), clock)
    platform = Platform(Path(folder))
    try:
        if rest:
            await post_what_is_left(app, platform)
            return
        await warm_up()
        for game, lines in STARTS.items() if life == "0" else ():
            for number, line in enumerate(lines):
                await do(app, platform, line, Place(f"kill:{game}"), f"begin-{game}-{number}", 0)
        print("ready", flush=True)
        async with asyncio.timeout(60):  # nobody killed us
            players = [play(app, platform, game, int(life)) for game in range(GAMES)]
            await asyncio.gather(post_what_is_left(app, platform), *players)
    finally:
        await app.close()


def process() -> None:
    """Ends by itself only with `rest`."""
    asyncio.run(main())
