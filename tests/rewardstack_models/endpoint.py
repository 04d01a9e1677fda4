"""A real HTTP server that speaks the chat-completions protocol, well or as badly as a script says."""

import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def said(request):
    """Return all that a request says, as one text."""
    return "\n".join(message["content"] for message in request["messages"])


def reply_in(request):
    """Return the fenced reply of a request, its marks taken off."""
    found = re.search(
        r"=== BEGIN REPLY(?: A)? \w+ ===\n(.*?)\n=== END REPLY", request["messages"][-1]["content"], re.DOTALL
    )
    return "\n".join(line.removeprefix("| ") for line in found[1].split("\n"))


def answer(text, finish="stop", tokens=(10, 5)):
    """Return a proper answer."""
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]} if tokens else None
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    return {
        "status": 200,
        "body": json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode(),
    }


def verdict(label):
    """Return an answer that ends in a label."""
    return answer(f"I have looked at it.\nVERDICT: {label}")


def status(code, body=b'{"error": "no"}', **headers):
    """Return an answer that is none."""
    return {
        "status": code,
        "body": body,
        "headers": {name.replace("_", "-"): value for name, value in headers.items()},
    }


HANG = {"hang": True}
CUT_OFF = {"status": 200, "body": answer("VERDICT: CORRECT")["body"][:40], "claim": 4000}
ENDLESS = {"endless": True}
DROP = {"drop": True}


class Handler(BaseHTTPRequestHandler):
    """Answers as the server's script says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        """Say nothing."""

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        chat = self.server.chat
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(raw) if raw else {}
        with chat.lock:
            chat.requests.append((self.path, dict(self.headers), request))
            number = len(chat.requests)
            chat.under_way += 1
            chat.most_at_once = max(chat.most_at_once, chat.under_way)
        try:
            self.play(chat.script(request, number) if callable(chat.script) else chat.script)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with chat.lock:
                chat.under_way -= 1

    def play(self, step):
        chat = self.server.chat
        time.sleep(step.get("delay", chat.delay))
        if step.get("hang"):
            chat.closing.wait(30)
            self.close_connection = True
        elif step.get("drop"):
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif step.get("endless"):
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            while not chat.closing.is_set():
                self.wfile.write(b" " * 65536)
            self.close_connection = True
        else:
            body = step["body"]
            self.send_response(step["status"])
            for name, value in {"Content-Type": "application/json", **step.get("headers", {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(step.get("claim", len(body))))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = "claim" in step


class ChatServer:
    """A server at work; `script` is an answer, or a function of the request and its number, counted from 1."""

    def __init__(self, script, delay=0.0):
        self.script, self.delay = script, delay
        self.requests, self.lock, self.closing = [], threading.Lock(), threading.Event()
        self.under_way = self.most_at_once = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.request_queue_size = 256
        self._server.socket.listen(256)
        self._server.chat = self
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def calls(self):
        return len(self.requests)

    def close(self):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
