"""Calls every official Python client against `tokscope serve` and prints a JSON line a call. run.py starts it:
calls.py ROOT KEY, ROOT being the address without a version."""

import json
import sys
import traceback

import anthropic
import ollama
import openai
from google import genai
from google.genai import errors, types

ROOT, KEY = sys.argv[1:3]
PLAIN, THINKER, PROMPT, MOST = "llama-3.1-8b@h100", "qwen3-8b@h100", "How does a server answer?", 60
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"], "additionalProperties": False}
NO_TOOL, HARMLESS = {}, {"city": "", "days": 0}


def check(ok, what):
    if not ok:
        raise AssertionError(str(what)[:300])


def fails(call, kind, status=None):
    """The call must end in an error of that kind, with that status."""
    try:
        call()
    except kind as e:
        got = getattr(e, "status_code", None) or getattr(e, "code", None)
        check(status is None or got == status, f"status {got}, not {status}: {e}")
        return
    raise AssertionError("no error")


def scenario(name):
    return {"X-Sim-Scenario": name}


def openai_calls():
    client = lambda **o: openai.OpenAI(base_url=ROOT + "/v1", api_key=o.pop("key", KEY), max_retries=0, **o)
    c, say = client(), [{"role": "user", "content": PROMPT}]
    tools = [{"type": "function", "function": {"name": "trip", "parameters": SCHEMA}}]
    chat = lambda **o: c.chat.completions.create(**{"model": PLAIN, "messages": say, "max_tokens": MOST, **o})
    yield "chat: text", lambda: chat().choices[0].message.content
    yield "chat: stream", lambda: "".join(x.choices[0].delta.content or "" for x in chat(stream=True) if x.choices)

    yield "chat: tool", lambda: check(json.loads(chat(tools=tools, tool_choice="required", max_tokens=300).choices[0].message.tool_calls[0].function.arguments) == HARMLESS, "arguments")
    yield "chat: thinking", lambda: check(chat(model=THINKER).choices[0].message.model_extra["reasoning_content"], "no thoughts")
    yield "completions: text", lambda: check(c.completions.create(model=PLAIN, prompt=PROMPT, max_tokens=MOST).choices[0].text, "no text")
    yield "completions: stream", lambda: check("".join(x.choices[0].text for x in c.completions.create(model=PLAIN, prompt=PROMPT, stream=True) if x.choices), "no text")

    ask = lambda **o: c.responses.create(**{"model": PLAIN, "input": PROMPT, "max_output_tokens": MOST, **o})
    flat = [{"type": "function", "name": "trip", "parameters": SCHEMA, "strict": True}]
    yield "responses: text", lambda: ask().output_text
    yield "responses: stream", lambda: "".join(e.delta for e in ask(stream=True) if e.type == "response.output_text.delta")

    def helped(**o):
        with c.responses.stream(**{"model": PLAIN, "input": PROMPT, **o}) as s:
            for _ in s:
                pass
            return s.get_final_response()
    yield "responses: stream helper", lambda: check(helped().output_text and helped().usage.output_tokens > MOST, "no text")
    yield "responses: thinking", lambda: check([i.type for i in helped(model=THINKER).output] == ["reasoning", "message"], "items")

    def tool():
        first = helped(tools=flat, tool_choice="required")
        call = first.output[-1]
        check(json.loads(call.arguments) == HARMLESS, call)
        then = [{"role": "user", "content": PROMPT}, call.to_dict(), {"type": "function_call_output", "call_id": call.call_id, "output": "sun"}]
        check(ask(input=then, tools=flat).output_text, "no text after the result")
    yield "responses: tool and its result", tool
    yield "responses: document", lambda: check(set(json.loads(ask(text={"format": {"type": "json_schema", "name": "t", "schema": SCHEMA, "strict": True}}, max_output_tokens=4000).output_text)) == {"city", "days"}, "fields")
    yield "responses: count", lambda: check(c.responses.input_tokens.count(model=PLAIN, input=PROMPT).input_tokens == ask().usage.input_tokens, "count")
    yield "responses: limit", lambda: check(ask().incomplete_details.reason == "max_output_tokens", "reason")

    def socket():
        with c.responses.connect() as s:
            texts = []
            for _ in range(2):
                s.response.create(model=PLAIN, input=PROMPT, max_output_tokens=MOST)
                texts.append("")
                for e in s:
                    if e.type == "response.output_text.delta":
                        texts[-1] += e.delta
                    if e.type in ("response.completed", "response.incomplete"):
                        break
            check(texts[0] == texts[1], texts)
            return texts[0]
    yield "responses: two turns on one socket", socket
    yield "models", lambda: check(PLAIN in [m.id for m in c.models.list()] and c.models.retrieve(PLAIN).id == PLAIN, "models")
    yield "error 401", lambda: fails(lambda: client(key="wrong").responses.create(model=PLAIN, input=PROMPT), openai.AuthenticationError, 401)
    yield "error 404", lambda: fails(lambda: ask(model="nobody"), openai.NotFoundError, 404)
    yield "error 429", lambda: fails(lambda: ask(extra_headers=scenario("rate-limit")), openai.RateLimitError, 429)
    yield "error 503", lambda: fails(lambda: ask(extra_headers=scenario("overloaded")), openai.InternalServerError, 503)
    yield "error inside chat", lambda: fails(lambda: list(chat(stream=True, extra_headers=scenario("error-in-stream"))), openai.APIError)
    yield "error inside responses", lambda: fails(lambda: list(ask(stream=True, extra_headers=scenario("error-in-stream"))), openai.APIError)


def anthropic_calls():
    client = lambda **o: anthropic.Anthropic(base_url=ROOT, api_key=o.pop("key", KEY), max_retries=0, **o)
    c, say = client(), [{"role": "user", "content": PROMPT}]
    ask = lambda **o: c.messages.create(**{"model": PLAIN, "messages": say, "max_tokens": MOST, **o})
    tools = [{"name": "trip", "input_schema": SCHEMA}]
    text = lambda m: "".join(b.text for b in m.content if b.type == "text")

    def helped(**o):
        with c.messages.stream(**{"model": PLAIN, "messages": say, "max_tokens": MOST, **o}) as s:
            said = "".join(s.text_stream)
            check(said == text(s.get_final_message()), "the helper's text")
            return s.get_final_message()
    yield "text", lambda: text(ask())
    yield "stream", lambda: "".join(e.delta.text for e in ask(stream=True) if e.type == "content_block_delta")
    yield "stream helper", lambda: text(helped())
    yield "thinking", lambda: check([b.type for b in helped(model=THINKER, max_tokens=5000, thinking={"type": "adaptive"}).content] == ["thinking", "text"], "blocks")
    yield "limit", lambda: check(helped().stop_reason == "max_tokens" and helped().usage.output_tokens == MOST, "end")

    def tool():
        first = helped(tools=tools, tool_choice={"type": "any"}, max_tokens=500)
        call = first.content[-1]
        check(call.input == HARMLESS and first.stop_reason == "tool_use", first)
        then = say + [{"role": "assistant", "content": first.content}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "sun"}]}]
        check(text(ask(messages=then, tools=tools)), "no text after the result")
    yield "tool and its result", tool
    yield "document", lambda: check(set(json.loads(text(ask(max_tokens=4000, output_config={"format": {"type": "json_schema", "schema": SCHEMA}})))) == {"city", "days"}, "fields")
    yield "count", lambda: check(c.messages.count_tokens(model=PLAIN, messages=say).input_tokens == ask().usage.input_tokens + ask().usage.cache_read_input_tokens, "count")
    yield "models", lambda: check(PLAIN in [m.id for m in c.models.list(limit=5)] and c.models.retrieve(PLAIN).id == PLAIN, "models")
    yield "error 401", lambda: fails(lambda: client(key="wrong").messages.create(model=PLAIN, messages=say, max_tokens=5), anthropic.AuthenticationError, 401)
    yield "error 404", lambda: fails(lambda: ask(model="nobody"), anthropic.NotFoundError, 404)
    yield "error 429", lambda: fails(lambda: ask(extra_headers=scenario("rate-limit")), anthropic.RateLimitError, 429)
    yield "error 529", lambda: fails(lambda: ask(extra_headers=scenario("overloaded")), anthropic.InternalServerError, 529)
    yield "error inside", lambda: fails(lambda: list(ask(stream=True, extra_headers=scenario("error-in-stream"))), anthropic.APIStatusError)


def genai_calls():
    def client(key=KEY, headers=None):
        return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=ROOT, headers=headers))
    c = client()
    ask = lambda c=c, model=PLAIN, contents=PROMPT, **o: c.models.generate_content(model=model, contents=contents, config={"max_output_tokens": MOST, **o})
    stream = lambda c=c, model=PLAIN, **o: list(c.models.generate_content_stream(model=model, contents=PROMPT, config={"max_output_tokens": MOST, **o}))
    tools = [{"function_declarations": [{"name": "trip", "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}, "days": {"type": "INTEGER"}}, "required": ["city", "days"]}}]}]
    yield "text", lambda: ask().text
    yield "stream", lambda: "".join(x.text or "" for x in stream())
    yield "thinking", lambda: check(any(p.thought for x in stream(model=THINKER, max_output_tokens=300, thinking_config={"include_thoughts": True}) for p in x.candidates[0].content.parts or []), "no thoughts")
    yield "limit", lambda: check(stream()[-1].candidates[0].finish_reason == "MAX_TOKENS" and stream()[-1].usage_metadata.candidates_token_count == MOST, "end")

    def tool():
        first = ask(tools=tools, tool_config={"function_calling_config": {"mode": "ANY"}})
        check(first.function_calls[0].args == HARMLESS, first.function_calls)
        said = types.Content(role="user", parts=[types.Part(text=PROMPT)])
        result = types.Content(role="user", parts=[types.Part.from_function_response(name="trip", response={"weather": "sun"})])
        check(ask(contents=[said, first.candidates[0].content, result], tools=tools).text, "no text after the result")
    yield "tool and its result", tool
    yield "document", lambda: check(set(json.loads(ask(max_output_tokens=4000, response_mime_type="application/json", response_json_schema=SCHEMA).text)) == {"city", "days"}, "fields")
    yield "count", lambda: check(c.models.count_tokens(model=PLAIN, contents=PROMPT).total_tokens == ask().usage_metadata.prompt_token_count, "count")
    yield "models", lambda: check("models/" + PLAIN in [m.name for m in c.models.list()] and c.models.get(model=PLAIN).name == "models/" + PLAIN, "models")
    yield "error 401", lambda: fails(lambda: ask(client("wrong")), errors.ClientError, 401)
    yield "error 404", lambda: fails(lambda: ask(model="nobody"), errors.ClientError, 404)
    yield "error 429", lambda: fails(lambda: ask(client(headers=scenario("rate-limit"))), errors.ClientError, 429)
    yield "error 503", lambda: fails(lambda: ask(client(headers=scenario("overloaded"))), errors.ServerError, 503)
    yield "error inside", lambda: fails(lambda: stream(client(headers=scenario("error-in-stream"))), errors.ServerError, 500)


def ollama_calls():
    client = lambda key=KEY, **h: ollama.Client(host=ROOT, headers={"Authorization": "Bearer " + key, **h})
    c, say = client(), [{"role": "user", "content": PROMPT}]
    ask = lambda c=c, **o: c.chat(**{"model": PLAIN, "messages": say, "options": {"num_predict": MOST}, **o})
    tools = [{"type": "function", "function": {"name": "trip", "parameters": SCHEMA}}]
    yield "text", lambda: ask().message.content
    yield "stream", lambda: "".join(x.message.content for x in ask(stream=True))
    yield "generate: text", lambda: c.generate(model=PLAIN, prompt=PROMPT, options={"num_predict": MOST}).response
    yield "generate: stream", lambda: "".join(x.response for x in c.generate(model=PLAIN, prompt=PROMPT, options={"num_predict": MOST}, stream=True))
    yield "thinking", lambda: check(any(x.message.thinking for x in ask(model=THINKER, think=True, stream=True)), "no thoughts")
    yield "limit", lambda: check(ask().done_reason == "length" and ask().eval_count == MOST, "end")

    def tool():
        call = list(ask(client(**scenario('tool trip {"city": "Oslo", "days": 3}')), tools=tools, stream=True))[-2].message.tool_calls[0]
        check(call.function.arguments == {"city": "Oslo", "days": 3}, call)
        check(not ask(tools=tools).message.tool_calls, "a call that nobody forced")
        check(ask(messages=say + [{"role": "tool", "tool_name": "trip", "content": "sun"}], tools=tools).message.content, "no text after the result")
    yield "tool and its result", tool
    yield "document", lambda: check(set(json.loads(ask(format=SCHEMA, options={}).message.content)) == {"city", "days"}, "fields")
    yield "list, ps, show", lambda: check(PLAIN in [m.model for m in c.list().models] and PLAIN in [m.model for m in c.ps().models] and "tools" in c.show(PLAIN).capabilities, "lists")
    yield "error 401", lambda: fails(lambda: ask(client("wrong")), ollama.ResponseError, 401)
    yield "error 404", lambda: fails(lambda: ask(model="nobody"), ollama.ResponseError, 404)
    yield "error 429", lambda: fails(lambda: ask(client(**scenario("rate-limit"))), ollama.ResponseError, 429)
    yield "error inside", lambda: fails(lambda: list(ask(client(**scenario("error-in-stream")), stream=True)), ollama.ResponseError)


for name, module, calls in (("openai", openai, openai_calls), ("anthropic", anthropic, anthropic_calls), ("google-genai", genai, genai_calls), ("ollama", ollama, ollama_calls)):
    for what, call in calls():
        line = {"client": name + " Python", "call": what}
        try:
            text = call()
            line.update(text=text) if isinstance(text, str) else None
        except Exception as e:  # the rig reports what a client rejects, whatever it is
            line["error"] = f"{type(e).__name__}: {e}"[:400]
            print("".join(traceback.format_exc()[-1500:]), file=sys.stderr)
        print(json.dumps(line), flush=True)
