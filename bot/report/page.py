"""The after-action page: one HTML file from an exported game and the facts that the rules add to
it.

    build_page(export, facts, systems)                 the whole page
    build_page(export, facts, systems, live=ADDRESS)   a page that follows the game by server-sent events
    build_fragments(export, facts, systems, since)     the data that such a page gets after event `since`
    build_checker_page()                      the page that checks a file, docs/verify.html

`facts` are those of `bot/report/event_odds.py`, by event. Without them a page has no luck, no odds and
no traces.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from gzip import compress
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from bot.game.state import Json
from bot.report.luck import render_luck_svg
from bot.report.page_data import MANY, MANY_BEFORE, Story
from bot.report.units import SYMBOLS
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import list_lost_states
from bot.ui.reply.percents import format_percent

TEMPLATES = Path(__file__).parent / "templates"
BLOCKS = ("p_head", "p_now", "p_score", "p_short", "p_shots", "p_cards", "p_rosters")
"""The blocks of a page that are rendered again after each event."""
MOST_DICE = 14
MOST_POINTS = 200
MOST_MOVES = 60
"""Maximum number of card events in the section on cards. The log has all of them."""
SOME_ROWS = 100
"""Rows of a long log that a browser builds at a time.

They are text until the reader scrolls there or the browser is idle.
"""
MIN_PACKED = 300_000
"""Characters from which data is compressed. The JSON of a long game repeats a lot, and chats limit
the size of files.
"""
Facts = Mapping[int, Json]
_SCRIPT, _SCRIPT_END = "<script>", "</script>"


def build_page(
    export: Json, facts: Facts, systems: RuleSets, live: str = "", picture: str = ""
) -> str:
    """Build the whole page as HTML.

    `systems` are the rule sets with which the game was played. `live` is the address of the events of
    a game in progress. `picture` is the address of the
    picture that a chat shows next to a link to the page.
    """
    model = _build_template_model(
        remove_accounts(export), facts, systems, live=live, picture=picture
    )
    return _add_script_policy(_create_environment().get_template("page.html.j2").render(model))


def _add_script_policy(text: str) -> str:
    """Put the hashes of the scripts into the security policy of a page, so that no others run.

    A live page has no place for them: its policy allows all inline scripts.
    """
    return text.replace("@SCRIPTS@", hash_scripts(text), 1)


def hash_scripts(text: str) -> str:
    """Return the hashes of the scripts in a page in the notation of a content security policy."""
    hashes = {
        b64encode(sha256(script.encode()).digest()).decode() for script in _find_scripts(text)
    }
    return " ".join(f"'sha256-{digest}'" for digest in sorted(hashes)) or "'none'"


def _find_scripts(text: str) -> Iterator[str]:
    """Yield the content of each script without attributes."""
    start = text.find(_SCRIPT)
    while start >= 0:
        start += len(_SCRIPT)
        stop = text.find(_SCRIPT_END, start)
        if stop < 0:
            return
        yield text[start:stop]
        start = text.find(_SCRIPT, stop)


def build_fragments(export: Json, facts: Facts, systems: RuleSets, since: int) -> dict[str, Any]:
    """Build the data that a page in progress needs after event `since`, as plain JSON values.

    `from` is the count of events that the page has. `parts` are the blocks of BLOCKS by the ids of
    their elements. `rows` are the new events by turn. `changed` are the older rows that are different
    now (undone, opened). `export` and `facts` hold the data of the new events.
    """
    export = remove_accounts(export)
    environment = _create_environment()
    template = environment.get_template("page.html.j2")
    model = _build_template_model(export, facts, systems, live="-", since=since)
    blocks = {}
    for name in (*BLOCKS, "turns"):
        pieces = template.blocks[name](template.new_context(model))
        blocks[name] = "".join(pieces).strip()
    new_events = [event for event in export["events"] if event["number"] > since]
    rows = {row.number: row for row in model["story"].rows}
    row_module: Any = environment.get_template("row.html.j2").make_module(model)
    changed = {}
    for number in _list_changed_events(new_events):
        if number in rows and number <= since:
            changed[f"e{number}"] = str(row_module.row(rows[number])).strip()
    return {
        "from": len(export["events"]) - len(new_events),
        "export": {**export, "events": new_events},
        "facts": model["facts"],
        "parts": {name.replace("_", "-"): blocks[name] for name in BLOCKS},
        "rows": blocks["turns"],
        "units": model["units"],
        "changed": changed,
    }


def build_page_from_text(export: str, facts: Mapping[int, str], systems: RuleSets) -> str:
    """Build the whole page from JSON texts. Worker processes call this."""
    facts_by_event = {number: json.loads(text) for number, text in facts.items()}
    return build_page(json.loads(export), facts_by_event, systems)


def build_checker_page() -> str:
    """Build the page that checks a file: an exported game, or a page with its data."""
    return _add_script_policy(_create_environment().get_template("verify.html.j2").render())


def load_checker_scripts() -> Markup:
    """Load the scripts that check a log. Browsers and Node can run them."""
    scripts = [(TEMPLATES / name).read_text("utf-8") for name in ("proof.js", "check.js")]
    return Markup("\n".join(scripts))


def _find_last_roll(story: Story, facts: Facts) -> Json | None:
    """Return the last open roll as {"row": its row, "odds": its odds, or []}; None before the first
    roll.

    A roll that was undone does not count.
    """
    for row in reversed(story.rows):
        if row.dice and not row.undone and not row.sealed:
            return {"row": row, "odds": facts.get(row.number, {}).get("odds") or []}
    return None


def _list_changed_events(events: list[Json]) -> list[int]:
    """List the numbers of earlier events that `events` undo, redo, open or read."""
    numbers: list[int] = []
    for event in events:
        body = event["body"]
        if body["kind"] in ("undo", "redo"):
            numbers.append(body["event"])
        numbers += body.get("opens", ())
        numbers += body.get("reads", ())
    return numbers


@lru_cache(maxsize=1)
def _create_environment() -> Environment:
    """Create the Jinja environment with the filters and functions that the templates use."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["day"] = _format_day
    environment.filters["minus"] = lambda number: f"{number:g}".replace("-", "−")
    environment.filters["chance"] = lambda exact: format_percent(float(Fraction(exact)))
    environment.globals |= {
        "checking": load_checker_scripts,
        "asset": lambda name: Markup((TEMPLATES / name).read_text("utf-8")),
        "symbols": {name: Markup(shape) for name, shape in SYMBOLS.items()},
        "data_script": build_data_script,
        "most_dice": MOST_DICE,
        "most_points": MOST_POINTS,
        "most_moves": MOST_MOVES,
        "some_rows": SOME_ROWS,
        "many_before": MANY_BEFORE,
    }
    return environment


def _format_day(timestamp: float) -> str:
    """Format a Unix time as `5 March 2026` in UTC."""
    moment = datetime.fromtimestamp(timestamp, UTC)
    return f"{moment.day} {moment:%B %Y}"


def _build_template_model(
    export: Json,
    facts: Facts,
    systems: RuleSets,
    live: str = "",
    since: int = 0,
    picture: str = "",
) -> Json:
    """Build the values that the templates use. The data of events up to `since` is left out."""
    story = Story(export, facts, systems)
    events = export["events"]
    last_event = events[-1]["number"] if events else 0
    page_facts = _build_page_facts(story, facts, since)
    packed = build_data_script("facts", page_facts)
    packed_text = packed.partition(">")[2].rpartition("<")[0].strip()
    best, worst = story.shots()
    return {
        "story": story,
        "lost": Markup(escape_script_json(json.dumps(list_lost_states(story.system)))),
        "packed": packed,
        "made": sha256(packed_text.encode()).hexdigest(),
        "export": export,
        "facts": page_facts,
        "live": live,
        "picture": picture,
        "since": since,
        "last": last_event,
        "decided": story.turning_points(),
        "just_now": _find_last_roll(story, facts) if live else None,
        "best": best,
        "worst": worst,
        "plots": _render_plots(story, last_event),
        "revealed": any(row.get("seed") for row in export.get("seeds", ())),
        "units": sorted({unit["name"] for unit in story.first.values()}),
        "fold": len(events) > MANY,
        "began": events[0]["body"].get("at") if events else None,
    }


def _build_page_facts(story: Story, facts: Facts, since: int) -> Json:
    """Build the facts that the scripts of a page use.

    Of events after `since`, by number: `odds` (if any), `counters` (of the units it changed, by
    unit key) and `changes` (of units and tracks, in words). Of the whole game: `played`, with the
    number of events that were replayed (`all`) and a list of those whose outcome differs from the
    log (`wrong`).
    """
    odds = {}
    fits = {}
    for number, event_facts in facts.items():
        if "fits" in event_facts:
            fits[number] = event_facts["fits"]
        if event_facts.get("odds") and number > since:
            odds[number] = event_facts["odds"]
    return {
        "odds": odds,
        "counters": {number: units for number, units in story.counters.items() if number > since},
        "changes": {number: texts for number, texts in story.changes.items() if number > since},
        "played": {
            "all": len(fits),
            "wrong": [number for number, is_right in fits.items() if not is_right],
        },
    }


def _render_plots(story: Story, last_event: int) -> dict[str, Markup]:
    """Render the luck of each side or player. All plots begin just before the first roll of any."""
    first_rolls = [luck.points[0].number for luck in story.luck.values() if luck.points]
    start = max(0, min(first_rolls, default=1) - 1)
    turns = [(turn.number, turn.phases[0].rows[0].number) for turn in story.turns if turn.number]
    plots = {}
    for index, (owner, luck) in enumerate(story.luck.items()):
        name = story.who_is(owner)
        plots[owner] = render_luck_svg(luck, name, index, turns, (start, last_event))
    return plots


def build_data_script(name: str, value: Any) -> Markup:
    """Build the script element that holds `value`, with `name` as its id.

    It is plain JSON, or gzip in base64 from MIN_PACKED characters. Today's browsers unpack that.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(text) < MIN_PACKED:
        return Markup('<script type="application/json" id="{}">{}</script>').format(
            name, Markup(escape_script_json(text))
        )
    packed = b64encode(compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()
    return Markup('<script type="application/gzip" id="{}">{}</script>').format(name, packed)


def escape_script_json(text: str) -> str:
    """Escape JSON so that it can neither end its script element nor begin a comment in it."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def remove_accounts(export: Json) -> Json:
    """Return the export without the accounts of its players.

    Readers pass a page on, and no check needs the accounts.
    """
    persons = [{"person": row["person"], "name": row["name"]} for row in export.get("persons", ())]
    return {**export, "persons": persons}
