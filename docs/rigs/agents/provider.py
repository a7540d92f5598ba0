"""A scripted provider: it stands in for api.anthropic.com and others behind HTTPS_PROXY, and keeps what it is asked.

It answers Messages, Responses (also over a WebSocket), Chat Completions and Gemini, with the text, the calls of a tool,
the errors and the pauses of a Script. Other hosts are refused, and listed."""

import base64
import hashlib
import itertools
import json
import re
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
from dataclasses import dataclass, field

HOSTS = ["api.anthropic.com", "api.openai.com", "chatgpt.com", "generativelanguage.googleapis.com",
         "dashscope.aliyuncs.com"]
SHELLS = ["Bash", "bash", "exec", "exec_command", "shell", "shell_command", "run_shell_command", "run_commands"]
COMMAND = "sleep 1 && ls"

# What is answered beside models, by the end of a path.
BESIDE = {"count_tokens": {"input_tokens": 10}, ":countTokens": {"totalTokens": 10},
          "/models": {"data": [], "models": []},
          "/accounts/check": {"accounts": [{"id": "rig", "workspace_backend_origin": "NO_CONSTRAINT",
                                             "account_routing_override": "NO_CONSTRAINT"}],
                              "account_ordering": ["rig"], "default_account_id": "rig"}}


def authority(folder):
    """Makes an authority, thrown away with the folder, and a certificate for HOSTS; returns the authority's file."""
    def openssl(*args):
        subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tokscope rig",
            "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=rig", "-keyout", "leaf.key", "-out", "leaf.csr")
    with open(folder + "/names", "w", encoding="utf-8") as f:
        f.write("subjectAltName=" + ",".join("DNS:" + h for h in HOSTS))
    openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "leaf.pem")
    return folder + "/ca.pem"


@dataclass
class Script:
    """What the answers to turns are: a turn is a request that names tools, a chat completion, or what
    follows one on a WebSocket."""
    wait: float = 0.1  # s, until an answer's first event
    prefill: float = 0.1  # s, from there to its first token
    gap: float = 0.01  # s, between tokens
    calls: int = 0  # of a shell, one an answer; the next one is a text
    failures: list = field(default_factory=list)  # statuses, one a request
    text: str = "The folder has no files of note, so there is nothing to do."


@dataclass
class Asked:
    """A request, or a message on a WebSocket."""
    at: float  # s, when it had arrived
    transport: str
    method: str
    host: str
    target: str
    headers: list
    body: bytes
    status: int = 200
    first: float = 0  # s, when its first token went out
    end: float = 0  # s, when all had gone out

    def json(self):
        """The body as a document, None if it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def tools(self):
        """The tools, by name."""
        d = self.json()
        return dict(listed(d)) if isinstance(d, dict) else {}


def listed(d):
    """The tools of a request, of groups in it, and of items of its input."""
    for t in d.get("tools") or []:
        f = t.get("function", t)
        if inner := t.get("functionDeclarations"):
            yield from listed({"tools": inner})
        elif "tools" in t:
            yield from listed(t)
        else:
            yield f.get("name") or f.get("type"), f
    for item in d["input"] if isinstance(d.get("input"), list) else []:
        yield from listed(item)


def example(schema, known):
    """A value of a JSON schema: what is known of it by name, else the least that fits."""
    kind = schema.get("type", "object")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if schema.get("enum"):
        return schema["enum"][0]
    if kind == "object":
        fields = schema.get("properties", {})
        names = [n for n in fields if n in known or n in schema.get("required", [])]
        return {n: as_kind(known[n], fields[n]) if n in known else example(fields[n], {}) for n in names}
    return {"array": [], "string": "hi", "integer": 1, "number": 1, "boolean": False}.get(kind)


def arguments(tool):
    """The arguments of a call of a shell."""
    if tool.get("type") == "custom":  # Codex has one tool, which takes a program that calls the others
        return f"text(await tools.exec_command({{cmd: {json.dumps(COMMAND)}}}))"
    schema = tool.get("input_schema") or tool.get("parameters") or tool.get("parametersJsonSchema") or {}
    return json.dumps(example(schema, {"command": COMMAND, "cmd": COMMAND, "commands": COMMAND,
                                       "description": "List files"}))


def as_kind(text, schema):
    return ["bash", "-c", text] if schema.get("type") == "array" else text


class Provider:
    """Listens on loopback as an HTTP proxy for CONNECT. asked and refused grow while it runs."""

    def __init__(self, folder, script):
        self.script, self.asked, self.refused = script, [], []
        self.failures, self.calls, self.lock = list(script.failures), script.calls, threading.Lock()
        self.ids, self.cached, self.shell = itertools.count(1), {}, None
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(folder + "/leaf.pem", folder + "/leaf.key")
        self.tls.set_alpn_protocols(["http/1.1"])
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                c, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connection, args=(c,), daemon=True).start()

    def connection(self, c):
        try:
            c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain = c.makefile("rb", 0)
            method, target, _ = plain.readline().decode().split()
            while plain.readline().strip():
                pass
            host = target.rsplit(":", 1)[0]
            if method != "CONNECT" or host not in HOSTS:
                self.refused.append(urllib.parse.urlsplit(target).hostname if "//" in target else host)
                c.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            c.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            with self.tls.wrap_socket(c, server_side=True) as t, t.makefile("rb") as r:
                while self.request(t, r, host):
                    pass
        except (OSError, ValueError):
            pass  # the client has gone
        finally:
            c.close()

    def request(self, w, r, host):
        """Reads a request and answers it. False: the connection ends."""
        line = r.readline().decode("latin-1").split()
        if len(line) != 3:
            return False
        headers = []
        while field_line := r.readline().decode("latin-1").strip():
            headers.append(tuple(x.strip() for x in field_line.split(":", 1)))
        have = {k.lower(): v for k, v in headers}
        if have.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while n := int(r.readline().split(b";")[0], 16):
                body += r.read(n)
                r.readline()
            r.readline()
        else:
            body = r.read(int(have.get("content-length", 0)))
        upgrade = have.get("upgrade", "").lower() == "websocket"
        a = Asked(time.time(), "WebSocket" if upgrade else "HTTP/1.1", line[0], host, line[1], headers, body)
        self.asked.append(a)
        if upgrade:
            self.websocket(w, r, a, have)
            return False
        self.answer(w, a)
        return have.get("connection", "").lower() != "close"

    def answer(self, w, a):
        path = urllib.parse.urlsplit(a.target).path
        d = a.json()
        api = {"messages": messages, "responses": responses, "completions": chat, "streamGenerateContent": gemini,
               "generateContent": gemini}.get(re.split("[/:]", path)[-1]) if a.method == "POST" and d else None
        if api is None:
            data = next((x for end, x in BESIDE.items() if path.endswith(end)), None)
            self.send(w, 404 if data is None else 200, json.dumps(data or {}), a)
            return
        turn = bool(a.tools()) or api is chat
        with self.lock:
            status = self.failures.pop(0) if turn and self.failures else 0
        if status:
            kind = "overloaded_error" if status == 529 else "rate_limit_error"
            error = {"type": "error", "error": {"type": kind, "message": "scripted", "code": status}}
            a.status = status
            self.send(w, status, json.dumps(error), a)
            return
        stream = d.get("stream") or "streamGenerateContent" in path
        events, whole = api(d, self.reply(a, d, turn))
        if not stream:
            self.send(w, 200, json.dumps(whole), a)
            return
        w.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
                  b"request-id: req_rig\r\n\r\n")
        for event, data in self.paced(events, a):
            data = data if isinstance(data, str) else json.dumps(data)
            text = f"event: {event}\n" * bool(event) + f"data: {data}\n\n"
            w.sendall(b"%x\r\n%s\r\n" % (len(text.encode()), text.encode()))
        w.sendall(b"0\r\n\r\n")

    def reply(self, a, d, turn):
        """What an answer is made of."""
        size, text = len(a.body) // 4, self.script.text
        known = a.tools()
        with self.lock:
            n, call = next(self.ids), None
            # Later messages of a WebSocket do not name the tools again.
            self.shell = next((known[s] for s in SHELLS if s in known), self.shell)
            if turn and self.calls and self.shell:
                self.calls -= 1
                call = (f"call_{n}", self.shell["name"], arguments(self.shell))
            before, self.cached[turn] = self.cached.get(turn, 0), size
        asked = d.get("generationConfig", {})
        if shape := asked.get("responseJsonSchema") or asked.get("responseSchema"):
            text = json.dumps(example(shape, {}))
        return {"id": n, "model": d.get("model", "gemini"), "text": text, "call": call, "in": size,
                "cached": min(before, size)}

    def paced(self, events, a):
        """The events, each at its time. None stands before a token."""
        time.sleep(self.script.wait)
        for e in events:
            if e is None:
                time.sleep(self.script.gap if a.first else self.script.prefill)
                a.first = a.first or time.time()
                continue
            yield e
        a.end = time.time()

    def send(self, w, status, text, a):
        body = b"" if a.method == "HEAD" else text.encode()
        w.sendall(b"HTTP/1.1 %d Scripted\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                  % (status, len(body), body))

    def websocket(self, w, r, a, have):
        key = have["sec-websocket-key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        with self.lock:
            status = self.failures.pop(0) if self.failures else 0
        if status:
            a.status = status
            self.send(w, status, json.dumps({"error": {"message": "scripted", "code": status}}), a)
            return
        w.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  b"Sec-WebSocket-Accept: %s\r\n\r\n" % base64.b64encode(hashlib.sha1(key).digest()))
        for op, body in frames(r):
            if op == 9:
                frame(w, 10, body)
            if op not in (1, 2):
                continue
            ask = Asked(time.time(), "WebSocket", "message", a.host, a.target, [], body)
            self.asked.append(ask)
            d = ask.json()
            warm = d.get("generate") is False
            events, _ = responses(d, self.reply(ask, d, not warm), empty=warm)
            for _, data in self.paced(events, ask):
                frame(w, 1, json.dumps(data).encode())


def frames(r):
    """Reads the messages and control frames of a client."""
    message = b""
    while len(head := r.read(2)) == 2:
        n = head[1] & 127
        n = int.from_bytes(r.read(2 if n == 126 else 8), "big") if n > 125 else n
        mask = r.read(4)
        body = bytes(x ^ m for x, m in zip(r.read(n), itertools.cycle(mask)))
        op = head[0] & 15
        if op > 7:
            yield op, body
            continue
        message += body
        if head[0] & 128:
            yield 1, message
            message = b""


def frame(w, op, body):
    size = bytes([len(body)]) if len(body) < 126 else b"\x7e%s" % len(body).to_bytes(2, "big")
    if len(body) > 65535:
        size = b"\x7f" + len(body).to_bytes(8, "big")
    w.sendall(bytes([128 | op]) + size + body)


def pieces(text):
    return re.findall(r"\S+\s*", text)


def messages(d, a):
    usage = {"input_tokens": a["in"] - a["cached"], "cache_creation_input_tokens": 0,
             "cache_read_input_tokens": a["cached"], "output_tokens": 1}
    whole = {"id": f"msg_{a['id']}", "type": "message", "role": "assistant", "model": a["model"], "content": [],
             "stop_reason": None, "stop_sequence": None, "usage": usage}
    events = [("message_start", {"type": "message_start", "message": whole})]
    blocks = [({"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in pieces(a["text"])])]
    content = [{"type": "text", "text": a["text"]}]
    if a["call"]:
        identity, name, args = a["call"]
        block = {"type": "tool_use", "id": "toolu_" + identity, "name": name, "input": {}}
        blocks = [(block, [{"type": "input_json_delta", "partial_json": args}])]
        content = [{**block, "input": json.loads(args)}]
    for i, (block, deltas) in enumerate(blocks):
        events += [None] if a["call"] else []  # the name of a tool is a token
        events.append(("content_block_start", {"type": "content_block_start", "index": i, "content_block": block}))
        for x in deltas:
            events += [None, ("content_block_delta", {"type": "content_block_delta", "index": i, "delta": x})]
        events.append(("content_block_stop", {"type": "content_block_stop", "index": i}))
    end = {"stop_reason": "tool_use" if a["call"] else "end_turn", "stop_sequence": None}
    used = {**usage, "output_tokens": 20}
    events += [("message_delta", {"type": "message_delta", "delta": end, "usage": used}),
               ("message_stop", {"type": "message_stop"})]
    return events, {**whole, **end, "usage": used, "content": content}


def responses(d, a, empty=False):
    used = {"input_tokens": a["in"], "input_tokens_details": {"cached_tokens": a["cached"]}, "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": a["in"] + 20}
    whole = {"id": f"resp_{a['id']}", "object": "response", "created_at": int(time.time()), "status": "in_progress",
             "model": a["model"], "output": [], "usage": None}
    events, number = [], itertools.count()

    def say(kind, **data):
        events.append((kind, {"type": kind, "sequence_number": next(number), **data}))
    say("response.created", response=whole)
    if a["call"] and not empty:
        identity, name, args = a["call"]
        custom = not args.startswith("{")
        kind, key = ("custom_tool_call", "input") if custom else ("function_call", "arguments")
        event = "response." + ("custom_tool_call_input" if custom else "function_call_arguments")
        item = {"id": f"fc_{a['id']}", "type": kind, "status": "completed", "call_id": identity, "name": name,
                key: args}
        at = {"item_id": item["id"], "output_index": 0}
        events.append(None)
        say("response.output_item.added", output_index=0, item={**item, "status": "in_progress", key: ""})
        say(event + ".delta", **at, delta=args)
        say(event + ".done", **at, **{key: args})
    elif not empty:
        part = {"type": "output_text", "text": a["text"], "annotations": []}
        item = {"id": f"msg_{a['id']}", "type": "message", "status": "completed", "role": "assistant",
                "content": [part]}
        at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        say("response.output_item.added", output_index=0, item={**item, "status": "in_progress", "content": []})
        say("response.content_part.added", **at, part={**part, "text": ""})
        for p in pieces(a["text"]):
            events.append(None)
            say("response.output_text.delta", **at, delta=p)
        say("response.output_text.done", **at, text=a["text"])
        say("response.content_part.done", **at, part=part)
    output = [] if empty else [item]
    for x in output:
        say("response.output_item.done", output_index=0, item=x)
    whole = {**whole, "status": "completed", "output": output, "usage": used}
    say("response.completed", response=whole)
    return events, whole


def chat(d, a):
    used = {"prompt_tokens": a["in"], "completion_tokens": 20, "total_tokens": a["in"] + 20,
            "prompt_tokens_details": {"cached_tokens": a["cached"]}}
    head = {"id": f"chatcmpl-{a['id']}", "created": int(time.time()), "model": a["model"]}
    message, end = {"role": "assistant", "content": a["text"]}, "stop"
    deltas = [{"content": p} for p in pieces(a["text"])]
    if a["call"]:
        identity, name, args = a["call"]
        call = {"id": identity, "type": "function", "function": {"name": name, "arguments": args}}
        message, end = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        deltas = [{"tool_calls": [{"index": 0, **call}]}]
    head["object"] = "chat.completion.chunk"
    events = [("", {**head, "choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]})]
    for x in deltas:
        events += [None, ("", {**head, "choices": [{"index": 0, "delta": x, "finish_reason": None}]})]
    events.append(("", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}))
    if (d.get("stream_options") or {}).get("include_usage"):
        events.append(("", {**head, "choices": [], "usage": used}))
    events.append(("", "[DONE]"))
    choice = {"index": 0, "message": message, "finish_reason": end}
    return events, {**head, "object": "chat.completion", "choices": [choice], "usage": used}


def gemini(d, a):
    used = {"promptTokenCount": a["in"], "cachedContentTokenCount": a["cached"], "candidatesTokenCount": 20,
            "totalTokenCount": a["in"] + 20}
    parts = [{"text": p} for p in pieces(a["text"])]
    if a["call"]:
        parts = [{"functionCall": {"name": a["call"][1], "args": json.loads(a["call"][2])}}]

    def chunk(some, **end):
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": some}, **end}], "usageMetadata": used,
                "modelVersion": "rig", "responseId": f"gem{a['id']}"}
    events = []
    for i, p in enumerate(parts):
        events += [None, ("", chunk([p], **({"finishReason": "STOP"} if i == len(parts) - 1 else {})))]
    return events, chunk(parts if a["call"] else [{"text": a["text"]}], finishReason="STOP")
