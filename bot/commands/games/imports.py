"""`/game import`: a game from its file, with the packs that it brings along; `/game claim`:
whose moves those are.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from bot.commands.channel_games import describe_replaced_game
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.packs.pack import review_pack
from bot.game.ledger import Ledger
from bot.game.phases import format_phase_title
from bot.game.state import Game
from bot.packs.pack_store import build_used_docs, get_server_key, load_stored_pack
from bot.packs.review import review_game_pack
from bot.rules.cards import count_hand_cards
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT, Option
from bot.rules.odds.rolls import TooManyStates
from bot.rules.proof.chain import SEALED, to_canonical
from bot.rules.proof.fair import NO_TEXTS
from bot.rules.text.names import format_count
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import format_person_name
from bot.rulesets.catalog import get_systems, load_shared_systems, use_systems
from bot.rulesets.packs.archive import MOST_BYTES, MOST_FILES
from bot.rulesets.packs.pack import Files, PackSystem, build_pack
from bot.rulesets.packs.visible_rulesets import VisibleRulesets
from bot.rulesets.system import System
from bot.runtime.entropy import create_id
from bot.storage.records import IMPORTED, PersonRow, SeedRow, TextRow
from bot.ui.reply.packing import MOST_TEXT, check_utf8
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from bot.verification.export_format import Exported, extract_export, read_export, read_json
from bot.verification.follows.cards import apply_seat_changes, return_closed_cards
from bot.verification.follows.import_limits import is_in_line, is_valid, is_valid_event

MAX_EVENTS = 200_000
CLAIM_HINT = phrase(
    "Your account is in the imported file: `/game claim` makes its moves and its side yours."
)


def get_check_seconds(size: int) -> float:
    """Return how long the check of so many characters may take: several times what it takes on a
    small machine.
    """
    return 20 + size / 150_000


@declare_command(
    "game import",
    "Bring an exported game into this channel",
    Option(
        "file",
        "file",
        "JSON or page of an exported game",
        values=(".json", ".html", ".htm", ".gz"),
    ),
    example="file=game.json",
    needs_game=True,
)
async def import_game(context: Context) -> Reply:
    """Bring an exported game into this channel; a new seed begins, for the old one may be known
    elsewhere. Raises UserError."""
    if context.ledger.row and context.game.started and not context.game.ended:
        raise UserError(
            f'"{context.game.name}" is going on here.',
            hint=phrase("End it first: `/game end`."),
            code="game-on",
        )
    if len(context.ledger.places) > 1:  # nobody there agreed to the game that comes
        raise UserError(
            "This channel is linked with others.",
            hint=phrase("End that first: `/game link off`"),
            code="linked",
        )
    context.ledger.need_choice_made()
    check_utf8(context.clean_options()["file"])
    raw = need_text(context.clean_options()["file"])
    faults, unplayed = await _check_in_worker(context, raw)
    if faults:
        hint = "grognard verify shows everything."
        raise UserError(
            f"This log is damaged or was altered: {faults[0]}", hint=hint, code="altered-log"
        )
    # In a thread: it would hold everybody up for as long as one call takes, half a second for the
    # largest file.
    read = await asyncio.to_thread(_read_export, raw)
    with use_systems(await load_export_packs(context, read.packs) if read.packs else get_systems()):
        return await _adopt_imported_game(context, read, unplayed)


async def _adopt_imported_game(context: Context, read: Exported, unplayed: int) -> Reply:
    """What was read becomes the game that is played here."""
    ledger = Ledger(None, context.ledger.writer)
    await asyncio.to_thread(_fill_ledger, ledger, read)
    before = context.ledger.row or None
    aside = describe_replaced_game(context.ledger.was)
    count = ledger.game.number
    closed = len(ledger.game.sealed)
    started = ledger.game.started
    # Whoever wrote the file must not direct the game by it: that falls to who brings it here, as
    # with /game start.
    taken = replace(ledger.game, master=ledger.ensure_person()) if started else ledger.game
    back = sum(sum(count_hand_cards(id, taken.cards).values()) for id in taken.decks)
    taken = replace(taken, cards=return_closed_cards(taken.cards, taken.decks))
    ledger.add("import", taken, secret=ledger.create_secret(), result=f"{count} events")
    context.ledger = ledger
    context.bind_game(ledger.row, before)
    lines = [f"{count} events checked. {format_phase_title(ledger.game, context.system)}"]
    if unplayed:
        outcomes = format_count(unplayed, "outcome is", "outcomes are")
        lines.append(f"{outcomes} from another edition of the rules and could not be played again.")
    if closed:
        rolls = format_count(closed, "roll stays", "rolls stay")
        lines.append(
            f"{rolls} sealed for ever: only the place where it was rolled has its content."
        )
    if back:
        what = "what they were stayed where they were drawn"
        lines.append(f"{format_count(back, 'card')} of hands went back into the pile: {what}.")
    if started:
        lines.append(f"{context.user_name} is game master.")
    unclaimed = ledger.list_unclaimed_names()
    if unclaimed:
        lines.append(f"Known from the file only: {unclaimed}. If that is you, press the button.")
    lines.append(f"New dice begin: commitment {ledger.game.commitment}")
    lines += aside
    buttons = (context.build_button("claim", "That's me"),) if unclaimed else ()
    return Reply(
        f'{context.user_name} imports "{ledger.game.name or "free play"}"',
        tuple(lines),
        buttons=buttons,
    )


async def _check_in_worker(context: Context, raw: str) -> tuple[tuple[str, ...], int]:
    """Return what `check_text` finds. Only the checker process looks into a file that somebody
    sent.

    Raises UserError for a file that is no log, and for one that takes too long.
    """
    seconds = get_check_seconds(len(raw))
    try:
        found: tuple[tuple[str, ...], int] = await context.run_in_checker(
            check_text, raw, seconds=seconds
        )
        return found
    except TooManyStates:
        what = (
            f"This log could not be checked within {seconds:.0f} seconds, so it was not imported."
        )
        hint = "Try again when the bot is less busy, or ask the host to import it."
        raise UserError(what, hint=hint, code="too-slow") from None


def _read_export(raw: str) -> Exported:
    """Return the game in a file that was checked."""
    return read_export(read_json(extract_export(raw, MOST_TEXT)))


def need_text(raw: object) -> str:
    """The text of the file. Raises UserError where there is none, or too much of it."""
    if not isinstance(raw, str) or not raw[:MAX_TEXT].strip():
        raise UserError(
            "/game import needs a file.",
            hint=phrase("`/game export` writes one."),
            option="file",
            code="missing",
        )
    if len(raw) > MOST_TEXT:
        raise UserError("The file is too large.", option="file", code="file-too-large")
    return raw.removeprefix("\ufeff")


def check_text(raw: str) -> tuple[tuple[str, ...], int]:
    """Check an exported log, or the log inside a page.

    Return the faults, a line each, and the number of outcomes that could not be played again.
    Raises UserError if the text is not an exported log.
    """
    found = check(read_json(extract_export(raw, MOST_TEXT)))
    return found.faults, found.unplayed


def _fill_ledger(ledger: Ledger, exported: Exported) -> None:
    """Take over events, persons, texts and seeds as they are."""
    if not exported.events or len(exported.events) > MAX_EVENTS:
        raise UserError(f"A log holds 1 to {MAX_EVENTS} events.", option="file", code="too-many")
    ledger.row = create_id()
    try:
        rows = [
            (dict(event.body), to_canonical(event.body), event.hash) for event in exported.events
        ]
        ledger.copy(rows, exported.game)
        if not (
            is_valid(ledger.game) and all(is_valid_event(event.body) for event in exported.events)
        ):
            raise ValueError
        _fill_persons_and_texts(ledger, exported)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UserError(
            "The file is damaged: its events do not follow one another.",
            option="file",
            code="damaged-log",
        ) from None


def _fill_persons_and_texts(ledger: Ledger, exported: Exported) -> None:
    """Persons that wrote events, texts and seeds."""
    wrote = {event.body["who"] for event in exported.events}
    has_left = any(event.body["kind"] == "privacy" for event in exported.events)
    if not has_left and wrote - {row.person for row in exported.persons}:
        raise ValueError  # nobody had their name deleted, so it is missing
    if any(
        len(text.text) > MAX_TEXT or not is_in_line(text.text)
        for text in exported.texts
        if text.key != SEALED
    ):
        raise ValueError
    for person in exported.persons:
        if person.person not in wrote:
            continue
        row = PersonRow(
            ledger.row, person.person, IMPORTED + person.key, format_person_name(person.name)
        )
        ledger.persons[person.person] = ledger.new_persons[person.person] = row
    ledger.new_texts += [
        TextRow(ledger.row, text.event, text.key, text.salt, text.text, text.person)
        for text in exported.texts
    ]
    promised = {
        body["secret"]["epoch"]: body["number"]
        for body in (event.body for event in exported.events)
        if isinstance(body.get("secret"), Mapping) and "commitment" in body["secret"]
    }
    revealed = {
        event.body["revealed"]["epoch"]: event.number
        for event in exported.events
        if isinstance(event.body.get("revealed"), Mapping)
    }
    for seed in exported.seeds:
        first = int(promised.get(seed.epoch, 0)) + 1
        ledger.new_seeds[seed.epoch] = SeedRow(
            ledger.row,
            seed.epoch,
            seed.seed,
            seed.commitment,
            first,
            (),
            NO_TEXTS,
            revealed.get(seed.epoch),
        )


async def load_export_packs(context: Context, packs: Mapping[str, Files]) -> Mapping[str, System]:
    """The systems with the packs of an export, which are kept from now on. Raises UserError for
    one with faults.
    """
    found: list[PackSystem] = []
    for hash, files in packs.items():
        pack = await load_stored_pack(context.store, hash)
        if pack is None:
            faults = await _find_pack_faults(context, files)
            pack = build_pack(files, hash) if not faults else None
            if pack is None:
                fault = faults[0] if faults else "it cannot be read"
                what = f"The game comes with a pack that cannot be taken: {fault}"
                raise UserError(what, option="file", code="bad-pack")
        found.append(pack)
    context.commit.docs += build_used_docs(found, get_server_key(context.command.where))
    return VisibleRulesets(load_shared_systems(), [*getattr(get_systems(), "versions", ()), *found])


async def _find_pack_faults(context: Context, files: Files) -> tuple[str, ...]:
    """Return what is wrong with a pack that a game brings along, once its size is known to be
    small enough.
    """
    texts = {name: str(text) for name, text in files.items()}
    if len(texts) > MOST_FILES or sum(map(len, texts.values())) > MOST_BYTES:
        return ("it cannot be read",)
    content = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    checked = await review_pack(context, review_game_pack, content)
    return checked.report.faults


@declare_command("game claim", "Claim your side and moves in an imported game", needs_game=True)
@declare_button("claim", of=ButtonOf.GAME)
async def claim_person(context: Context) -> Reply:
    """Go on as the person that the file knows the asker's account as; seats taken meanwhile move
    along. Raises UserError."""
    game = context.need_game()
    ledger = context.ledger
    row = ledger.find_own_import()
    if row is None:
        hint = phrase("Play under your own name: `/game join` takes a side.")
        raise UserError(
            "No imported moves in this game belong to your account.",
            hint=hint,
            code="nothing-to-claim",
        )
    own = ledger.find_person()
    seated = _replace_player(game, own, row)
    ledger.claim(row)
    ledger.add("claim", seated, own=own)
    side = seated.players.get(row.person, "")
    playing = f"Plays {side}." if side else "The moves under that name are theirs."
    return Reply(f"{context.user_name} is {row.name} from the imported log", (playing,))


def _replace_player(game: Game, own: str, row: PersonRow) -> Game:
    """The game with the seats of the person `own` given to that of `row`. Raises UserError for
    two sides at once.
    """
    mine = game.players.get(own, "")
    theirs = game.players.get(row.person, "")
    if mine and theirs and mine != theirs:
        what = f"You play {mine} here, and {row.name} from the imported log plays {theirs}."
        hint = phrase("Leave your side first: `/game leave`, then `/game claim`.")
        raise UserError(what, hint=hint, code="other-side")
    players = {person: side for person, side in game.players.items() if person != own}
    if side := theirs or mine:
        players[row.person] = side
    now = apply_seat_changes(game, players, {own, row.person})
    return replace(now, master=row.person if own and game.master == own else game.master)
