"""The guided form as Discord messages and modals: within the limits for every sequence, whatever the roster."""

from __future__ import annotations

import re
from typing import Any

import pytest

from adapters.discord.forms import message, modal, submitted
from bot.interface.complete import Known
from bot.interface.form import form_of
from bot.interface.registry import registry
from bot.rules.inputs.units import RosterUnit
from tests.standins.discord.components import check_modal
from tests.standins.discord.errors import Problems
from tests.standins.discord.limits import check_message

KEY = "0123456789abcdef"
ROSTER = tuple(RosterUnit(f"Platoon number {n:02} of the 3rd", f"us{n}", "squad", "US", {"fp": 1}) for n in range(60))


@pytest.mark.parametrize("game", list(registry().games))
@pytest.mark.parametrize("known", [Known(), Known(ROSTER, ("US", "VC"), own_side="US")], ids=["no roster", "60 units"])
def test_every_sequences_form_is_accepted_page_by_page(game: str, known: Known) -> None:
    for spec in registry().below((game,)):
        form = form_of(spec, {}, known)
        seen: set[str] = set()
        for page in range(30):
            body = message(spec, KEY, form, page).body
            check_message(body, [], flags=0)
            parts = [part for row in body["components"] for part in row["components"]]
            seen |= {found[1] for part in parts if (found := re.search(r":menu:(.*):\d+$", part["custom_id"]))}
            if any(":fill:" in part["custom_id"] for part in parts):
                problems = Problems()
                opened = modal(spec, KEY, form, page)
                check_modal(problems, "", opened)
                problems.done()
                seen |= {field["component"]["custom_id"] for field in opened["components"]}
            if not any(part.get("label") == "More" for part in parts):
                break
        wanted = {menu.option for menu in form.menus} | {blank.option.name for blank in form.blanks}
        assert seen == wanted, spec.name


def test_a_command_that_is_too_long_is_not_cut() -> None:
    spec = registry().get(("lnlt", "fire"))
    assert spec is not None
    options = {"attackers": "; ".join(["squad fp=2 sw=3"] * 39), "targets": "; ".join(["squad morale=5"] * 40), "tm": 1}
    options["hand"] = ",".join(["6"] * 300)
    body = message(spec, KEY, form_of(spec, options, Known()), 0).body
    check_message(body, [], flags=0)
    assert "more than can be shown" in body["content"]


def test_what_was_sent_is_read_from_labels_and_rows() -> None:
    sent: dict[str, Any] = {
        "components": [
            {"type": 18, "component": {"type": 4, "custom_id": "tm", "value": "2"}},
            {"type": 1, "components": [{"type": 4, "custom_id": "lm", "value": ""}]},
        ]
    }
    assert submitted(sent) == {"tm": "2", "lm": ""}
