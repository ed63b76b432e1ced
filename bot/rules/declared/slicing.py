"""Backward through the nodes: what matters for the outputs that are asked, and what each roll must remember."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from bot.rules.declared.formulas import FACES
from bot.rules.declared.nodes import If, Let, Node, Nodes, Peek, Roll, Stop, Tell, seen, state_keys


class Needed(NamedTuple):
    """The nodes kept, the keys read before any of them sets these, and whether anything is told."""

    nodes: Nodes
    live: frozenset[str]
    tells: bool


def sliced(nodes: Nodes, asked: frozenset[str] | None) -> Nodes:
    """What of `nodes` is needed for the paths `asked`; in play, None, everything that is read or said."""
    return _sliced(nodes, frozenset(), False, asked).nodes


def _sliced(nodes: Nodes, live: frozenset[str], tells: bool, asked: frozenset[str] | None) -> Needed:
    kept: list[Node] = []
    for node in reversed(nodes):
        if isinstance(node, Stop):
            if tells or asked is None:
                live, tells, kept = frozenset(), False, [node]
            continue
        if isinstance(node, If):
            fork = _fork(node, live, tells, asked)
            if fork is not None:
                kept.append(fork.nodes[0])
                live, tells = fork.live, fork.tells
            continue
        if isinstance(node, Roll):
            keys = {key for key, _ in node.dice} | {key + FACES for key, _ in node.dice}
            peeks = {key for key in live if isinstance(key, Peek) and key.faces in keys}
            if asked is not None and not keys & live and not peeks:
                continue
            faces, live = frozenset(keys & live), live - keys - peeks
            kept.append(replace(node, before=state_keys(live), faces=faces, peeks=tuple(sorted(peeks))))
            continue
        if isinstance(node, Let):
            if node.key not in live:
                continue
            live = live - {node.key} | seen(node.value)
        else:
            if asked is not None and not (isinstance(node, Tell) and node.path in asked):
                continue
            live, tells = live | seen(node.value), True
        kept.append(node)
    return Needed(tuple(reversed(kept)), live, tells)


def _fork(node: If, live: frozenset[str], tells: bool, asked: frozenset[str] | None) -> Needed | None:
    """The two ways as far as they are needed; who rolls less often waits, so that equal states meet in one round."""
    one, two = (_sliced(way, live, tells, asked) for way in (node.then, node.other))
    if not one.nodes and not two.nodes:
        return None
    then, other = one.nodes, two.nodes
    if tells and not _stops(then) and not _stops(other):
        wait = (Roll((), state_keys(live)),)
        more = _rolls(other) - _rolls(then)
        then, other = then + wait * more, other + wait * -more
    reads = one.live | two.live | node.when.reads
    return Needed((If(node.when, then, other),), reads, one.tells or two.tells)


def _rolls(nodes: Nodes) -> int:
    """The most rolls on any way through."""
    return sum(max(_rolls(n.then), _rolls(n.other)) if isinstance(n, If) else isinstance(n, Roll) for n in nodes)


def _stops(nodes: Nodes) -> bool:
    """Whether the sequence may end in here: who stops waits for nobody."""
    return any(isinstance(n, Stop) or (isinstance(n, If) and (_stops(n.then) or _stops(n.other))) for n in nodes)


def told_twice(nodes: Nodes) -> str:
    """A path that is told twice on one way through, or nothing."""
    try:
        _told(nodes)
    except _Twice as error:
        return str(error)
    return ""


class _Twice(Exception):
    """This path is told twice."""


def _told(nodes: Nodes) -> tuple[frozenset[str], bool]:
    """The paths told on some way through, and whether all ways stop."""
    told: frozenset[str] = frozenset()
    for node in nodes:
        if isinstance(node, Stop):
            return told, True
        new: frozenset[str] = frozenset((node.path,)) if isinstance(node, Tell) else frozenset()
        if isinstance(node, If):
            (one, end_one), (two, end_two) = _told(node.then), _told(node.other)
            if both := told & (one | two):
                raise _Twice(min(both))
            if end_one and end_two:
                return told | one | two, True
            new = (frozenset() if end_one else one) | (frozenset() if end_two else two)
        if both := told & new:
            raise _Twice(min(both))
        told |= new
    return told, False
