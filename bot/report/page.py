"""The after-action page: one HTML file from an exported game and the facts that the rules add to
it.

    page(export, facts)                 the whole page
    page(export, facts, live=ADDRESS)   the same, following the game by the server-sent events of that address
    fragments(export, facts, since)     what such a page is sent behind event `since`: the data of an event `more`
    checker()                           the page that checks a file, docs/verify.html

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
from bot.rulesets.catalog import list_lost_states
from bot.ui.reply.bars import format_percent

TEMPLATES = Path(__file__).parent / "templates"
BLOCKS = ("p_head", "p_now", "p_score", "p_short", "p_shots", "p_cards", "p_rosters")
"""The parts of a page that are made anew with every event."""
MOST_DICE = 14
MOST_POINTS = 200
MOST_MOVES = 60
"""Events about cards that a page lists; the others are in its log."""
SOME_ROWS = 100
"""Rows of a long log that a browser builds at a time: until they are wanted, or it is idle, they
are text.
"""
PACKED = 300_000
"""Characters from which data is packed: a long game's JSON is full of repetition, and chats
limit files.
"""
Facts = Mapping[int, Json]
_SCRIPT, _SCRIPT_END = "<script>", "</script>"


def build_page(export: Json, facts: Facts, live: str = "", picture: str = "") -> str:
    """The whole page; `picture` is the address of what a chat shows beside a link to it."""
    model = _build_template_model(remove_accounts(export), facts, live=live, picture=picture)
    return _add_script_policy(_create_environment().get_template("page.html.j2").render(model))


def _add_script_policy(text: str) -> str:
    """The page with a policy by which a browser runs the scripts in it, and no other."""
    return text.replace("@SCRIPTS@", hash_scripts(text), 1)


def hash_scripts(text: str) -> str:
    """The hashes of the scripts in a page, as a policy names them."""
    hashes = {
        b64encode(sha256(script.encode()).digest()).decode() for script in _find_scripts(text)
    }
    return " ".join(f"'sha256-{digest}'" for digest in sorted(hashes)) or "'none'"


def _find_scripts(text: str) -> Iterator[str]:
    """Yield the content of each script without attributes."""
    begin = text.find(_SCRIPT)
    while begin >= 0:
        begin += len(_SCRIPT)
        end = text.find(_SCRIPT_END, begin)
        if end < 0:
            return
        yield text[begin:end]
        begin = text.find(_SCRIPT, end)


def build_fragments(export: Json, facts: Facts, since: int) -> dict[str, Any]:
    """What a page that follows the game needs behind event `since`, as plain JSON values.

    `parts` are the blocks of BLOCKS by the ids of their elements, `rows` the new events by turn,
    `changed` the older rows that are different now (undone, opened), `export` and `odds` the data
    of the new events.
    """
    export = remove_accounts(export)
    template = _create_environment().get_template("page.html.j2")
    model = _build_template_model(export, facts, live="-", since=since)
    made = {
        name: "".join(template.blocks[name](template.new_context(model))).strip()
        for name in (*BLOCKS, "turns")
    }
    new = [row for row in export["events"] if row["number"] > since]
    rows = {row.number: row for row in model["story"].rows}
    draw = _create_environment().get_template("row.html.j2").make_module(model).row  # type: ignore[attr-defined]
    return {
        "from": len(export["events"]) - len(new),
        "export": {**export, "events": new},
        "facts": model["facts"],
        "parts": {name.replace("_", "-"): made[name] for name in BLOCKS},
        "rows": made["turns"],
        "units": model["units"],
        "changed": {
            f"e{number}": str(draw(rows[number])).strip()
            for number in _list_changed_events(new)
            if number in rows and number <= since
        },
    }


def build_page_from_text(export: str, facts: Mapping[int, str], live: str = "") -> str:
    """The whole page from texts: what a worker process is asked for."""
    return build_page(
        json.loads(export), {number: json.loads(told) for number, told in facts.items()}, live
    )


def build_checker_page() -> str:
    """The page that checks an exported game, or the data in a page, given as a file."""
    return _add_script_policy(_create_environment().get_template("verify.html.j2").render())


def load_checker_scripts() -> Markup:
    """Return the scripts that check a log, as pages have them and Node can run them."""
    return Markup(
        "\n".join((TEMPLATES / f"{name}.js").read_text("utf-8") for name in ("proof", "check"))
    )


def _find_last_roll(story: Story, facts: Facts) -> Json | None:
    """The last shot or roll of a game that is followed, with its odds then; None before the
    first.
    """
    for row in reversed(story.rows):
        if row.dice and not row.undone and not row.sealed:
            return {"row": row, "odds": facts.get(row.number, {}).get("odds") or []}
    return None


def _list_changed_events(events: list[Json]) -> list[int]:
    """The older events of which these say something new."""
    found: list[int] = []
    for row in events:
        body = row["body"]
        found += [body["event"]] if body["kind"] in ("undo", "redo") else []
        found += [*body.get("opens", ()), *body.get("reads", ())]
    return found


@lru_cache(maxsize=1)
def _create_environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["day"] = lambda at: f"{(when := datetime.fromtimestamp(at, UTC)).day} {when:%B %Y}"
    made.filters["minus"] = lambda number: f"{number:g}".replace("-", "−")
    made.filters["chance"] = lambda exact: format_percent(float(Fraction(exact)))
    made.globals |= {
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
    return made


def _build_template_model(
    export: Json, facts: Facts, live: str = "", since: int = 0, picture: str = ""
) -> Json:
    """What the templates are given."""
    story = Story(export, facts)
    last = export["events"][-1]["number"] if export["events"] else 0
    rolled = [luck.points[0].number for luck in story.luck.values() if luck.points]
    first = max(0, min(rolled, default=1) - 1)
    decided = story.turning_points()
    turns = [(turn.number, turn.phases[0].rows[0].number) for turn in story.turns if turn.number]
    plots = {
        whose: render_luck_svg(luck, story.who_is(whose), at, turns, (first, last))
        for at, (whose, luck) in enumerate(story.luck.items())
    }
    best, worst = story.shots()
    fits = {number: fact["fits"] for number, fact in facts.items() if "fits" in fact}
    told = {
        "odds": {
            number: fact["odds"]
            for number, fact in facts.items()
            if fact.get("odds") and number > since
        },
        "counters": {number: units for number, units in story.counters.items() if number > since},
        "changes": {number: said for number, said in story.changes.items() if number > since},
        "played": {
            "all": len(fits),
            "wrong": [number for number, is_right in fits.items() if not is_right],
        },
    }
    packed = build_data_script("facts", told)
    return {
        "story": story,
        "lost": Markup(escape_script_json(json.dumps(list_lost_states(story.system)))),
        "packed": packed,
        "made": sha256(packed.partition(">")[2].rpartition("<")[0].strip().encode()).hexdigest(),
        "export": export,
        "facts": told,
        "live": live,
        "picture": picture,
        "since": since,
        "last": last,
        "decided": decided,
        "just_now": _find_last_roll(story, facts) if live else None,
        "best": best,
        "worst": worst,
        "plots": plots,
        "revealed": any(row.get("seed") for row in export.get("seeds", ())),
        "units": sorted({unit["name"] for unit in story.first.values()}),
        "fold": len(export["events"]) > MANY,
        "began": export["events"][0]["body"].get("at") if export["events"] else None,
    }


def build_data_script(name: str, value: Any) -> Markup:
    """The script element with the data: plain JSON, or gzip in base64, which every browser of
    today unpacks.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(text) < PACKED:
        return Markup('<script type="application/json" id="{}">{}</script>').format(
            name, Markup(escape_script_json(text))
        )
    packed = b64encode(compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()
    return Markup('<script type="application/gzip" id="{}">{}</script>').format(name, packed)


def escape_script_json(text: str) -> str:
    """JSON that cannot end its script element, nor begin a comment in it."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def remove_accounts(export: Json) -> Json:
    """The export with nothing by which an account could be known again: a page is passed on, and
    no check needs it.
    """
    persons = [{"person": row["person"], "name": row["name"]} for row in export.get("persons", ())]
    return {**export, "persons": persons}
