"""What a worker makes of a candidate's last words."""

import socket
import time

import pytest

from rewardstack_sandbox import channel, judgements
from rewardstack_sandbox.nursery import Candidate
from rewardstack_sandbox.program.booting import LAYER_FAILED, READY
from rewardstack_sandbox.values import Codec


@pytest.fixture
def ends():
    ours, theirs = (channel.Channel(end) for end in socket.socketpair())
    yield ours, theirs
    ours.close()
    theirs.close()


def say(end, *messages):
    for message in messages:
        end.send(Codec().encode(message))


def test_a_worker_that_was_kept_from_the_processor_still_hears_them(ends, monkeypatch):
    ours, theirs = ends
    say(theirs, READY, ("memory", "out"))
    theirs.close()
    now = time.monotonic()
    ticks = iter(range(1000))
    monkeypatch.setattr(channel.time, "monotonic", lambda: now + 0.01 * next(ticks))
    assert judgements.read_note(ours) == ("memory", "out")


def test_one_that_ended_before_it_began(ends):
    ours, theirs = ends
    theirs.close()
    assert judgements.read_note(ours) == (LAYER_FAILED, "the process ended before it began")


def test_nonsense_is_no_note(ends):
    ours, theirs = ends
    say(theirs, READY, ("forged", "accepted"))
    theirs.close()
    assert judgements.read_note(ours) == ("", "")


def test_what_a_program_says_of_itself_is_cut(sandbox):
    forged = "import os, struct\ntext = b's\\0\\0\\1\\0' + b'x' * 65536\n"
    forged += "body = b'u\\2\\0\\0\\0s\\6\\0\\0\\0syntax' + text\nos.write(3, struct.pack('<I', len(body)) + body)\n"
    result = sandbox.run(f"{forged}os._exit(1)")
    assert result.status == "syntax_error"
    assert 100 < len(result.reason) < 5000


def test_the_end_is_seen_without_a_descriptor_of_the_process_too(ends):
    ours, theirs = ends
    candidate = Candidate(1, ours.socket, [])
    say(theirs, READY, ("memory", "out"))
    assert not judgements.wait_for_end(candidate, time.monotonic() + 0.05)
    theirs.close()
    assert judgements.wait_for_end(candidate, time.monotonic() + 5)
    assert judgements.read_note(candidate.channel) == ("memory", "out")
