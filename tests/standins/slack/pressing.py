"""Using what the app shows: buttons, selects, and the fields of modals."""

from __future__ import annotations

from typing import Any

from . import payloads
from .api_views import push
from .blocks import check_options
from .deliveries import INTERACTIVE, Delivery
from .handle import Handle
from .messages import Message
from .person import Person
from .settings import Json
from .views import OpenView, check_view, complaints, filled


class Presser(Person):
    """A person who presses, chooses, fills in and submits."""

    async def press(
        self, target: Message | OpenView, button: str, *, block: str | None = None
    ) -> Handle:
        """Press the button with this action_id or label; returns once acknowledged. Raises
        AssertionError if none.
        """
        found = self._find(target, button, block)
        assert found[1]["type"] == "button", f"{button!r} is a {found[1]['type']}; use choose()"
        action = {"type": "button", "text": found[1]["text"]}
        action |= {key: found[1][key] for key in ("value", "style") if key in found[1]}
        return await self._act(target, found, action)

    async def choose(
        self, target: Message | OpenView, element: str, value: Any, *, block: str | None = None
    ) -> Handle:
        """Choose in a select, checkboxes, radio buttons or overflow menu, by option value or
        text.
        """
        found = self._find(target, element, block)
        if found[1]["type"] == "overflow":
            option = filled(found[1] | {"type": "static_select"}, value)["selected_option"]
            return await self._act(target, found, {"type": "overflow", "selected_option": option})
        state = filled(found[1], value)
        if isinstance(target, OpenView):
            target.state[found[0]["block_id"]][found[1]["action_id"]] = state
        else:
            held = target.chosen.setdefault(self.id, {}).setdefault(found[0]["block_id"], {})
            held[found[1]["action_id"]] = state
        return await self._act(target, found, dict(state))

    async def options(
        self, target: Message | OpenView, element: str, value: str, *, block: str | None = None
    ) -> list[Json]:
        """What an external select offers for these letters. Raises AssertionError without valid
        options in time.
        """
        block_found, element_found = self._find(target, element, block)
        ids = {
            "action_id": element_found["action_id"],
            "block_id": block_found["block_id"],
            "value": value,
        }
        delivery = Delivery(INTERACTIVE, {}, self.workspace.id)
        delivery.payload = payloads.interaction(
            self, "block_suggestion", **ids, **payloads.place(target)
        )
        await self.workspace.slack.courier.deliver(delivery)
        given = delivery.ack_payload or {}
        groups = given.get("option_groups", [])
        found: list[Json] = given.get("options", []) + [
            one for group in groups for one in group["options"]
        ]
        assert "options" in given or groups, (
            f"no options within the time: {delivery.trouble} {delivery.refusals}"
        )
        faults = check_options(found, 100, "/options") if found else []
        assert not faults, faults
        return found

    # --- the app's home, and shortcuts

    async def open_home(self, words: str = "") -> OpenView:
        """Look at the app's home; what the app shows there, as soon as it is drawn anew and has
        these words.
        """
        slack, before = self.workspace.slack, self.home.hash if self.home is not None else ""
        seen = {"type": "app_home_opened", "user": self.id, "channel": self.im.id, "tab": "home"}
        await slack.send_event(self.workspace, seen)
        await slack.watch.until(
            lambda: self.home is not None and self.home.hash != before,
            timeout=60,
            what=f"the home of {self.name}",
        )
        return await self.home_says(words)

    async def home_says(self, words: str) -> OpenView:
        """The app's home where they look at it, as soon as it has these words."""
        return await self.workspace.slack.watch.until(
            lambda: self.home if self.home is not None and words in str(self.home.blocks) else None,
            timeout=60,
            what=f"{words!r} in the home of {self.name}",
        )

    async def shortcut(self, callback: str, message: Message | None = None) -> Handle:
        """Use a shortcut: of a message, or from anywhere."""
        slack, delivery = self.workspace.slack, Delivery(INTERACTIVE, {}, self.workspace.id)
        more: Json = {"callback_id": callback, "trigger_id": slack.triggers.new(self, delivery.id)}
        channel, thread = None, None
        if message is not None:
            channel, thread = message.channel, message.thread_ts
            more |= {
                "message": message.as_slack(),
                "message_ts": message.ts,
                "channel": {"id": channel.id, "name": channel.command_name},
                "response_url": slack.hooks.new(channel, self.id, delivery.id, message),
            }
        kind = "shortcut" if message is None else "message_action"
        delivery.payload = payloads.interaction(self, kind, **more)
        handle = self._handle(delivery, channel, thread=thread)
        await slack.courier.deliver(delivery)
        return handle

    # --- modals

    def modal(self) -> OpenView | None:
        """The modal on top of the screen, if any."""
        return self.stack[-1] if self.stack else None

    def open_modal_state(self, view: OpenView | None = None) -> dict[str, dict[str, Json]]:
        """What is filled in now: block_id, action_id, Slack's state of the element."""
        shown = view or self.modal()
        return shown.state if shown else {}

    def fill(self, view: OpenView, values: dict[str, dict[str, Any]]) -> None:
        """Fill fields in without submitting. Raises AssertionError when there is no such field
        or option.
        """
        for block_id, fields in values.items():
            for action_id, value in fields.items():
                _, element = self._find(view, action_id, block_id)
                view.state[block_id][action_id] = filled(element, value)

    async def change(self, view: OpenView, block: str, action: str, value: Any) -> Handle | None:
        """Fill one field in; the app hears of it when the block dispatches actions (and Handle
        says how).
        """
        self.fill(view, {block: {action: value}})
        found = self._find(view, action, block)
        if found[0]["type"] == "input" and not found[0].get("dispatch_action"):
            return None
        return await self._act(view, found, dict(view.state[block][action]))

    async def submit(
        self, view: OpenView, values: dict[str, dict[str, Any]] | None = None
    ) -> Handle:
        """Fill in and submit. `errors` of the handle stand by block_id; the view closes when there
        are none.

        What Slack itself refuses (a required field left empty) never reaches the app: then nothing
        was sent.
        """
        assert view in self.stack, "that modal is not open"
        self.fill(view, values or {})
        delivery = Delivery(INTERACTIVE, {}, self.workspace.id)
        handle = self._handle(delivery, None)
        view.errors = handle.errors = complaints(view)
        if handle.errors:
            return handle
        trigger = self.workspace.slack.triggers.new(self, delivery.id)
        delivery.payload = payloads.interaction(
            self, "view_submission", trigger_id=trigger, view=view.as_slack(), response_urls=[]
        )
        await self.workspace.slack.courier.deliver(delivery)
        if delivery.in_time:
            self._after_submit(view, handle)
        return handle

    async def close(self, view: OpenView) -> Handle | None:
        """Close the modal; the app hears of it when it asked to (notify_on_close)."""
        self.stack.remove(view)
        if not view.body.get("notify_on_close"):
            return None
        payload = payloads.interaction(self, "view_closed", view=view.as_slack(), is_cleared=False)
        delivery = Delivery(INTERACTIVE, payload, self.workspace.id)
        return self._handle(await self.workspace.slack.courier.deliver(delivery), None)

    async def _act(
        self, target: Message | OpenView, found: tuple[Json, Json], action: Json
    ) -> Handle:
        slack = self.workspace.slack
        block, element = found
        ids = {
            "action_id": element["action_id"],
            "block_id": block["block_id"],
            "action_ts": slack.clock.stamp(),
        }
        delivery = Delivery(INTERACTIVE, {}, self.workspace.id)
        more = payloads.place(target) | {
            "trigger_id": slack.triggers.new(self, delivery.id),
            "actions": [action | ids],
        }
        channel, thread = None, None
        if isinstance(target, Message):
            channel, thread = target.channel, target.thread_ts or target.ts
            more |= {
                "response_url": slack.hooks.new(channel, self.id, delivery.id, target),
                "state": {"values": self._held(target)},
            }
        delivery.payload = payloads.interaction(self, "block_actions", **more)
        handle = self._handle(delivery, channel, thread=thread)
        await slack.courier.deliver(delivery)
        return handle

    def _held(self, message: Message) -> Json:
        """What the message's selects hold for this person."""
        held: Json = {}
        for block, element in message.elements():
            if element["type"] in ("button", "overflow"):
                continue
            mine = (
                message.chosen.get(self.id, {}).get(block["block_id"], {}).get(element["action_id"])
            )
            held.setdefault(block["block_id"], {})[element["action_id"]] = mine or filled(
                element, None
            )
        return held

    def _after_submit(self, view: OpenView, handle: Handle) -> None:
        said = handle.ack_payload or {}
        kind = said.get("response_action")
        if kind == "errors":
            known = {block["block_id"] for block in view.blocks if block["type"] == "input"}
            if not said.get("errors") or set(said["errors"]) - known:
                handle.delivery.trouble = "invalid_errors"
            view.errors = handle.errors = dict(said.get("errors", {}))
        elif kind == "clear":
            self.stack.clear()
        elif kind in ("update", "push"):
            self._show(view, handle, kind, said.get("view", {}))
        elif view in self.stack:
            self.stack.remove(view)
        self.workspace.slack.watch.changed()

    def _show(self, view: OpenView, handle: Handle, kind: str, body: Json) -> None:
        faults = check_view(body)
        if faults:
            handle.delivery.trouble = "invalid_view"
            self.workspace.slack.refusals.append(("ack", "invalid_view", faults))
        elif kind == "update":
            view.show(body)
        else:
            push(self, body, handle.delivery.id)
