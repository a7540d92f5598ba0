"""Serves the streams that the recordings of docs/definitions.md were made of.

usage: streams.py [PORT]      then: tokscope probe http://127.0.0.1:PORT/NAME/v1

content and nousage are streams of llama.cpp b11669 as they came, with the times of their reads. The others have
the form of a server of the field and times that are written here. Reads fall on absolute timers."""

import http.server
import json
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CAPTURES = os.path.join(HERE, "../../../probe/dialect/testdata/captures/llama.cpp")

# Milliseconds after the request was sent and bytes of each read, chunk framing included; the first is the header.
CONTENT_READS = (
    "1.20:172 54.73:493 58.67:241 62.41:240 65.97:241 69.57:239 73.13:245 76.78:242 80.44:242 84.09:240 87.84:240 "
    "91.50:246 95.15:245 98.75:242 102.30:244 105.83:241 109.69:242 113.09:248 116.67:240 120.19:245 123.77:241 "
    "127.40:242 130.96:240 134.49:242 138.20:1043 "
)
NOUSAGE_READS = (
    "1.30:172 5.12:500 8.61:247 12.11:243 15.58:245 19.12:244 22.60:242 26.12:240 29.72:241 33.18:243 36.72:244 "
    "40.24:240 43.86:245 47.40:241 50.91:241 54.41:240 58.08:240 61.70:245 65.31:240 68.96:241 72.53:245 76.19:239 "
    "79.84:241 83.43:239 87.20:741 "
)


def captured(name, reads):
    """The body of a capture, cut where its reads ended."""
    with open(os.path.join(CAPTURES, name + ".body"), "rb") as f:
        events = [e + b"\n\n" for e in f.read().split(b"\n\n") if e.strip()]
    pieces = []
    for read in reads.split()[1:]:
        at, size = read.split(":")
        data, left = b"", int(size)
        while events and left > 8:  # 5 bytes are the empty chunk that ends a body
            left -= len(events[0]) + len("%x" % len(events[0])) + 4
            data += events.pop(0)
        if data:
            pieces.append((float(at), data))
    if events:
        pieces[-1] = (pieces[-1][0], pieces[-1][1] + b"".join(events))
    return pieces, pieces[-1][0] + 0.5


def chunk(delta, finish=None, usage=None):
    c = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    c["choices"] = [] if usage else [{"index": 0, "delta": delta, "finish_reason": finish}]
    if usage:
        c["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return b"data: " + json.dumps(c, separators=(",", ":")).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def example(field):
    """The stream of docs/definitions.md."""
    p = [(120, chunk({"role": "assistant", "content": ""}))]
    p += [(480 + 20 * i, chunk({field: "r%d " % i})) for i in range(10)]
    p += [(700 + 20 * i, chunk({"content": "w x "})) for i in range(20)]
    p += [(1090, chunk({}, "stop")), (1140, chunk(None, usage=(10, 50))), (1141, DONE)]
    return p, 1160


def thinking(field, seed, gap):
    """30 chunks of reasoning, a pause, 50 of content; gaps vary."""
    r, at = random.Random(seed), 250.0
    p = [(at, chunk({"role": "assistant", "content": ""}))]
    for i in range(80):
        at += gap * r.uniform(0.6, 1.4) + (90 if i == 30 else 0)
        p.append((at, chunk({field if i < 30 else "content": "word%d " % i})))
    p += [(at + 8, chunk({"content": ""}, "stop")), (at + 30, chunk(None, usage=(64, 81))), (at + 30, DONE)]
    return p, at + 31


def tools():
    """A tool call alone: its name, then 40 pieces of arguments."""
    r, at = random.Random(3), 300.0
    call = lambda **f: chunk({"tool_calls": [{"index": 0, **f}]})
    p = [(at, chunk({"role": "assistant", "content": None}))]
    p.append((at + 15, call(id="call_1", type="function", function={"name": "search", "arguments": ""})))
    for i in range(40):
        at += 22 * r.uniform(0.7, 1.3)
        p.append((at + 15, call(function={"arguments": '{"q":"' if i == 0 else '"}' if i == 39 else "w%d " % i})))
    p += [(at + 30, chunk({}, "tool_calls")), (at + 42, chunk(None, usage=(120, 52))), (at + 43, DONE)]
    return p, at + 45


def bursts():
    """Three to five events a read, each of several tokens, and finish and usage in the last read."""
    r, at, n = random.Random(5), 400.0, 0
    p = [(at, chunk({"role": "assistant", "content": ""}))]
    for _ in range(24):
        data = b""
        for _ in range(r.randint(3, 5)):
            k = r.randint(1, 4)
            n += k
            data += chunk({"content": "word " * k})
        p.append((at + 5, data))
        at += 60 * r.uniform(0.8, 1.2)
    p.append((at, chunk({}, "stop") + chunk(None, usage=(32, n)) + DONE))
    return p, at + 1


STREAMS = {
    "content": lambda: captured("stream-usage", CONTENT_READS),
    "nousage": lambda: captured("stream-nousage", NOUSAGE_READS),
    "example": lambda: example("reasoning"),
    "reasoning": lambda: thinking("reasoning", 1, 18),
    "reasoning_content": lambda: thinking("reasoning_content", 2, 24),
    "tools": tools,
    "bursts": bursts,
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        body = b'{"object":"list","data":[{"id":"m","object":"model"}]}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        pieces, end = STREAMS[self.path.split("/")[1]]()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        start = time.perf_counter()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at, data in pieces + [(end, b"")]:
            time.sleep(max(0, start + at / 1e3 - time.perf_counter()))
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int((sys.argv[1:] or ["18780"])[0])), Handler).serve_forever()
