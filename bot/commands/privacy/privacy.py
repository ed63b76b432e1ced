"""`/privacy`: the data stored about a user, as a list or a file, and its deletion.

The deletion breaks no chain of hashes.
"""

import json
import re
from collections import Counter
from dataclasses import replace

from bot.commands.by_post.reminders import WISHES
from bot.commands.channel_games import format_status, load_channel_games
from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.games.result.result_docs import forget_player
from bot.commands.ladder.ladder_docs import PLAYED
from bot.commands.seek.open_seeks import SEEK, SEEK_ENDS, SEEK_REVISION, withdraw_seeks_of_forgotten
from bot.game.ledger import Ledger
from bot.loading.free_play_seed import PREPARED, UNUSED
from bot.loading.load_game import restore_game
from bot.loading.log_reader import iterate_events
from bot.preferences.macros import MACRO
from bot.preferences.platform_words import get_manager_word
from bot.rules.proof.chain import UNSAID
from bot.rules.text.phrase import Phrase, phrase
from bot.storage.base import DAY, REQUESTS_KEPT
from bot.storage.records import UNTOLD
from bot.ui.common_options import build_flag
from bot.ui.reply.reply import Button, File, Reply
from bot.ui.spec import build_own_place
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.cards import apply_seat_changes

STAYS = "Names of units, sides and games stay in the logs, because the dice cannot be checked without them."
MOST_NAMED = 10
"""Maximum number of names that a user is advised to change before the deletion."""


@declare_command("privacy show", "What is stored about you here", private=True)
async def show_privacy(context: Context) -> Reply:
    """List the data stored about the user, in numbers."""
    data = await context.store.load_user_data(context.command.who.key)
    names = sorted({row.name for row in data.persons})
    kinds = Counter(doc.kind for doc in data.docs)
    drafts = sum(count for kind, count in kinds.items() if kind not in NO_DRAFTS)
    wishes = "saved" if kinds[WISHES] else "none"
    reminders = [row for row in data.due if row.kind != SEEK_ENDS]
    seeks = (f"Your open seeks, with your name: {kinds[SEEK]}.",) if kinds[SEEK] else ()
    played = kinds[PLAYED]
    counted = (f"Your games that count, with opponent and outcome: {played}.",) if played else ()
    lines = (
        f"Your name ({', '.join(names) or 'none'}), next to a random id in the logs; games: {len(data.persons)}.",
        f"Texts you typed (labels, words for the dice, sealed rolls): {len(data.texts)}.",
        f"Your drafts: {drafts}; macros: {kinds[MACRO]}.",
        *await _describe_own_play(context, kinds[UNTOLD]),
        f"Reminder settings: {wishes}; reminders pending: {len(reminders)}.",
        *seeks,
        *counted,
        f"Your requests and their answers, for {REQUESTS_KEPT / DAY:.0f} days, so that nothing runs twice; "
        "after you delete them, only a hash of their ids.",
        phrase(
            "`/privacy export` sends it as a file, `/privacy delete` deletes it. Rolls stay in the log without a name."
        ),
    )
    return Reply("What Grognard stores about you", lines, private=True)


NO_DRAFTS = (WISHES, MACRO, PREPARED, UNUSED, UNTOLD, SEEK, SEEK_REVISION, PLAYED)


async def _describe_own_play(context: Context, untold: int) -> list[str]:
    """Return the line about the user's own free play, with the app on their account, if any.

    `untold` is the number of answers that wait for the user's next command.
    """
    own_place = build_own_place(context.command.who.key)
    own_games = await load_channel_games(context.store, own_place)
    parts = [format_status(game, context.systems) for game in own_games]
    if untold:
        parts.append(f"answers waiting for your next command: {untold}")
    if not parts:
        return []
    return [f"What you play with the app on your account: {'; '.join(parts)}."]


async def _list_own_games(context: Context) -> list[str]:
    """Return the row ids of the games of the user's own free play."""
    own_place = build_own_place(context.command.who.key)
    history = await context.store.load_game_history(own_place.key)
    return [row for _, row in history]


@declare_command("privacy export", "Your data as a file", private=True)
async def export_own_data(context: Context) -> Reply:
    """Send the user everything stored about them, as a JSON file."""
    data = await context.store.load_user_data(context.command.who.key)
    texts = [row._asdict() for row in data.texts]
    for text in texts:
        del text["salt"]
    own_play = []
    for row in await _list_own_games(context):
        async for rows in iterate_events(context.store, row):
            own_play += [event.data for event in rows]
    plain = {
        "user": context.command.who.key,
        "persons": [row._asdict() for row in data.persons],
        "texts": texts,
        "due": [row._asdict() for row in data.due],
        "own_play": own_play,
        "documents": [row._asdict() for row in data.docs if row.kind not in (PREPARED, UNUSED)],
    }
    file = File("my-data.json", json.dumps(plain, ensure_ascii=False, indent=1))
    return Reply(
        "Your data",
        ("This file has everything that is stored about you.",),
        private=True,
        files=(file,),
    )


@declare_command(
    "privacy delete",
    "Delete your name and texts",
    build_flag("confirm", "delete them now"),
    private=True,
)
async def ask_to_delete_data(context: Context) -> Reply:
    """Ask for confirmation before the user's data is deleted, or delete it with `confirm`."""
    if context.clean_options()["confirm"]:
        return await delete_own_data(context)
    lines: list[str | Phrase] = [
        "Your rolls stay in the logs without your name, and you leave your sides. This cannot be undone."
    ]
    if await _list_own_games(context):
        lines.append("Your rolls with the app on your account are deleted completely.")
    lines.append(STAYS)
    lines += await _list_names_to_change(context)
    lines.append(phrase("Delete them: `/privacy delete confirm`"))
    return Reply(
        "Delete your name and texts from all games?",
        tuple(lines),
        private=True,
        buttons=(Button("forget:", "Delete", "danger"),),
    )


async def _list_names_to_change(context: Context) -> list[str | Phrase]:
    """Return lines about games and units that seem to be named after the user, at most ten.

    A line about a unit has the command that renames it.
    """
    data = await context.store.load_user_data(context.command.who.key)
    own_words = {word for row in data.persons for word in _list_name_words(row.name)}
    lines: list[str | Phrase] = []
    for row in dict.fromkeys(row.game for row in data.persons):
        saved = await context.store.load_game_by_id(row)
        if saved is None or len(lines) >= MOST_NAMED:
            continue
        game = restore_game(saved).game
        location = f' in "{game.name}"' if game.name and row != context.ledger.row else ""
        if own_words & _list_name_words(game.name):
            lines.append(f'A game has a name like yours: "{game.name}".')
        for unit in game.units.values():
            if own_words & _list_name_words(unit.name):
                line = phrase(
                    '{old}{where} may be named after you. Rename it: `/unit edit {name} stats="name=..."`',
                    old=unit.name, where=location, name=quote_value(unit.name),
                )  # fmt: skip
                lines.append(line)
    return lines[:MOST_NAMED]


def _list_name_words(name: str) -> set[str]:
    """Return the words of a name with at least three letters, folded."""
    return set(re.findall(r"\w{3,}", name.casefold()))


@declare_button("forget", private=True)
async def delete_own_data(context: Context) -> Reply:
    """Delete the user's name, texts, drafts, macros and wishes for reminders in all games.

    Games in channels keep their rolls without the name, and record that somebody left. Games of the
    user's own free play are deleted whole. If the log of this channel was imported and the user is
    in it, their name goes from it, too.
    """
    user = context.command.who.key
    data = await context.store.load_user_data(user)
    own_games = await _list_own_games(context)
    context.commit.erase += own_games
    rows = [row for row in dict.fromkeys(row.game for row in data.persons) if row not in own_games]
    imported = context.ledger.find_own_import()
    data_sets = [data]
    if imported is not None:
        data_sets.append(await context.store.load_user_data(imported.user))
    persons = [row for user_data in data_sets for row in user_data.persons]
    names = sorted({row.name for row in persons} | await withdraw_seeks_of_forgotten(context))
    texts = [
        row.text for user_data in data_sets for row in user_data.texts if row.key not in UNSAID
    ]
    await context.store.strike(texts, names, sorted({row.game for row in persons}))
    await context.store.scrub(user, names)
    imported_person = ""
    if imported is not None:  # an imported game names the user as well
        imported_person = imported.person
        context.commit.forget.append(imported.user)
        rows = list(dict.fromkeys([*rows, context.ledger.row]))
    notice = None
    games_without_master = 0
    for row in rows:
        if row == context.ledger.row:
            notice = _build_departure_notice(context)
            games_without_master += _leave_game(context.ledger, imported_person)
            continue
        saved = await context.store.load_game_by_id(row)
        if saved is not None:
            ledger = Ledger(restore_game(saved), context.ledger.writer, context.systems)
            games_without_master += _leave_game(ledger)
            context.other_ledgers.append(ledger)
    await forget_player(context, user)
    context.commit.forget.append(user)
    lines = [f"Games that keep your rolls without your name: {len(rows)}."]
    if own_games:
        lines.append("Your rolls with the app on your account are deleted completely.")
    lines.append(STAYS)
    if games_without_master:
        manager = get_manager_word(context.command.where.key)
        lines.append(
            f"Games left without a game master: {games_without_master}. "
            f"A {manager} can take over there."
        )
    return Reply(
        "Your name and texts are deleted",
        tuple(lines),
        private=True,
        announce=notice,
    )


def _build_departure_notice(context: Context) -> Reply | None:
    """Build the message to the other players of this game, without a name: a side lost its player.

    None if the user played no side.
    """
    side = context.actor.side
    if not side:
        return None
    rest = phrase(
        "Their rolls stay in the log without a name. Join: `/game join {side}`", side=side
    )
    return Reply(f"{side} has lost a player, whose name and texts have been deleted", (rest,))


def _leave_game(ledger: Ledger, imported: str = "") -> bool:
    """Remove the user from a game and record it. Return whether that leaves it without a master.

    `imported` is the person id of the user in an imported game, "" for none.
    """
    game = ledger.game
    user = ledger.writer.user
    own_persons = {row.person for row in ledger.persons.values() if row.user == user} | {imported}
    players = {other: side for other, side in game.players.items() if other not in own_persons}
    master = "" if game.master in own_persons else game.master
    new_game = replace(apply_seat_changes(game, players, own_persons), master=master)
    ledger.add("privacy", new_game, result="somebody's name and texts were deleted")
    ledger.new_persons.clear()
    return bool(game.master) and not master
