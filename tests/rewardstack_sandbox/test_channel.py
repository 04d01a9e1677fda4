"""Messages over a socket."""

import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardstack_sandbox.channel import Channel, Expired, Gone, Oversized


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Channel(ours), theirs


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=8), st.integers(1, 50), st.booleans())
def test_messages_come_whole_and_in_order_however_they_are_cut(messages, chunk, together):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender, receiver = Channel(ours), Channel(theirs, chunk=chunk)
        if together:
            sender.send(*messages)
        else:
            for message in messages:
                sender.send(message)
        assert [receiver.receive(time.monotonic() + 5) for _ in messages] == messages
        assert not receiver.holds_more


def test_a_message_larger_than_a_socket_holds(ends):
    channel, other = ends
    big = bytes(5_000_000)
    thread = threading.Thread(target=Channel(other).send, args=(big, b"next"))
    thread.start()
    assert channel.receive() == big
    assert channel.receive() == b"next"
    thread.join()


def test_what_came_before_a_deadline_is_not_lost(ends):
    channel, other = ends
    other.sendall(b"\x05\x00\x00\x00he")
    with pytest.raises(Expired):
        channel.receive(time.monotonic() + 0.01)
    assert channel.holds_more
    other.sendall(b"llo")
    assert channel.receive(time.monotonic() + 5) == b"hello"


def test_a_message_beyond_the_bound_is_refused_before_it_is_read(ends):
    _, other = ends
    channel = Channel(ends[0].socket, bound=10)
    other.sendall(b"\x0b\x00\x00\x00")
    with pytest.raises(Oversized):
        channel.receive(time.monotonic() + 5)


def test_the_other_side_is_gone_in_the_middle(ends):
    channel, other = ends
    other.sendall(b"\x05\x00\x00\x00he")
    other.close()
    with pytest.raises(Gone):
        channel.receive()
    with pytest.raises(Gone):
        channel.send(b"x" * 1_000_000)
