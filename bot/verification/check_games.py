"""Proves for the games of a database that log, chain, dice and state agree. Nothing secret is
shown, only faults.
"""

from collections.abc import Callable, Sequence

from bot.game.events import replay
from bot.game.game_cache import restore_game
from bot.game.state import from_json, to_json
from bot.rules.errors import UserError
from bot.storage.records import EventRow, Saved
from bot.storage.store import Store
from bot.verification.check_file import check
from bot.verification.export import export_game
from bot.verification.packs_of_game import load_packs_of_events

Note = Callable[[str], object]


def find_state_faults(saved: Saved, events: Sequence[EventRow]) -> list[str]:
    """Return whether snapshot and loaded state are what the log leads to."""
    bodies = [event.data for event in events]
    game = bodies[0].get("game", saved.game.id)
    try:
        if to_json(restore_game(saved).game) != to_json(replay(game, bodies)):
            return ["its state is not what the log leads to."]
        snapshot = saved.state and to_json(from_json(saved.state))
        if snapshot and snapshot != to_json(replay(game, bodies[: saved.state_at])):
            return [f"its snapshot is not what the log leads to at event {saved.state_at}."]
    except (
        UserError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:  # whatever is in a damaged file
        return [f"its state cannot be read ({type(error).__name__}: {error})."]
    return []


async def audit_games(
    store: Store, note: Note = lambda _: None, *, since: float = 0.0
) -> tuple[int, list[str]]:
    """Return how many games there are that were played `since` then, and the faults of all of them,
    one line each that names the game.

    `note` is given what is no fault of this host: of what others imported, and outcomes of another
    edition.
    """
    count = 0
    faults = []
    after = ""
    while page := await store.list_games(after=after, limit=200, since=since):
        for game in page:
            found = await audit_game(store, game, note)
            faults += [f"Game {game}: {fault}" for fault in found]
        count = count + len(page)
        after = page[-1]
    return count, faults


async def audit_game(store: Store, game: str, note: Note = lambda _: None) -> list[str]:
    """The faults of one game: chain, all dice (also under seeds not yet published), outcomes,
    head and state.
    """
    saved = await store.load_game_by_id(game)
    if saved is None:
        return []
    # What was added since then is left for the next time.
    events = await store.load_events(game, before=saved.game.next_event)
    if not events:
        return ["it has no events."]
    bodies = [event.data for event in events]
    texts = [text for text in await store.load_texts(game) if text.event < saved.game.next_event]
    whole = export_game(
        bodies[0].get("game", game),
        events,
        await store.load_seeds(game),
        texts,
        (),
        packs=await load_packs_of_events(store, events, texts),
        with_secrets=True,
    )
    imported = max(
        (number for number, body in enumerate(bodies, 1) if body.get("kind") == "import"), default=0
    )
    findings = check(whole, imported_until=imported)
    faults = list(findings.faults)
    if theirs := [remark for remark in findings.remarks if "was imported" in remark]:
        note(
            f"Game {game}: {theirs[0]} ({len(theirs)} such remarks; what came in by a file is not this host's doing)"
        )
    if findings.unplayed:
        note(
            f"Game {game}: {findings.unplayed} outcomes of another edition could not be played again."
        )
    if saved.game.head != events[-1].hash or saved.game.next_event != events[-1].number + 1:
        faults.append(
            f"the log ends with event {events[-1].number}, but the stored game is at another."
        )
    return faults or find_state_faults(saved, events)
