"""What a page shows is held against the log inside it: a cheat's edits of the visible text are
refused.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_page
from bot.rules.text.names import insert_sides
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.verification.check_file import check_file
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import ROSTERS, exported_text, lines
from tools import verify_log

LOGS = Path(__file__).parents[1] / "data/logs"


async def evening_page() -> str:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna",
        "game next",
        'lnlt fire attackers="Squad 1; us2" targets="Cell 1; vc2" hand=6,1,5,1,6',
    )
    await channel.do("Bob", "roll 2d6 label=scouting")
    await channel.do(
        "Anna",
        'unit edit "Lt Hill" state=shaken',
        "game undo",
        "unit edit Tran state=eliminated",
        "roll 2d6",
        'game end winner=US text="The hill is quiet." confirm',
    )
    return (await channel.do("Anna", "game export html")).files[0].text


def faults(tmp_path: Path, text: str) -> str:
    (tmp_path / "page.html").write_text(text, "utf-8")
    found = check_file(tmp_path / "page.html").faults
    return "\n".join(found)


SLOW = pytest.mark.slow
DEAR_LOGS = ("baps",)
"""Logs with rolls whose odds take seconds to count."""
OLDER_LOGS = [
    pytest.param(path, id=path.stem, marks=[SLOW] if path.stem in DEAR_LOGS else [])
    for path in sorted(LOGS.glob("*.json"))
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", OLDER_LOGS)
def test_pages_of_older_logs_show_what_these_hold(tmp_path: Path, path: Path) -> None:
    export = json.loads(path.read_text("utf-8"))
    facts = compute_export_facts(export, load_shared_systems())
    page = build_page(export, facts, load_shared_systems())
    for event in export["events"]:
        assert f'<li id="e{event["number"]}" class="ev' in page
    assert export["head"] in page
    assert faults(tmp_path, page) == ""


EDITS = {
    "words": ('"res">Cell 1 is eliminated', '"res">Tran is eliminated', "its words"),
    "winner": ("US won.", "VC won.", "sentence at the top"),
    "losses": ("VC lost 2 of 4", "VC lost none of 4", "sentence at the top"),
    "left": ("2 of 4 units left", "4 of 4 units left", "count the units of VC"),
    "name": ("<h1>Hill 875", "<h1>Hill 876", "name the game differently"),
    "number": ('"no">#8<', '"no">#9<', "its number"),
    "side": ('"sd">US<', '"sd">VC<', "its side"),
    "person": ('"who">Anna<', '"who">Bob<', "who did it"),
    "dice": (
        'class="dice"><span class="vh">dice </span><b>',
        'class="dice"><span class="vh">dice </span><b>1',
        "its dice",
    ),
    "undone": ('<span class="tag">taken back</span>', "", "its marks"),
    "roster": ('<span class="st">eliminated</span>', "", "roster"),
    "closing": ("“The hill is quiet.”", "“We gave up.”", "closing words"),
    "decided": ('"#e9">Cell 1 is eliminated', '"#e9">Tran is eliminated', "describes event 9"),
    "out": ('class="out">Cell 1<', 'class="out">Tran<', "A list on the page"),
    "odds": ('"chances":', '"chances" :', "odds and traces"),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("edit", EDITS)
async def test_an_edit_of_what_is_shown_is_refused(tmp_path: Path, edit: str) -> None:
    text, (old, new, says) = await evening_page(), EDITS[edit]
    assert faults(tmp_path, text) == ""
    assert old in text, f"no {edit} to edit"
    assert says in faults(tmp_path, text.replace(old, new))


async def test_heads_are_under_cards_and_every_tenth_answer_and_hold_nearly_all(
    tmp_path: Path,
) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    said = [(await channel.do("Anna", "game next")).format_text()]
    said += [(await channel.do(who, "roll 2d6")).format_text() for who in ("Anna", "Bob") * 12]
    with_digits = [text for text in said if "\u00b7" in text.splitlines()[-1]]
    assert [said.index(text) for text in with_digits] == [0, 10, 20]
    (tmp_path / "game.json").write_text(
        (await channel.do("Anna", "game export")).files[0].text, "utf-8"
    )
    found = check_file(tmp_path / "game.json", ["\n".join(said)])
    assert found.faults == ()
    assert found.remarks[0].startswith("3 heads fit: they cover ")
    upto, _, every = found.remarks[0].partition("cover ")[2].partition(" of ")
    assert int(upto) > 0.8 * int(every.split()[0])
    wrong = ["\n".join(said).replace("\u00b7 ", "\u00b7 0")]
    assert check_file(tmp_path / "game.json", wrong).status == 1


EVENINGS = (
    *((system, True) for system in load_shared_systems()),
    ("lnlt", False),
    ("free", False),
    ("linked", True),
)


@pytest.mark.slow_sample(1)
@pytest.mark.sample(2)
@pytest.mark.parametrize(("game", "ended"), EVENINGS)
async def test_the_chat_of_an_evening_holds_more_than_nine_of_ten_events(
    tmp_path: Path, game: str, ended: bool
) -> None:
    """Every game of ten events leaves a head in each of its channels; of one that goes on the
    last ten may wait.
    """
    app, said = await fresh_app(), list[str]()
    home, away = (
        Channel(app, Place("discord:5/9", "discord:5")),
        Channel(app, Place("slack:T1/C1", "slack:T1"), "s"),
    )
    who = {"Anna": home, "Bob": away if game == "linked" else home}

    async def play(name: str, line: str) -> Reply:
        reply = await who[name].say(name, line, manager=True)
        public = reply.announce if reply.private else reply
        if who[name] is home:
            said.extend([public.format_text()] if public is not None and not public.error else [])
        due = [
            one for one in await app.answers.claim_due("discord:") if one.place == home.place.key
        ]
        said.extend(one.reply.format_text() for one in due if not one.amends)
        await app.answers.mark_delivered(*(one.id for one in due))
        if (await home.app.games.load_current(home.place.key)) is not None and (
            await home.game()
        ).number == 10:
            assert any(re.search(r"#\d+ · [0-9a-f]{16}", text) for text in said)
        return reply

    system = game if game in load_shared_systems() else "lnlt"
    if game != "free":
        await play("Anna", f'game start {system} "An evening" sides="US, VC"')
        if game == "linked":
            await play("Bob", f"game link {(await play('Anna', 'game link')).title.split()[-1]}")
        for name, line in (
            ("Anna", "game join US"),
            ("Bob", "game join VC"),
            *(("Anna", one) for one in ROSTERS[system]),
        ):
            await play(name, line)
    chance = Random(6)
    for line in lines(chance, 120 if game == "free" else 90, system):
        if not line.startswith(
            ("game start", "game end", "game leave", "game join", "game transfer", "privacy")
        ):
            await play(chance.choice(("Anna", "Bob")), line)
            if chance.random() < 0.15:
                await play("Anna", "game next")
    if ended:
        await play("Anna", "game end confirm")
    path = tmp_path / "game.json"
    path.write_text(await exported_text(home), "utf-8")
    found = check_file(path, ["\n".join(said)])
    assert found.faults == ()
    held, _, rest = found.remarks[0].partition("cover ")[2].partition(" of ")
    every = int(rest.split()[0])
    assert every > 40
    # the end leaves a head, and so does every tenth event
    assert int(held) > (0.9 * every if ended else every - 10)
    assert verify_log.main([str(path), "--heads", "\n".join(said)]) == 0


async def test_the_page_runs_its_own_scripts_alone() -> None:
    text = await evening_page()
    assert "'unsafe-inline'" not in text.partition("script-src")[2].partition(";")[0]
    assert text.partition("script-src")[2].partition(";")[0].count("'sha256-") == 3


async def test_a_row_taken_out_is_refused(tmp_path: Path) -> None:
    text = await evening_page()
    start = text.index('<li id="e8"')
    cut = text[:start] + text[text.index("</li>", text.index("</details>", start)) + 5 :]
    assert "same events" in faults(tmp_path, cut)


async def test_new_words_of_a_kept_line_are_refused_though_the_copy_beside_the_log_has_them(
    tmp_path: Path,
) -> None:
    text = await evening_page()
    assert text.count("Cell 1 is eliminated") >= 2, "shown, and kept beside the chain"
    assert "the text 'said' was changed" in faults(
        tmp_path, text.replace("Cell 1 is eliminated", "Tran is eliminated")
    ).replace('"', "'").replace("text said", "text 'said'")


def test_sides_are_called_as_the_players_call_them() -> None:
    assert insert_sides("Side a has the initiative", ("US", "VC")) == "US has the initiative"
