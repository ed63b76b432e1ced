"""The check of the games of a database: log, chain, dice and state must agree.

It shows faults and nothing secret. The check of one exported log is in `check_file.py` and
`proof.py`.
"""

from collections.abc import Callable, Sequence

from bot.game.events import replay
from bot.game.game_log import LoggedEvent
from bot.game.state import from_json, to_json
from bot.loading.load_game import restore_game
from bot.rules.errors import UserError
from bot.storage.records import Saved
from bot.storage.store import Store
from bot.verification.check_file import check
from bot.verification.export import export_game
from bot.verification.packs_of_game import load_packs_of_events

Note = Callable[[str], object]


def find_state_faults(saved: Saved, events: Sequence[LoggedEvent]) -> list[str]:
    """Return a fault if the loaded state or the snapshot is not what the log leads to, or [].

    A state that cannot be read is a fault, too.
    """
    bodies = [event.data for event in events]
    game = bodies[0].get("game", saved.game.id)
    try:
        loaded_state = to_json(restore_game(saved).game)
        if loaded_state != to_json(replay(game, bodies)):
            return ["its state is not what the log leads to."]
        snapshot = saved.state and to_json(from_json(saved.state))
        if snapshot and snapshot != to_json(replay(game, bodies[: saved.state_at])):
            return [f"its snapshot is not what the log leads to at event {saved.state_at}."]
    except (UserError, ValueError, KeyError, TypeError, AttributeError) as error:
        # a damaged file may hold anything
        return [f"its state cannot be read ({type(error).__name__}: {error})."]
    return []


async def audit_games(
    store: Store, note: Note = lambda _: None, *, since: float = 0.0
) -> tuple[int, list[str]]:
    """Check the games that were played at or after the time `since`.

    Return the number of games, and all faults, each a line that names its game. `note` gets remarks
    that are no faults of this host: faults of imported events, and outcomes of other editions.
    """
    count = 0
    faults = []
    last_game = ""
    while page := await store.list_games(after=last_game, limit=200, since=since):
        for game in page:
            game_faults = await audit_game(store, game, note)
            faults += [f"Game {game}: {fault}" for fault in game_faults]
        count += len(page)
        last_game = page[-1]
    return count, faults


async def audit_game(store: Store, game: str, note: Note = lambda _: None) -> list[str]:
    """Return the faults of one game: of its chain, dice, outcomes and head, or else of its state.

    The dice under unpublished seeds are checked, too. A game that does not exist has no faults.
    `note` gets remarks that are no faults of this host, see `audit_games`.
    """
    saved = await store.load_game_by_id(game)
    if saved is None:
        return []
    # A later check covers events that players add during this one.
    events = await store.load_events(game, before=saved.game.next_event)
    if not events:
        return ["it has no events."]
    bodies = [event.data for event in events]
    texts = [text for text in await store.load_texts(game) if text.event < saved.game.next_event]
    export = export_game(
        bodies[0].get("game", game),
        events,
        await store.load_seeds(game),
        texts,
        (),
        packs=await load_packs_of_events(store, events, texts),
        with_secrets=True,
    )
    imported_until = 0
    for number, body in enumerate(bodies, 1):
        if body.get("kind") == "import":
            imported_until = number
    findings = check(export, imported_until=imported_until)
    faults = list(findings.faults)
    imported_remarks = [remark for remark in findings.remarks if "was imported" in remark]
    if imported_remarks:
        note(
            f"Game {game}: {imported_remarks[0]} ({len(imported_remarks)} such remarks; "
            "what was imported from a file is not this host's doing)"
        )
    if findings.unplayed:
        note(f"Game {game}: {findings.unplayed} outcomes of another edition could not be replayed.")
    last_event = events[-1]
    if saved.game.head != last_event.hash or saved.game.next_event != last_event.number + 1:
        faults.append(
            f"the log ends with event {last_event.number}, but the stored game is at a different one."
        )
    return faults or find_state_faults(saved, events)
