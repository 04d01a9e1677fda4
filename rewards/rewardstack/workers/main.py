"""The worker process: rebuilds rewards by name and calls them until its socket closes or it is killed.

Started as `python -m rewardstack.workers.main FD PARENT MEMORY`; see `pool.py` for the other side.
"""

import ctypes
import importlib
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from rewardstack.registry import registry
from rewardstack.results import raised, to_score, to_scores
from rewardstack.workers.messages import Call, Fault, Load, Recorded, frame_reply, receive

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def die_with_parent(parent: int) -> None:
    """Ask the kernel to end this process with its parent (Linux), even while a call holds the interpreter lock."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before the kernel knew
            os._exit(1)


def limit_memory(limit: int) -> None:
    """Limit this process's address space, where the platform can; 0 is no limit."""
    if limit and sys.platform != "win32":
        resource = importlib.import_module("resource")
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def load(message: Load) -> Callable[..., Any]:
    """Return the callable a recipe describes."""
    return message.recipe.build(registry().load(message.recipe.source))


def call(function: Callable[..., Any], message: Call) -> Recorded:
    """Call a reward and return its results as scores, with what it logged."""
    recorded = Recorded()
    keywords = dict(message.keywords)
    if "log_extra" in message.trainer:
        keywords["log_extra"] = lambda column, values: recorded.extra.append((column, list(values)))
    if "log_metric" in message.trainer:
        keywords["log_metric"] = lambda name, value: recorded.metrics.append((name, float(value)))
    returned = function(*message.arguments, **keywords)
    if message.plain:
        recorded.value = returned
    elif message.many is None:
        recorded.scores = [to_score(returned, message.range)]
    else:
        recorded.scores = to_scores(returned, message.many, message.range, function=function)
    return recorded


def answer(functions: dict[str, Callable[..., Any]], message: Any) -> Any:
    """Return the reply to one message; what plugin code raises becomes a `Fault`."""
    try:
        if isinstance(message, Load):
            functions[message.key] = load(message)
            return None
        return call(functions[message.key], message)
    except BaseException as error:  # a SystemExit or KeyboardInterrupt here is the reward's own
        function = None if isinstance(message, Load) else functions.get(message.key)
        score = raised(error, function=function)
        return Fault(score.error or "", score.timed_out, score.where)


def open_channel(descriptor: int) -> socket.socket:
    """Return the socket to the parent: inherited, or on Windows shared by way of standard input."""
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    return socket.socket(fileno=descriptor)


def stay_alone(channel: socket.socket) -> None:
    """Keep the channel from what a reward forks or starts, and adopt what its children leave behind.

    An adopted process is still below this one when the pool kills it, however it was started (Linux).
    """
    channel.set_inheritable(False)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main(descriptor: int, parent: int, memory: int) -> None:
    """Serve messages until the other end closes."""
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    channel, process = open_channel(descriptor), os.getpid()
    stay_alone(channel)
    sys.path[:] = pickle.loads(receive(channel))
    limit_memory(memory)
    functions: dict[str, Callable[..., Any]] = {}
    channel.sendall(frame_reply(None))  # it is ready
    while True:
        try:
            data = receive(channel)
        except EOFError:
            return
        result = answer(functions, pickle.loads(data))
        if os.getpid() != process:  # a reward has forked, and this is the child coming back
            os._exit(0)
        try:
            reply = frame_reply(result)
        except Exception as error:  # a score whose details cannot be pickled
            reply = frame_reply(Fault(f"its result cannot leave the worker: {raised(error).error}"))
        channel.sendall(reply)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
