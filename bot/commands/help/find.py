"""`/find`: search for words in the games that are enabled here, the one that is played first.

Only the user sees the answer, and nothing is rolled.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from textwrap import shorten

from bot.commands.context import Context, replace_command
from bot.commands.declare import declare_command
from bot.commands.help.help import list_enabled_games, show_help
from bot.commands.help.pages import HELP
from bot.commands.play.play import handle_lookup
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_count
from bot.rules.text.phrase import Typed, phrase
from bot.ui.finding import MOST, Findable, FindableKind, Finding, Hit, search
from bot.ui.registry import Registry
from bot.ui.reply.parts import Entry, Group, Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, Reply

LABELS = {
    FindableKind.TABLE: "Whole table",
    FindableKind.SEQUENCE: "Open form",
    FindableKind.WORD: "Explain",
    FindableKind.SCENARIO: "Explain",
    FindableKind.TOPIC: "Explain",
}
"""The label of a hit's button, by its kind."""

MOST_ABOUT = 60
"""Maximum number of characters of a source or summary in the list."""


@declare_command(
    "find",
    "Find a table, sequence, unit type, state or help page by its name",
    Option("words", "str", "a name printed in the game: melee odds, 6a, hesitant", complete="find"),
    example="melee odds",
    private=True,
)
async def handle_find(context: Context) -> Reply:
    """Show the page that the typed words mean, or list what they may mean. Raises UserError if
    nothing has such a name.
    """
    words = str(context.clean_options()["words"]).replace('"', "")
    played = context.game.system if context.ledger.row else ""
    games = await list_enabled_games(context)
    own_play = context.command.where.is_own
    finding = search(words, context.registry, games, played, own_play=own_play)
    if finding.sure is not None:
        return await _show_target(context, finding.sure, games, played)
    if not finding.hits:
        hint = phrase("Try one word of its name. `/help` lists the games and topics.")
        message = f'Nothing here is called "{words[:40]}".'
        raise UserError(message, hint=hint, code="nothing-found")
    return _list_hits(words, finding, context.registry, played)


async def _show_target(context: Context, target: Findable, games: list[str], played: str) -> Reply:
    """Return a whole table, or the help page of anything else."""
    if target.kind is not FindableKind.TABLE:
        topic = target.key.removeprefix("help ")
        return show_help(topic, context.registry, games, played)
    spec, _ = context.registry.find(target.key.split())
    reply = await handle_lookup(replace_command(context, spec.path, {"whole": True}))
    form = Button(OPEN_FORM + target.key, "Open form")
    return replace(reply, buttons=(*reply.buttons, form) if spec.options else reply.buttons)


def _list_hits(words: str, finding: Finding, registry: Registry, played: str) -> Reply:
    """Return the list of the best hits by game, each with its button."""
    hits = finding.hits[:MOST]
    title = f'{format_count(len(finding.hits), "match", "matches")} for "{words[:40]}"'
    if finding.corrected:
        which = "this" if len(hits) == 1 else "one of these"
        title = f'Nothing here is called "{words[:40]}". Did you mean {which}?'
    lines = [*_group_hits_by_game(hits, registry, played)]
    left_out = len(finding.hits) - len(hits)
    if left_out:
        lines.append(Small(f"{left_out} more; add a word to see them."))
    return Reply(title, tuple(lines), private=True, boxed=True)


def _group_hits_by_game(hits: Iterable[Hit], registry: Registry, played: str) -> Iterator[Part]:
    """Yield the hits under the name of their game: the game that is played first, help topics last."""
    games = list(dict.fromkeys(hit.target.game for hit in hits))
    games.sort(key=lambda game: (game != played, not game))
    by_game = sorted(hits, key=lambda hit: games.index(hit.target.game))
    for game, of_game in groupby(by_game, key=lambda hit: hit.target.game):
        yield Group(registry.games[game].title if game else "Help", "", grave=True)
        for hit in of_game:
            yield _build_entry(hit.target)


def _build_entry(target: Findable) -> Entry:
    """Return the entry of one hit, with a command that shows it and a button."""
    label = LABELS[target.kind]
    about = target.about
    if target.kind in (FindableKind.TABLE, FindableKind.SEQUENCE):
        about = f"{target.kind}, {about}"
    about = shorten(about, MOST_ABOUT, placeholder=" ...")
    if target.kind is FindableKind.TABLE:
        typed = Typed(f"/{target.key} whole")
        return Entry(target.title, about, typed, f"whole:{target.key}", label)
    topic = target.key.removeprefix("help ")
    action = OPEN_FORM + topic if target.kind is FindableKind.SEQUENCE else HELP + topic
    return Entry(target.title, about, Typed(f"/help {topic}"), action, label)
