"""views.*: opening, pushing and updating modals, each for a fresh trigger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .api import Call, Refused, bad, method
from .settings import Json
from .views import STACK, OpenView, check_view, too_large
from .workspace import new_id

if TYPE_CHECKING:
    from .person import Person
    from .standin import SlackStandIn


@dataclass
class Trigger:
    """Made by an interaction, good once and for three seconds."""

    user: Person
    delivery: str
    at: float
    used: bool = False


class Triggers:
    """All triggers given out."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._triggers: dict[str, Trigger] = {}

    def new(self, user: Person, delivery: str) -> str:
        """A fresh trigger_id."""
        name = f"{new_id('')}.{new_id('')}.{delivery[:8]}"
        self._triggers[name] = Trigger(user, delivery, self._slack.clock.now())
        return name

    def use(self, name: str, team: str) -> Trigger:
        """The trigger, now used up. Raises Refused when it is unknown, too old, or used before."""
        trigger = self._triggers.get(name)
        if trigger is None or trigger.user.workspace.id != team:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        if self._slack.clock.now() - trigger.at > self._slack.limits.trigger_seconds:
            raise Refused("expired_trigger_id")
        trigger.used = True
        return trigger


def _view(call: Call) -> Json:
    view = call.args.get("view")
    faults = check_view(view)
    if faults:
        raise bad("invalid_arguments", faults)
    assert isinstance(view, dict)
    if too_large(view):
        raise Refused("view_too_large")
    return view


@method("views.open")
async def views_open(call: Call) -> Json:
    """Open a modal; it takes the place of any other."""
    body = _view(call)
    trigger = call.slack.triggers.use(call.needed("trigger_id"), call.workspace.id)
    view = OpenView(trigger.user, body, trigger.delivery)
    trigger.user.stack[:] = [view]
    call.slack.watch.changed()
    return {"view": view.as_slack()}


@method("views.publish")
async def views_publish(call: Call) -> Json:
    """Show somebody the app's home: it is one view, which changes where they look at it."""
    body = _view(call)
    wanted = call.needed("user_id")
    user = next((one for one in call.workspace.users.values() if one.id == wanted), None)
    if user is None:
        raise Refused("user_not_found")
    if user.home is None:
        user.home = OpenView(user, body, "")
    else:
        user.home.show(body)
    call.slack.watch.changed()
    return {"view": user.home.as_slack()}


@method("views.push")
async def views_push(call: Call) -> Json:
    """Put a modal on top of the one that is open; three at most."""
    body = _view(call)
    trigger = call.slack.triggers.use(call.needed("trigger_id"), call.workspace.id)
    view = push(trigger.user, body, trigger.delivery)
    return {"view": view.as_slack()}


def push(user: Person, body: Json, delivery: str | None) -> OpenView:
    """Put a view on a person's stack. Raises Refused when it is full or empty."""
    if not user.stack:
        raise Refused("not_found")
    if len(user.stack) >= STACK:
        raise Refused("push_limit_reached")
    below = user.stack[-1]
    view = OpenView(user, body, delivery, root=below.root, previous=below.id)
    user.stack.append(view)
    user.workspace.slack.watch.changed()
    return view


@method("views.update")
async def views_update(call: Call) -> Json:
    """Change a modal that is open."""
    body = _view(call)
    view = _find(call)
    if call.args.get("hash") not in (None, "", view.hash):
        raise Refused("hash_conflict")
    view.show(body)
    call.slack.watch.changed()
    return {"view": view.as_slack()}


def _find(call: Call) -> OpenView:
    name, external = call.args.get("view_id"), call.args.get("external_id")
    for user in call.workspace.users.values():
        for view in user.stack:
            if view.id == name or (external and view.body.get("external_id") == external):
                return view
    raise Refused("not_found")
