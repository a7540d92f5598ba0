// Reads recordings that `tokscope serve --replay` serves with the official Node client of their API, as a stream and whole,
// and prints a JSON line a call. run.py starts it: recorded.mjs [[ROOT, API], …].

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";

const SAY = [{ role: "user", content: "Tea?" }];

// said joins what pieces of [kind, text] say of each kind.
function said(pieces) {
  const out = { text: "", thinking: "", args: "" };
  for (const [kind, text] of pieces) out[kind] += typeof text === "string" ? text : text ? JSON.stringify(text) : "";
  return out;
}

// all returns the pieces of all that a stream brings.
async function all(stream, of) {
  const pieces = [];
  for await (const x of await stream) pieces.push(...of(x));
  return said(pieces);
}

const openai = (root) => new OpenAI({ baseURL: root + "/v1", apiKey: "none", maxRetries: 0 });

function* chat(root) {
  const c = openai(root).chat.completions, ask = (o) => c.create({ model: "any", messages: SAY, ...o });
  const parts = (m) => [["text", m.content], ["thinking", m.reasoning_content], ...(m.tool_calls ?? []).map((t) => ["args", t.function.arguments])];
  yield ["stream", () => all(ask({ stream: true }), (x) => x.choices.flatMap((o) => parts(o.delta)))];
  yield ["whole", async () => said(parts((await ask()).choices[0].message))];
}

function* completions(root) {
  const c = openai(root).completions, ask = (o) => c.create({ model: "any", prompt: "Tea?", ...o });
  yield ["stream", () => all(ask({ stream: true }), (x) => x.choices.map((o) => ["text", o.text]))];
  yield ["whole", async () => said([["text", (await ask()).choices[0].text]])];
}

const KINDS = { "response.output_text.delta": "text", "response.reasoning_text.delta": "thinking", "response.function_call_arguments.delta": "args" };

function* responses(root) {
  const client = openai(root), c = client.responses;
  const event = (e) => (KINDS[e.type] ? [[KINDS[e.type], e.delta]] : []);
  const items = (r) => [["text", r.output_text], ...r.output.flatMap((i) =>
    i.type === "reasoning" ? i.content.map((x) => ["thinking", x.text]) : i.type === "function_call" ? [["args", i.arguments]] : [])];
  yield ["stream", () => all(c.create({ model: "any", input: "Tea?", stream: true }), event)];
  yield ["stream helper", async () => said(items(await c.stream({ model: "any", input: "Tea?" }).finalResponse()))];
  yield ["socket", async () => {
    const socket = new ResponsesWS(client), pieces = [];
    try {
      await new Promise((done, fail) => {
        socket.on("event", (e) => {
          pieces.push(...event(e));
          if (e.type === "response.completed" || e.type === "response.incomplete") done();
        });
        socket.on("error", fail);
        socket.send({ type: "response.create", model: "any", input: "Tea?" });
      });
    } finally {
      socket.close();
    }
    return said(pieces);
  }];
  yield ["whole", async () => said(items(await c.create({ model: "any", input: "Tea?" })))];
}

function* messages(root) {
  const c = new Anthropic({ baseURL: root, apiKey: "none", maxRetries: 0 }).messages;
  const o = { model: "any", messages: SAY, max_tokens: 9 };
  const deltas = { text_delta: ["text", "text"], thinking_delta: ["thinking", "thinking"], input_json_delta: ["args", "partial_json"] };
  const blocks = { text: ["text", "text"], thinking: ["thinking", "thinking"], tool_use: ["args", "input"] };
  const taken = (of, x) => (of[x?.type] ? [[of[x.type][0], x[of[x.type][1]]]] : []);
  const content = (m) => said(m.content.flatMap((b) => taken(blocks, b)));
  yield ["stream", () => all(c.create({ ...o, stream: true }), (e) => taken(deltas, e.delta))];
  yield ["stream helper", async () => content(await c.stream(o).finalMessage())];
  yield ["whole", async () => content(await c.create(o))];
}

function* gemini(root) {
  const c = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: root } }).models, o = { model: "any", contents: "Tea?" };
  const parts = (x) => (x.candidates[0].content.parts ?? []).map((p) => (p.functionCall ? ["args", p.functionCall.args] : [p.thought ? "thinking" : "text", p.text]));
  yield ["stream", () => all(c.generateContentStream(o), parts)];
  yield ["whole", async () => said(parts(await c.generateContent(o)))];
}

const ollama = (name) => function* (root) {
  const c = new Ollama({ host: root }), ask = (o) => c[name]({ model: "any", ...(name === "chat" ? { messages: SAY } : { prompt: "Tea?" }), ...o });
  const parts = (x) => {
    const m = x.message ?? x;
    return [["text", m.content ?? m.response], ["thinking", m.thinking], ...(m.tool_calls ?? []).map((t) => ["args", t.function.arguments])];
  };
  yield ["stream", () => all(ask({ stream: true }), parts)];
  yield ["whole", async () => said(parts(await ask()))];
};

const CALLS = { chat, completions, responses, "responses-ws": responses, messages, gemini, ollama: ollama("chat"), "ollama-generate": ollama("generate") };

for (const [root, api] of JSON.parse(process.argv[2])) {
  for (const [what, call] of CALLS[api](root)) {
    const line = { client: "Node", root, api, call: what };
    try {
      line.said = await call();
    } catch (e) { // the rig reports what a client rejects, whatever it is
      line.error = String(e).slice(0, 400);
      console.error(root, api, what, e.stack);
    }
    console.log(JSON.stringify(line));
  }
}
process.exit(0);
