"""Counts what a thumb does on Discord or Slack, so that a test can say how many taps something
takes.

A menu costs its opening and each pick, and its closing where several may be picked; a tick, a radio
button and a button cost one tap each, a text field one to go there, and what is typed is counted in
characters. Only what differs from how a form was opened is counted.

    thumb = DiscordThumb(anna)
    second = await (await thumb.select(fired, "Same shot, other target", "VC Squad 6")).answer()
    assert thumb.spent() == (2, 0)  # taps, characters
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.standins import slack
from tests.standins.discord import Channel, Message, Person
from tests.standins.discord.components import CHECKBOXES, LABEL, RADIO, SELECTS, TEXT_INPUT
from tests.standins.discord.state import Interaction
from tests.standins.slack.handle import Handle
from tests.standins.slack.views import OpenView

Json = dict[str, Any]


class TapCounter:
    """Taps and characters since they were last asked for."""

    def __init__(self) -> None:
        self.taps = self.characters = 0

    def spent(self) -> tuple[int, int]:
        """(taps, characters) since the last time; counts anew."""
        found = (self.taps, self.characters)
        self.taps = self.characters = 0
        return found

    def tap(self, times: int = 1) -> None:
        """Buttons, ticks, radio buttons."""
        self.taps += times

    def menu(self, changes: int, *, many: bool) -> None:
        """A menu opened, so many entries picked or let go, and closed by a tap where there may
        be several.
        """
        if changes:
            self.taps += 1 + changes + many

    def type(self, text: str, before: str = "") -> None:
        """A text field entered and written into; what stands there already is kept where the new
        text goes on.
        """
        if text != before:
            self.taps += 1
            self.characters += len(text.removeprefix(before))


class DiscordThumb(TapCounter):
    """Somebody on Discord whose taps are counted."""

    def __init__(self, person: Person) -> None:
        super().__init__()
        self.person = person

    async def press(self, message: Message, button: str) -> Interaction:
        """Press a button."""
        self.tap()
        return await self.person.press(message, button)

    async def select(self, message: Message, menu: str, values: Sequence[str] | str) -> Interaction:
        """Choose in a menu of a message; one of a single choice closes by itself."""
        found = [values] if isinstance(values, str) else list(values)
        part = next(
            one for one in message.parts if menu in (one.get("placeholder"), one.get("custom_id"))
        )
        self.menu(len(found), many=part.get("max_values", 1) > 1)
        return await self.person.select(message, menu, found)

    async def submit(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Change these fields of the form that `opened` brought, named by custom_id or label,
        and submit it.
        """
        for part in opened.modal["components"]:
            if part["type"] == LABEL:
                field = part["component"]
                for name in (field["custom_id"], part["label"]):
                    if name in values:
                        self._fill(field, values[name])
        self.tap()
        return await self.person.submit_modal(opened, values)

    async def slash(self, where: Channel, typed: str, path: str, **options: Any) -> Interaction:
        """Type the beginning of a command and tap it, then each option, which costs a tap, and
        send it.
        """
        self.characters += len(typed) + sum(len(str(value)) for value in options.values())
        self.tap(1 + len(options) + 1)
        return await self.person.slash(where, path, **options)

    def _fill(self, field: Json, value: Any) -> None:
        options = field.get("options") or ()
        before = {option["value"] for option in options if option.get("default")}
        by_label = {option["label"]: option["value"] for option in options}
        chosen = {by_label.get(one, one) for one in ([value] if isinstance(value, str) else value)}
        if field["type"] == TEXT_INPUT:
            self.type(str(value), field.get("value") or "")
        elif field["type"] in SELECTS:
            many = field.get("max_values", 1) > 1
            self.menu(len(chosen ^ before) if many else len(chosen - before), many=many)
        elif field["type"] in (CHECKBOXES, RADIO):
            self.tap(len(chosen ^ before) if field["type"] == CHECKBOXES else len(chosen - before))


class SlackThumb(TapCounter):
    """Somebody on Slack whose taps are counted."""

    def __init__(self, user: slack.User) -> None:
        super().__init__()
        self.user = user

    async def press(self, target: slack.Message | OpenView, button: str) -> Handle:
        """Press a button."""
        self.tap()
        return await self.user.press(target, button)

    async def choose(self, target: slack.Message, element: str, value: str) -> Handle:
        """Choose in a menu of a message, which closes by itself."""
        self.menu(1, many=False)
        return await self.user.choose(target, element, value)

    async def submit(self, view: OpenView, values: Mapping[str, Any]) -> Handle:
        """Change these fields, {block: value}, and submit the form. The action of each field is
        `value`.
        """
        for block, element in view.elements():
            if block["block_id"] in values and element["action_id"] == "value":
                self._fill(
                    element, view.state[block["block_id"]]["value"], values[block["block_id"]]
                )
        self.tap()
        return await self.user.submit(
            view, {block: {"value": value} for block, value in values.items()}
        )

    async def slash(self, where: slack.Channel, command: str, text: str) -> Handle:
        """Type a command and send it."""
        self.characters += len(f"{command} {text}".strip())
        self.tap()
        return await self.user.slash(where, command, text)

    def _fill(self, element: Json, state: Json, value: Any) -> None:
        kind = element["type"]
        if kind.startswith("multi_") or kind == "checkboxes":
            changes = len(
                {str(one) for one in value}
                ^ {one["value"] for one in state.get("selected_options") or ()}
            )
            self.tap(changes) if kind == "checkboxes" else self.menu(changes, many=True)
        elif kind in ("static_select", "external_select"):
            self.menu(1, many=False)
        elif kind == "radio_buttons":
            self.tap()
        else:
            self.type(str(value), str(state.get("value") or ""))
