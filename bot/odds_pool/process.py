"""The worker process: it reads calculations from standard input, and answers on standard output."""

import contextlib
import pickle
import resource
import signal
import struct
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

SIZE = struct.Struct(">Q")
GRACE = 90
"""Seconds after its limit before the process ends itself. Its parent gave up long before."""
MEMORY = 640 * 2**20
"""Bytes of address space, Python included. A calculation that needs more is refused, and the bot
goes on.
"""

Refused = tuple[str, Any, str | None, str]
"""A UserError between processes: message, hint, option, code."""


def pack_value(value: object) -> bytes:
    """Return a value in the form of the pipe: its length, then its pickle.

    Only our own two processes use the pipe.
    """
    data = pickle.dumps(value)
    return SIZE.pack(len(data)) + data


def get_function_path(function: Callable[..., Any]) -> str:
    """Return the name of a module's function for the other process: `module:function`."""
    return f"{function.__module__}:{function.__qualname__}"


def answer(name: str, arguments: tuple[Any, ...]) -> tuple[object, Refused | None]:
    """Call a function by its path. Return (result, None), or (None, its UserError as plain JSON)."""
    from bot.rules.errors import UserError
    from bot.rules.text.phrase import text_to_json

    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)(*arguments), None
    except UserError as error:
        return None, (error.message, text_to_json(error.hint), error.option, error.code)


def main() -> None:
    """Work until the pipe is closed.

    Ctrl-C is left to the parent. A calculation that outlives its parent ends by itself.
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
        name, seconds, pickled_arguments = pickle.loads(source.read(SIZE.unpack(head)[0]))
        signal.alarm(int(seconds) + GRACE)
        try:
            # this builds the packs among them
            arguments = pickle.loads(pickled_arguments)
            sink.write(pack_value("begun"))
            sink.flush()
            packed_answer = pack_value(answer(name, arguments))
        except MemoryError:
            sys.exit("a calculation took too much memory")
        signal.alarm(0)
        sink.write(packed_answer)
        sink.flush()


def _limit_memory() -> None:
    """Limit the memory of this process. If memory runs short anyway, it is killed before the bot."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY
    if hard_limit != resource.RLIM_INFINITY:
        limit = min(MEMORY, hard_limit)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard_limit))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


if __name__ == "__main__":
    main()
