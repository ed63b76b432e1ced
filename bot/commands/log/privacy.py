"""`/privacy`: what is kept about a person, as a list and as a file; and its deletion, which
breaks no chain.
"""

import json
import re
from dataclasses import replace

from bot.commands.by_post.reminders import WISHES
from bot.commands.channel_games import format_status, load_channel_games
from bot.commands.context import Context
from bot.game.free_play_seed import PREPARED, UNUSED
from bot.game.game_cache import iterate_events, restore_game
from bot.game.ledger import Ledger
from bot.preferences.macros import MACRO
from bot.preferences.platform_words import get_manager_word
from bot.rules.proof.chain import UNSAID
from bot.rules.text.phrase import Phrase, phrase
from bot.storage.base import DAY, REQUESTS_KEPT
from bot.storage.records import UNTOLD
from bot.ui.reply.reply import Button, File, Reply
from bot.ui.spec import build_own_place
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.cards import apply_seat_changes

STAYS = "Names of units, sides and games stay in the logs: the proof of the dice rests on them."
MOST_NAMED = 10
"""Of the names that somebody is offered to change before they go."""


async def show_privacy(context: Context) -> Reply:
    """What is kept, in numbers."""
    data = await context.store.load_user_data(context.command.who.key)
    names = sorted({row.name for row in data.persons})
    lines = (
        f"Your name ({', '.join(names) or 'none'}), next to a random id in the logs; games: {len(data.persons)}.",
        f"Texts you typed (labels, texts for dice, sealed rolls): {len(data.texts)}.",
        f"Your drafts: {sum(doc.kind not in NO_DRAFTS for doc in data.docs)}; "
        f"macros: {sum(doc.kind == MACRO for doc in data.docs)}.",
        *await _describe_own_play(context, sum(doc.kind == UNTOLD for doc in data.docs)),
        f"Your wishes for reminders: {'kept' if any(doc.kind == WISHES for doc in data.docs) else 'none'}; "
        f"reminders under way: {len(data.due)}.",
        f"Your requests and their answers, for {REQUESTS_KEPT / DAY:.0f} days, so that nothing runs twice; "
        "once deleted, a hash of their ids.",
        phrase(
            "`/privacy export` gives it as a file, `/privacy delete` deletes it. Rolls stay in the log without a name."
        ),
    )
    return Reply("What Grognard keeps about you", lines, private=True)


NO_DRAFTS = (WISHES, MACRO, PREPARED, UNUSED, UNTOLD)


async def _describe_own_play(context: Context, untold: int) -> list[str]:
    """What is kept of the free play that is somebody's own, wherever they rolled; nothing where
    they have none.
    """
    kept = [
        format_status(one)
        for one in await load_channel_games(context.store, build_own_place(context.command.who.key))
    ]
    waiting = [f"answers that wait for your next command: {untold}"] if untold else []
    return (
        [f"Your own play, with the app on your account: {'; '.join([*kept, *waiting])}."]
        if kept or untold
        else []
    )


async def _list_own_games(context: Context) -> list[str]:
    """The games of somebody's own play."""
    return [
        row
        for _, row in await context.store.load_game_history(
            build_own_place(context.command.who.key).key
        )
    ]


async def export_own_data(context: Context) -> Reply:
    """Everything as a file."""
    data = await context.store.load_user_data(context.command.who.key)
    plain = {
        "user": context.command.who.key,
        "persons": [row._asdict() for row in data.persons],
        "texts": [
            {key: value for key, value in row._asdict().items() if key != "salt"}
            for row in data.texts
        ],
        "due": [row._asdict() for row in data.due],
        "own_play": [
            event.data
            for row in await _list_own_games(context)
            async for rows in iterate_events(context.store, row)
            for event in rows
        ],
        "documents": [row._asdict() for row in data.docs if row.kind not in (PREPARED, UNUSED)],
    }
    file = File("my-data.json", json.dumps(plain, ensure_ascii=False, indent=1))
    return Reply(
        "Your data",
        ("This file holds everything that is kept about you.",),
        private=True,
        files=(file,),
    )


async def ask_to_delete_data(context: Context) -> Reply:
    """Ask first, unless it is confirmed."""
    if context.clean_options()["confirm"]:
        return await delete_own_data(context)
    return Reply(
        "Delete your name and texts from all games?",
        (
            "Your rolls stay in the logs without your name; you leave your sides. This cannot be undone.",
            *(
                ("What you rolled with the app on your account goes whole.",)
                if await _list_own_games(context)
                else ()
            ),
            STAYS,
            *await _list_names_to_change(context),
            phrase("Delete them: `/privacy delete confirm`"),
        ),
        private=True,
        buttons=(Button("forget:", "Delete", "danger"),),
    )


async def _list_names_to_change(context: Context) -> list[str | Phrase]:
    """Units and games that seem to be called after whoever asks, and how a unit gets another
    name.
    """
    data = await context.store.load_user_data(context.command.who.key)
    own = {word for row in data.persons for word in _list_name_words(row.name)}
    lines: list[str | Phrase] = []
    for row in dict.fromkeys(row.game for row in data.persons):
        saved = await context.store.load_game_by_id(row)
        game = restore_game(saved).game if saved is not None and len(lines) < MOST_NAMED else None
        if game is None:
            continue
        where = f' in "{game.name}"' if game.name and row != context.ledger.row else ""
        if own & _list_name_words(game.name):
            lines.append(f'A game is called "{game.name}".')
        for unit in game.units.values():
            if own & _list_name_words(unit.name):
                line = phrase(
                    '{old}{where} sounds like you. Another name from now on: `/unit edit {name} stats="name=..."`',
                    old=unit.name, where=where, name=quote_value(unit.name),
                )  # fmt: skip
                lines.append(line)
    return lines[:MOST_NAMED]


def _list_name_words(name: str) -> set[str]:
    """The words of a name by which somebody is recognised."""
    return set(re.findall(r"\w{3,}", name.casefold()))


async def delete_own_data(context: Context) -> Reply:
    """Delete name, texts, drafts, macros and wishes everywhere; each game notes that somebody
    left.
    """
    user = context.command.who.key
    data = await context.store.load_user_data(user)
    own = await _list_own_games(context)
    context.commit.erase += own
    rows = [row for row in dict.fromkeys(row.game for row in data.persons) if row not in own]
    imported = context.ledger.find_own_import()
    kept = (
        [data, await context.store.load_user_data(imported.user)]
        if imported is not None
        else [data]
    )
    persons = [row for one in kept for row in one.persons]
    names = sorted({row.name for row in persons})
    texts = [row.text for one in kept for row in one.texts if row.key not in UNSAID]
    await context.store.strike(texts, names, sorted({row.game for row in persons}))
    await context.store.scrub(user, names)
    if imported is not None:  # a file that somebody brought here names them too
        context.commit.forget.append(imported.user)
        rows = list(dict.fromkeys([*rows, context.ledger.row]))
    told = None
    left = 0
    for row in rows:
        if row == context.ledger.row:
            told = _build_departure_notice(context)
            left += _leave_game(context.ledger, imported.person if imported is not None else "")
        elif (saved := await context.store.load_game_by_id(row)) is not None:
            ledger = Ledger(restore_game(saved), context.ledger.writer)
            left += _leave_game(ledger)
            context.other_ledgers.append(ledger)
    context.commit.forget.append(user)
    return Reply(
        "Your name and texts are deleted",
        (
            f"Games that keep their rolls without a name: {len(rows)}.",
            *(("What you rolled with the app on your account is gone whole.",) if own else ()),
            STAYS,
            *(
                [
                    f"Games without a game master now: {left}. "
                    f"A {get_manager_word(context.command.where.key)} can take over there."
                ]
                if left
                else ()
            ),
        ),
        private=True,
        announce=told,
    )


def _build_departure_notice(context: Context) -> Reply | None:
    """What the other players of the game here are told, without a name: a side has lost its
    player.
    """
    side = context.actor.side
    if not side:
        return None
    rest = phrase(
        "Their rolls stay in the log without a name. Join: `/game join {side}`", side=side
    )
    return Reply(f"{side} has lost a player: their name and texts are deleted", (rest,))


def _leave_game(ledger: Ledger, imported: str = "") -> bool:
    """Note in a game that they left; whether it is without a master now."""
    game = ledger.game
    user = ledger.writer.user
    own = {row.person for row in ledger.persons.values() if row.user == user} | {imported}
    players = {other: side for other, side in game.players.items() if other not in own}
    master = "" if game.master in own else game.master
    now = replace(apply_seat_changes(game, players, own), master=master)
    ledger.add("privacy", now, result="somebody's name and texts were deleted")
    ledger.new_persons.clear()
    return bool(game.master) and not master
