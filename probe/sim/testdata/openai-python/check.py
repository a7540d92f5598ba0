"""The official OpenAI client for Python, and a scraper, against the embedded endpoint.

    pip install openai pydantic requests prometheus_client
    python check.py http://127.0.0.1:PORT/v1

where the address is the one that `tokscope serve` prints. It leaves with 1
when anything is not as it should be.
"""

import sys
from datetime import datetime
from enum import Enum
from typing import Literal, Optional, Union
from uuid import UUID

import openai
import requests
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
from pydantic import BaseModel

base = sys.argv[1].rstrip("/")
root = base.removesuffix("/v1")
client = openai.OpenAI(base_url=base, api_key="unused", max_retries=0)
messages = [{"role": "user", "content": "How does a server answer?"}]


class Unit(str, Enum):
    celsius = "C"
    fahrenheit = "F"


class Step(BaseModel):
    explanation: str
    output: str


class Tree(BaseModel):
    name: str
    children: list["Tree"]


class Answer(BaseModel):
    steps: list[Step]
    unit: Unit
    count: Optional[int]
    kind: Literal["x", "y"]
    either: Union[int, Step]
    at: datetime
    id: UUID
    tree: Tree
    pair: tuple[int, str]
    scores: dict[str, float]


# What `vllm bench serve` without --model reads.
card = requests.get(base + "/models").json()["data"][0]
model, tokenizer = card["id"], card["root"]
assert model == tokenizer and card["max_model_len"] > 0
print(f"models        {model}, {card['max_model_len']} tokens")

for seed in range(20):
    parsed = client.chat.completions.parse(model=model, messages=messages, seed=seed, response_format=Answer)
    assert isinstance(parsed.choices[0].message.parsed, Answer), seed
with client.chat.completions.stream(model=model, messages=messages, response_format=Answer) as stream:
    events = sum(1 for event in stream if event.type == "content.delta")
    assert isinstance(stream.get_final_completion().choices[0].message.parsed, Answer)
print(f"parse         20 documents fit, one more in {events} deltas")
try:
    client.chat.completions.parse(model=model, messages=messages, max_tokens=5, response_format=Answer)
    raise SystemExit("a document that was cut was parsed")
except openai.LengthFinishReasonError:
    print("cut           LengthFinishReasonError")
tool = openai.pydantic_function_tool(Answer)
call = client.chat.completions.parse(model=model, messages=messages, tools=[tool], tool_choice="required").choices[0].message.tool_calls[0]
assert isinstance(call.function.parsed_arguments, Answer)
print(f"tool call     {call.function.name}, its arguments fit")

logs = client.chat.completions.create(model=model, messages=messages, max_tokens=20, logprobs=True, top_logprobs=4).choices[0]
assert "".join(x.token for x in logs.logprobs.content) == logs.message.content
assert all(len(x.top_logprobs) == 4 and bytes(x.bytes).decode() == x.token for x in logs.logprobs.content)
texts = client.completions.create(model=model, prompt=["one", "two"], n=2, max_tokens=6, logprobs=2)
assert [x.index for x in texts.choices] == [0, 1, 2, 3] and texts.usage.completion_tokens == 24
assert all("".join(x.logprobs.tokens) == x.text for x in texts.choices)
ids = client.completions.create(model=model, prompt=[[1, 2], [3]], max_tokens=4)
assert len(ids.choices) == 2 and ids.usage.prompt_tokens == 3
print(f"lists         {len(texts.choices)} answers to 2 texts, {len(ids.choices)} to 2 lists of ids")

cut = requests.post(root + "/tokenize", json={"model": model, "messages": messages, "return_token_strs": True}).json()
whole = client.chat.completions.create(model=model, messages=messages, max_tokens=1)
assert cut["count"] == len(cut["tokens"]) == whole.usage.prompt_tokens
back = requests.post(root + "/detokenize", json={"tokens": cut["tokens"]}).json()["prompt"]
assert back == "".join(cut["token_strs"]) and messages[0]["content"] in back
print(f"tokenize      {cut['count']} tokens, as usage says, and back")

text = requests.get(root + "/metrics")
scraped = requests.get(root + "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
names = {family.name for family in prometheus(text.text)}
assert scraped.headers["Content-Type"].startswith("application/openmetrics-text")
assert names == {family.name for family in open_metrics(scraped.text)} and "vllm:inter_token_latency_seconds" in names
print(f"metrics       {len(names)} families in both formats")

asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
page = requests.options(base + "/chat/completions", headers={"Origin": "http://localhost:3000", **asked})
assert page.status_code == 204 and page.headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
evil = requests.options(base + "/chat/completions", headers={"Origin": "http://evil.example", **asked})
assert evil.status_code == 403 and "Access-Control-Allow-Origin" not in evil.headers
simple = requests.post(base + "/chat/completions", data='{"messages":[]}', headers={"Content-Type": "text/plain"})
assert simple.status_code == 415
print("web pages     204 for one of this machine, 403 for another, 415 for a simple form")


def refused(kind, words, call):
    try:
        call()
    except kind as e:
        assert words in str(e), e
        print(f"refused       {kind.__name__}: {e.body['message'][:90]}")
        return
    raise SystemExit(f"not refused: {words}")


refused(openai.BadRequestError, "temperature must be at most 2", lambda: client.chat.completions.create(model=model, messages=messages, temperature=99))
refused(openai.NotFoundError, "Responses API", lambda: client.responses.create(model=model, input="x"))
refused(openai.NotFoundError, "embeddings", lambda: client.embeddings.create(model=model, input="x"))
print("all as it should be")
