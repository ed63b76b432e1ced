"""The worker process: takes one sum after the other from standard input, and answers on standard
output.
"""

import contextlib
import pickle
import resource
import signal
import struct
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

SIZE = struct.Struct(">Q")
GRACE = 90
"""Seconds behind its limit after which the process ends, whatever it is at: its parent gave up
long before.
"""
MEMORY = 640 * 2**20
"""Bytes of address space, Python itself included: what needs more is refused, and the bot beside
it goes on.
"""

Refused = tuple[str, Any, str | None, str]
"""A UserError on its way: message, hint, option, code."""


def pack_value(value: object) -> bytes:
    """A value as it goes through the pipe: its length, then its pickle. Only our own two
    processes speak here.
    """
    data = pickle.dumps(value)
    return SIZE.pack(len(data)) + data


def get_function_path(function: Callable[..., Any]) -> str:
    """How a function of a module is called on the other side."""
    return f"{function.__module__}:{function.__qualname__}"


def answer(name: str, arguments: tuple[Any, ...]) -> tuple[object, Refused | None]:
    """(result, None), or (None, (what was wrong, hint, option, code)): errors cross between
    processes as plain JSON.
    """
    from bot.rules.errors import UserError
    from bot.rules.text.phrase import text_to_json

    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)(*arguments), None
    except UserError as error:
        return None, (error.message, text_to_json(error.hint), error.option, error.code)


def _use_packs(packs: tuple[Mapping[str, bytes], ...]) -> contextlib.AbstractContextManager[None]:
    """Inside, the systems are those of everybody and these packs, as the bot beside it loaded
    them.
    """
    if not packs:
        return contextlib.nullcontext()
    from bot.rulesets.catalog import load_shared_systems, use_systems
    from bot.rulesets.packs.pack import PackSystem, compute_version
    from bot.rulesets.packs.visible_rulesets import VisibleRulesets

    known = {
        hash: _PACKS.get(hash) or PackSystem(content)
        for content in packs
        for hash in [compute_version(content)]
    }
    _PACKS.clear()  # only those of the last question are kept
    _PACKS.update(known)
    return use_systems(VisibleRulesets(load_shared_systems(), known.values()))


_PACKS: dict[str, Any] = {}


def main() -> None:
    """Work until the pipe is closed. Ctrl-C is the parent's business; a sum that outlives its
    parent ends by itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    source = sys.stdin.buffer
    sink = sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever prints must not get between the answers
    sink.write(pack_value("ready"))
    sink.flush()
    while len(head := source.read(SIZE.size)) == SIZE.size:
        # Written by our own parent process.
        name, arguments, seconds, packs = pickle.loads(source.read(SIZE.unpack(head)[0]))
        signal.alarm(int(seconds) + GRACE)
        try:
            with _use_packs(packs):
                sink.write(pack_value("begun"))
                sink.flush()
                told = pack_value(answer(name, arguments))
        except MemoryError:
            sys.exit("a sum took too much memory")
        signal.alarm(0)
        sink.write(told)
        sink.flush()


def _limit_memory() -> None:
    """Bound what this process may take. Where memory runs short anyway, it goes rather than the
    bot.
    """
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


if __name__ == "__main__":
    main()
