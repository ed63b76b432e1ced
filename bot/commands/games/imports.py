"""`/game import` and `/game claim`: bring a game in from its file, and take over the moves of one's
own account in it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.commands.channel_games import describe_replaced_game
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.packs.pack import review_pack
from bot.game.game_log import IMPORTED, DiceSeed, LoggedText, Participant
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
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.archive import MOST_BYTES, MOST_FILES
from bot.rulesets.packs.pack import Files, PackSystem, build_pack
from bot.rulesets.packs.visible_rulesets import combine_with_packs
from bot.rulesets.rule_sets import RuleSets
from bot.runtime.entropy import create_id
from bot.ui.reply.packing import MOST_TEXT, check_utf8
from bot.ui.reply.reply import Button, Reply
from bot.verification.check_file import check
from bot.verification.export_format import Exported, extract_export, read_export, read_json
from bot.verification.follows.cards import apply_seat_changes, return_closed_cards
from bot.verification.follows.import_limits import is_in_line, is_valid, is_valid_event

MAX_EVENTS = 200_000
CLAIM_HINT = phrase(
    "Your account is in the imported file: `/game claim` makes its moves and its side yours."
)


def get_check_seconds(size: int) -> float:
    """Return the time limit in seconds for the check of a file of `size` characters: several times
    what it takes on a small machine.
    """
    return 20 + size / 150_000


@declare_command(
    "game import",
    "Import an exported game into this channel",
    Option(
        "file",
        "file",
        "an exported game, as JSON or as a page",
        values=(".json", ".html", ".htm", ".gz"),
    ),
    example="file=game.json",
    needs_game=True,
)
async def import_game(context: Context) -> Reply:
    """Import an exported game into this channel, with the packs in its file.

    A new seed begins, because the old one may be known elsewhere. Raises UserError if a game is on
    here, if the channel is linked, and for a file that is damaged or was altered.
    """
    if context.ledger.row and context.game.started and not context.game.ended:
        raise UserError(
            f'"{context.game.name}" is still being played here.',
            hint=phrase("End it first: `/game end`."),
            code="game-on",
        )
    if len(context.ledger.places) > 1:  # nobody in the other channels agreed to this game
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
        hint = "grognard verify lists every fault."
        raise UserError(
            f"This log is damaged or was altered: {faults[0]}", hint=hint, code="altered-log"
        )
    # In a thread, because half a second for the largest file would hold up every other command.
    exported = await asyncio.to_thread(_read_export, raw)
    if exported.packs:
        context.systems = await load_export_packs(context, exported.packs)
    return await _adopt_imported_game(context, exported, unplayed)


async def _adopt_imported_game(context: Context, exported: Exported, unplayed: int) -> Reply:
    """Make the exported game the one that is played here, and return the answer.

    The user becomes its game master, and closed cards go back into their piles. `unplayed` is the
    number of outcomes that could not be played again. Raises UserError for a damaged log.
    """
    ledger = Ledger(None, context.ledger.writer, context.systems)
    await asyncio.to_thread(_fill_ledger, ledger, exported)
    previous_row = context.ledger.row or None
    replaced_lines = describe_replaced_game(context.ledger.loaded)
    event_count = ledger.game.number
    sealed_count = len(ledger.game.sealed)
    is_started = ledger.game.started
    game = ledger.game
    if is_started:
        # The author of the file must not direct the game by it.
        game = replace(game, master=ledger.ensure_person())
    hand_card_count = sum(sum(count_hand_cards(id, game.cards).values()) for id in game.decks)
    game = replace(game, cards=return_closed_cards(game.cards, game.decks))
    ledger.add("import", game, secret=ledger.create_secret(), result=f"{event_count} events")
    context.ledger = ledger
    context.bind_game(ledger.row, previous_row)
    lines = [f"{event_count} events checked. {format_phase_title(ledger.game, context.system)}"]
    if unplayed:
        outcomes = format_count(unplayed, "outcome is", "outcomes are")
        lines.append(
            f"{outcomes} from another edition of the rules, so the bot couldn't replay them."
        )
    if sealed_count:
        rolls = format_count(sealed_count, "roll stays", "rolls stay")
        lines.append(
            f"{rolls} sealed forever, because only the original channel knows what was rolled."
        )
    if hand_card_count:
        hand_cards = format_count(hand_card_count, "card")
        lines.append(
            f"{hand_cards} from hands went back into the pile, because "
            "only the original channel knows who had which."
        )
    if is_started:
        lines.append(f"{context.user_name} is game master.")
    unclaimed = ledger.list_unclaimed_names()
    buttons: tuple[Button, ...] = ()
    if unclaimed:
        lines.append(
            f"Players known only from the file: {unclaimed}. Is one of them you? Press the button."
        )
        buttons = (context.build_button("claim", "That's me"),)
    lines.append(f"New dice: commitment {ledger.game.commitment}")
    lines += replaced_lines
    name = ledger.game.name or "free play"
    return Reply(f'{context.user_name} imports "{name}"', tuple(lines), buttons=buttons)


async def _check_in_worker(context: Context, raw: str) -> tuple[tuple[str, ...], int]:
    """Run `check_text` in the checker process, which alone reads files that users send.

    Raises UserError for a file that is no log, and for one that takes too long.
    """
    seconds = get_check_seconds(len(raw))
    try:
        findings: tuple[tuple[str, ...], int] = await context.run_in_checker(
            check_text, raw, seconds=seconds
        )
    except TooManyStates:
        raise UserError(
            f"This log could not be checked within {seconds:.0f} seconds, so it was not imported.",
            hint="Try again when the bot is less busy, or ask the host to import it.",
            code="too-slow",
        ) from None
    return findings


def _read_export(raw: str) -> Exported:
    """Return the game in a file that was checked."""
    return read_export(read_json(extract_export(raw, MOST_TEXT)))


def need_text(raw: object) -> str:
    """Return the text of the file without a byte order mark. Raises UserError if there is none, or
    if it is too long.
    """
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
    findings = check(read_json(extract_export(raw, MOST_TEXT)))
    return findings.faults, findings.unplayed


def _fill_ledger(ledger: Ledger, exported: Exported) -> None:
    """Copy the events, persons, texts and seeds of the export into an empty ledger, unchanged.

    Raises UserError for a damaged log, and for one with too many events.
    """
    if not exported.events or len(exported.events) > MAX_EVENTS:
        raise UserError(f"A log holds 1 to {MAX_EVENTS} events.", option="file", code="too-many")
    ledger.row = create_id()
    try:
        rows = [
            (dict(event.body), to_canonical(event.body), event.hash) for event in exported.events
        ]
        ledger.copy(rows, exported.game)
        has_valid_events = all(is_valid_event(event.body) for event in exported.events)
        if not has_valid_events or not is_valid(ledger.game, ledger.systems):
            raise ValueError
        _fill_persons_and_texts(ledger, exported)
        _fill_seeds(ledger, exported)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UserError(
            "The file is damaged: its events don't form an unbroken chain.",
            option="file",
            code="damaged-log",
        ) from None


def _fill_persons_and_texts(ledger: Ledger, exported: Exported) -> None:
    """Add the texts, and the persons who wrote events, to the ledger.

    Raises ValueError if the name of an author is missing though nobody had theirs deleted, and for
    a text that no command could have written.
    """
    authors = {event.body["who"] for event in exported.events}
    has_deleted_names = any(event.body["kind"] == "privacy" for event in exported.events)
    if not has_deleted_names and authors - {row.person for row in exported.persons}:
        raise ValueError
    for text in exported.texts:
        if text.key == SEALED:
            continue
        if len(text.text) > MAX_TEXT or not is_in_line(text.text):
            raise ValueError
    for person in exported.persons:
        if person.person not in authors:
            continue
        name = format_person_name(person.name)
        participant = Participant(ledger.row, person.person, IMPORTED + person.key, name)
        ledger.persons[person.person] = participant
        ledger.new_persons[person.person] = participant
    ledger.new_texts += [
        LoggedText(ledger.row, text.event, text.key, text.salt, text.text, text.person)
        for text in exported.texts
    ]


def _fill_seeds(ledger: Ledger, exported: Exported) -> None:
    """Add the seeds to the ledger, with the numbers of the events that committed to and revealed
    each.
    """
    commitment_numbers: dict[Any, int] = {}
    reveal_numbers: dict[Any, int] = {}
    for event in exported.events:
        secret = event.body.get("secret")
        if isinstance(secret, Mapping) and "commitment" in secret:
            commitment_numbers[secret["epoch"]] = event.body["number"]
        revealed_seed = event.body.get("revealed")
        if isinstance(revealed_seed, Mapping):
            reveal_numbers[revealed_seed["epoch"]] = event.number
    for seed in exported.seeds:
        first_event = int(commitment_numbers.get(seed.epoch, 0)) + 1
        ledger.new_seeds[seed.epoch] = DiceSeed(
            ledger.row,
            seed.epoch,
            seed.seed,
            seed.commitment,
            first_event,
            (),
            NO_TEXTS,
            reveal_numbers.get(seed.epoch),
        )


async def load_export_packs(context: Context, packs: Mapping[str, Files]) -> RuleSets:
    """Return the visible rule sets together with the packs of an export (files by hash).

    The packs are stored for this server. Raises UserError for a pack with faults.
    """
    loaded_packs: list[PackSystem] = []
    for hash, files in packs.items():
        pack = await load_stored_pack(context.store, hash)
        if pack is None:
            faults = await _find_pack_faults(context, files)
            pack = build_pack(files, hash) if not faults else None
            if pack is None:
                fault = faults[0] if faults else "it cannot be read"
                message = f"The bot can't use the pack that comes with this game: {fault}"
                raise UserError(message, option="file", code="bad-pack")
        loaded_packs.append(pack)
    context.commit.docs += build_used_docs(loaded_packs, get_server_key(context.command.where))
    visible_packs = [pack for pack in context.systems.versions if isinstance(pack, PackSystem)]
    return combine_with_packs(load_shared_systems(), [*visible_packs, *loaded_packs])


async def _find_pack_faults(context: Context, files: Files) -> tuple[str, ...]:
    """Return the faults of a pack that comes with a game, a line each; () if it is sound.

    A pack that is too large is not read at all.
    """
    texts = {name: str(text) for name, text in files.items()}
    total_length = sum(map(len, texts.values()))
    if len(texts) > MOST_FILES or total_length > MOST_BYTES:
        return ("it cannot be read",)
    content = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    checked = await review_pack(context, review_game_pack, content)
    return checked.report.faults


@declare_command("game claim", "Claim your side and moves in an imported game", needs_game=True)
@declare_button("claim", of=ButtonOf.GAME)
async def claim_person(context: Context) -> Reply:
    """Make the user the person of the imported file who has their account.

    A side that the user has joined meanwhile, or their role as game master, goes to that person.
    Raises UserError if the file has no such person, or if the two play different sides.
    """
    game = context.need_game()
    ledger = context.ledger
    imported = ledger.find_own_import()
    if imported is None:
        hint = phrase("Play under your own name: `/game join` takes a side.")
        raise UserError(
            "No imported moves in this game belong to your account.",
            hint=hint,
            code="nothing-to-claim",
        )
    current_person = ledger.find_person()
    game_after = _replace_player(game, current_person, imported)
    ledger.claim(imported)
    ledger.add("claim", game_after, own=current_person)
    side = game_after.players.get(imported.person, "")
    playing = f"They play {side}." if side else "The moves under that name are now theirs."
    return Reply(f"{context.user_name} is {imported.name} from the imported log", (playing,))


def _replace_player(game: Game, current_person: str, imported: Participant) -> Game:
    """Return the game with the imported person in place of `current_person` as player and master.

    Raises UserError if the two play different sides.
    """
    current_side = game.players.get(current_person, "")
    imported_side = game.players.get(imported.person, "")
    if current_side and imported_side and current_side != imported_side:
        raise UserError(
            f"You play {current_side} here, "
            f"and {imported.name} from the imported log plays {imported_side}.",
            hint=phrase("Leave your side first: `/game leave`, then `/game claim`."),
            code="other-side",
        )
    players = {person: side for person, side in game.players.items() if person != current_person}
    side = imported_side or current_side
    if side:
        players[imported.person] = side
    game_after = apply_seat_changes(game, players, {current_person, imported.person})
    if current_person and game.master == current_person:
        return replace(game_after, master=imported.person)
    return game_after
