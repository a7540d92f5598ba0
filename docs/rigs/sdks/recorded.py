"""Reads recordings that `tokscope serve --replay` serves with the official Python client of their API, as a stream and
whole, and prints a JSON line a call. run.py starts it: recorded.py [[ROOT, API], …]."""

import json
import sys
import traceback

import anthropic
import ollama
import openai
from google import genai
from google.genai import types

SAY = [{"role": "user", "content": "Tea?"}]


def said(pieces):
    """Joins what pieces of (kind, text) say of each kind: text, thinking, args."""
    out = {"text": "", "thinking": "", "args": ""}
    for kind, text in pieces:
        out[kind] += text if isinstance(text, str) else json.dumps(text) if text is not None else ""
    return out


def chat(root):
    c = openai.OpenAI(base_url=root + "/v1", api_key="none", max_retries=0).chat.completions

    def parts(m):
        yield "text", m.content
        yield "thinking", getattr(m, "reasoning_content", None)
        yield from (("args", t.function.arguments) for t in m.tool_calls or [])
    yield "stream", lambda: said(p for x in c.create(model="any", messages=SAY, stream=True) for o in x.choices for p in parts(o.delta))
    yield "whole", lambda: said(parts(c.create(model="any", messages=SAY).choices[0].message))


def completions(root):
    c = openai.OpenAI(base_url=root + "/v1", api_key="none", max_retries=0).completions
    yield "stream", lambda: said(("text", o.text) for x in c.create(model="any", prompt="Tea?", stream=True) for o in x.choices)
    yield "whole", lambda: said([("text", c.create(model="any", prompt="Tea?").choices[0].text)])


KINDS = {"response.output_text.delta": "text", "response.reasoning_text.delta": "thinking", "response.function_call_arguments.delta": "args"}


def responses(root):
    c = openai.OpenAI(base_url=root + "/v1", api_key="none", max_retries=0).responses
    events = lambda list: said((KINDS[e.type], e.delta) for e in list if e.type in KINDS)

    def items(r):
        yield "text", r.output_text
        for i in r.output:
            yield from (("thinking", x.text) for x in i.content or []) if i.type == "reasoning" else ()
            yield from [("args", i.arguments)] if i.type == "function_call" else ()

    def helper():
        with c.stream(model="any", input="Tea?") as s:
            return said(items(s.get_final_response()))

    def socket():
        with c.connect() as s:
            s.response.create(model="any", input="Tea?")
            list = []
            for e in s:
                list.append(e)
                if e.type in ("response.completed", "response.incomplete"):
                    return events(list)
    yield "stream", lambda: events(c.create(model="any", input="Tea?", stream=True))
    yield "stream helper", helper
    yield "socket", socket
    yield "whole", lambda: said(items(c.create(model="any", input="Tea?")))


def messages(root):
    c = anthropic.Anthropic(base_url=root, api_key="none", max_retries=0).messages
    kinds = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking"), "input_json_delta": ("args", "partial_json")}
    blocks = {"text": ("text", "text"), "thinking": ("thinking", "thinking"), "tool_use": ("args", "input")}
    taken = lambda of, list: said((of[x.type][0], getattr(x, of[x.type][1])) for x in list if x.type in of)

    def helper():
        with c.stream(model="any", messages=SAY, max_tokens=9) as s:
            return taken(blocks, s.get_final_message().content)
    yield "stream", lambda: taken(kinds, [e.delta for e in c.create(model="any", messages=SAY, max_tokens=9, stream=True) if e.type == "content_block_delta"])
    yield "stream helper", helper
    yield "whole", lambda: taken(blocks, c.create(model="any", messages=SAY, max_tokens=9).content)


def gemini(root):
    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=root))  # one that nobody holds is closed

    def parts(x):
        for p in x.candidates[0].content.parts or []:
            yield ("args", p.function_call.args) if p.function_call else ("thinking" if p.thought else "text", p.text)
    yield "stream", lambda: said(p for x in client.models.generate_content_stream(model="any", contents="Tea?") for p in parts(x))
    yield "whole", lambda: said(parts(client.models.generate_content(model="any", contents="Tea?")))


def ollama_calls(name, field):
    def calls(root):
        ask = lambda **o: getattr(ollama.Client(host=root), name)(model="any", **{field: SAY if field == "messages" else "Tea?"}, **o)

        def parts(x):
            m = x.message if name == "chat" else x
            yield "text", m.content if name == "chat" else m.response
            yield "thinking", m.thinking
            yield from (("args", dict(t.function.arguments)) for t in getattr(m, "tool_calls", None) or [])
        yield "stream", lambda: said(p for x in ask(stream=True) for p in parts(x))
        yield "whole", lambda: said(parts(ask()))
    return calls


CALLS = {"chat": chat, "completions": completions, "responses": responses, "responses-ws": responses, "messages": messages, "gemini": gemini,
         "ollama": ollama_calls("chat", "messages"), "ollama-generate": ollama_calls("generate", "prompt")}

for root, api in json.loads(sys.argv[1]):
    for what, call in CALLS[api](root):
        line = {"client": "Python", "root": root, "api": api, "call": what}
        try:
            line["said"] = call()
        except Exception as e:  # the rig reports what a client rejects, whatever it is
            line["error"] = f"{type(e).__name__}: {e}"[:400]
            print("".join(traceback.format_exc()[-1500:]), file=sys.stderr)
        print(json.dumps(line), flush=True)
