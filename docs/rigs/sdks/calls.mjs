// Calls every official Node client against `tokscope serve` and prints a JSON line a call. run.py starts it:
// calls.mjs ROOT KEY, ROOT being the address without a version.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

const [ROOT, KEY] = process.argv.slice(2);
const PLAIN = "llama-3.1-8b@h100", THINKER = "qwen3-8b@h100", PROMPT = "How does a server answer?", MOST = 60;
const SCHEMA = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city", "days"], additionalProperties: false };
const scenario = (name) => ({ headers: { "X-Sim-Scenario": name } });

function check(ok, what) {
  if (!ok) throw new Error(JSON.stringify(what ?? "wrong").slice(0, 300));
}

const harmless = (args) => check(args.city === "" && args.days === 0, args);
const fields = (text) => check(Object.keys(JSON.parse(text)).sort().join() === "city,days", text);

async function collect(stream, of) {
  let all = "";
  for await (const x of await stream) all += of(x) ?? "";
  return all;
}

async function fails(call, status) {
  try {
    await call();
  } catch (e) {
    check(status === undefined || e.status === status, `status ${e.status}: ${e}`);
    return;
  }
  throw new Error("no error");
}

function* openaiCalls() {
  const client = (key = KEY) => new OpenAI({ baseURL: ROOT + "/v1", apiKey: key, maxRetries: 0 });
  const c = client(), say = [{ role: "user", content: PROMPT }];
  const tools = [{ type: "function", function: { name: "trip", parameters: SCHEMA } }];
  const flat = [{ type: "function", name: "trip", parameters: SCHEMA, strict: true }];
  const chat = (o = {}, with_) => c.chat.completions.create({ model: PLAIN, messages: say, max_tokens: MOST, ...o }, with_);
  const ask = (o = {}, with_) => c.responses.create({ model: PLAIN, input: PROMPT, max_output_tokens: MOST, ...o }, with_);
  const helped = (o = {}) => c.responses.stream({ model: PLAIN, input: PROMPT, ...o }).finalResponse();
  yield ["chat: text", async () => (await chat()).choices[0].message.content];
  yield ["chat: stream", () => collect(chat({ stream: true }), (x) => x.choices[0]?.delta.content)];
  yield ["chat: tool", async () => harmless(JSON.parse((await chat({ tools, tool_choice: "required", max_tokens: 300 })).choices[0].message.tool_calls[0].function.arguments))];
  yield ["chat: thinking", async () => check((await chat({ model: THINKER })).choices[0].message.reasoning_content)];
  yield ["completions: text", async () => check((await c.completions.create({ model: PLAIN, prompt: PROMPT })).choices[0].text)];
  yield ["completions: stream", async () => check(await collect(c.completions.create({ model: PLAIN, prompt: PROMPT, stream: true }), (x) => x.choices[0]?.text))];
  yield ["responses: text", async () => (await ask()).output_text];
  yield ["responses: stream", () => collect(ask({ stream: true }), (e) => (e.type === "response.output_text.delta" ? e.delta : ""))];
  yield ["responses: stream helper", async () => (await helped({ max_output_tokens: MOST })).output_text];
  yield ["responses: thinking", async () => check((await helped({ model: THINKER })).output.map((i) => i.type).join() === "reasoning,message")];
  yield ["responses: tool and its result", async () => {
    const call = (await helped({ tools: flat, tool_choice: "required" })).output.at(-1);
    harmless(JSON.parse(call.arguments));
    const { parsed_arguments, ...plain } = call;
    check((await ask({ input: [...say, plain, { type: "function_call_output", call_id: call.call_id, output: "sun" }], tools: flat })).output_text);
  }];
  yield ["responses: document", async () => fields((await ask({ text: { format: { type: "json_schema", name: "t", schema: SCHEMA, strict: true } }, max_output_tokens: 4000 })).output_text)];
  yield ["responses: count", async () => check((await c.responses.inputTokens.count({ model: PLAIN, input: PROMPT })).input_tokens === (await ask()).usage.input_tokens)];
  yield ["responses: limit", async () => check((await ask()).incomplete_details.reason === "max_output_tokens")];
  yield ["responses: two turns on one socket", async () => {
    const { ResponsesWS } = await import("openai/resources/responses/ws");
    const socket = new ResponsesWS(c), texts = [];
    try {
      for (let turn = 0; turn < 2; turn++) {
        texts.push(await new Promise((done, fail) => {
          let text = "";
          const heard = (e) => {
            if (e.type === "response.output_text.delta") text += e.delta;
            if (e.type === "response.incomplete" || e.type === "response.completed") {
              socket.off("event", heard);
              done(text);
            }
          };
          socket.on("event", heard);
          socket.on("error", fail);
          socket.send({ type: "response.create", model: PLAIN, input: PROMPT, max_output_tokens: MOST });
        }));
      }
    } finally {
      socket.close();
    }
    check(texts[0] === texts[1], texts);
    return texts[0];
  }];
  yield ["models", async () => check((await c.models.list()).data.some((m) => m.id === PLAIN) && (await c.models.retrieve(PLAIN)).id === PLAIN)];
  yield ["error 401", () => fails(() => client("wrong").responses.create({ model: PLAIN, input: PROMPT }), 401)];
  yield ["error 404", () => fails(() => ask({ model: "nobody" }), 404)];
  yield ["error 429", () => fails(() => ask({}, scenario("rate-limit")), 429)];
  yield ["error 503", () => fails(() => ask({}, scenario("overloaded")), 503)];
  yield ["error inside chat", () => fails(() => collect(chat({ stream: true }, scenario("error-in-stream")), () => ""))];
  yield ["error inside responses", () => fails(() => collect(ask({ stream: true }, scenario("error-in-stream")), () => ""))];
}

function* anthropicCalls() {
  const client = (key = KEY) => new Anthropic({ baseURL: ROOT, apiKey: key, maxRetries: 0 });
  const c = client(), say = [{ role: "user", content: PROMPT }];
  const tools = [{ name: "trip", input_schema: SCHEMA }];
  const ask = (o = {}, with_) => c.messages.create({ model: PLAIN, messages: say, max_tokens: MOST, ...o }, with_);
  const helped = (o = {}) => c.messages.stream({ model: PLAIN, messages: say, max_tokens: MOST, ...o }).finalMessage();
  const text = (m) => m.content.filter((b) => b.type === "text").map((b) => b.text).join("");
  yield ["text", async () => text(await ask())];
  yield ["stream", () => collect(ask({ stream: true }), (e) => (e.type === "content_block_delta" ? e.delta.text : ""))];
  yield ["stream helper", async () => text(await helped())];
  yield ["thinking", async () => check((await helped({ model: THINKER, max_tokens: 5000, thinking: { type: "adaptive" } })).content.map((b) => b.type).join() === "thinking,text")];
  yield ["limit", async () => {
    const m = await helped();
    check(m.stop_reason === "max_tokens" && m.usage.output_tokens === MOST, m);
  }];
  yield ["tool and its result", async () => {
    const first = await helped({ tools, tool_choice: { type: "any" }, max_tokens: 500 });
    harmless(first.content.at(-1).input);
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: first.content.at(-1).id, content: "sun" }] };
    check(text(await ask({ messages: [...say, { role: "assistant", content: first.content }, result], tools })));
  }];
  yield ["document", async () => fields(text(await ask({ max_tokens: 4000, output_config: { format: { type: "json_schema", schema: SCHEMA } } })))];
  yield ["count", async () => {
    const { usage } = await ask();
    check((await c.messages.countTokens({ model: PLAIN, messages: say })).input_tokens === usage.input_tokens + usage.cache_read_input_tokens, usage);
  }];
  yield ["models", async () => check((await c.models.list({ limit: 5 })).data.some((m) => m.id === PLAIN) && (await c.models.retrieve(PLAIN)).id === PLAIN)];
  yield ["error 401", () => fails(() => client("wrong").messages.create({ model: PLAIN, messages: say, max_tokens: 5 }), 401)];
  yield ["error 404", () => fails(() => ask({ model: "nobody" }), 404)];
  yield ["error 429", () => fails(() => ask({}, scenario("rate-limit")), 429)];
  yield ["error 529", () => fails(() => ask({}, scenario("overloaded")), 529)];
  yield ["error inside", () => fails(() => collect(ask({ stream: true }, scenario("error-in-stream")), () => ""))];
}

function* genaiCalls() {
  const client = (key = KEY, headers = {}) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: ROOT, headers } });
  const c = client();
  const ask = (config = {}, o = {}, of = c) => of.models.generateContent({ model: PLAIN, contents: PROMPT, config: { maxOutputTokens: MOST, ...config }, ...o });
  const stream = (config = {}, o = {}, of = c) => of.models.generateContentStream({ model: PLAIN, contents: PROMPT, config: { maxOutputTokens: MOST, ...config }, ...o });
  const parameters = { type: "OBJECT", properties: { city: { type: "STRING" }, days: { type: "INTEGER" } }, required: ["city", "days"] };
  const tools = [{ functionDeclarations: [{ name: "trip", parameters }] }];
  yield ["text", async () => (await ask()).text];
  yield ["stream", () => collect(stream(), (x) => x.text)];
  yield ["thinking", async () => {
    let thoughts = 0;
    for await (const x of await stream({ maxOutputTokens: 300, thinkingConfig: { includeThoughts: true } }, { model: THINKER })) {
      thoughts += (x.candidates[0].content.parts ?? []).filter((p) => p.thought).length;
    }
    check(thoughts > 10, thoughts);
  }];
  yield ["limit", async () => {
    const a = await ask();
    check(a.candidates[0].finishReason === "MAX_TOKENS" && a.usageMetadata.candidatesTokenCount === MOST, a);
  }];
  yield ["tool and its result", async () => {
    const first = await ask({ tools, toolConfig: { functionCallingConfig: { mode: "ANY" } } });
    harmless(first.functionCalls[0].args);
    const result = { role: "user", parts: [{ functionResponse: { name: "trip", response: { weather: "sun" } } }] };
    check((await ask({ tools }, { contents: [{ role: "user", parts: [{ text: PROMPT }] }, first.candidates[0].content, result] })).text);
  }];
  yield ["document", async () => fields((await ask({ maxOutputTokens: 4000, responseMimeType: "application/json", responseSchema: parameters })).text)];
  yield ["count", async () => check((await c.models.countTokens({ model: PLAIN, contents: PROMPT })).totalTokens === (await ask()).usageMetadata.promptTokenCount)];
  yield ["models", async () => {
    const names = [];
    for await (const m of await c.models.list()) names.push(m.name);
    check(names.includes("models/" + PLAIN) && (await c.models.get({ model: PLAIN })).name === "models/" + PLAIN, names);
  }];
  yield ["error 401", () => fails(() => ask({}, {}, client("wrong")), 401)];
  yield ["error 404", () => fails(() => ask({}, { model: "nobody" }), 404)];
  yield ["error 429", () => fails(() => ask({}, {}, client(KEY, scenario("rate-limit").headers)), 429)];
  yield ["error 503", () => fails(() => ask({}, {}, client(KEY, scenario("overloaded").headers)), 503)];
  yield ["error inside", () => fails(() => stream({}, {}, client(KEY, scenario("error-in-stream").headers)).then((s) => collect(s, () => "")))];
}

for (const [name, calls] of [["openai", openaiCalls], ["anthropic", anthropicCalls], ["google-genai", genaiCalls]]) {
  for (const [what, call] of calls()) {
    const line = { client: name + " Node", call: what };
    try {
      const text = await call();
      if (typeof text === "string") line.text = text;
    } catch (e) { // the rig reports what a client rejects, whatever it is
      line.error = String(e).slice(0, 400);
      console.error(what, e.stack);
    }
    console.log(JSON.stringify(line));
  }
}
process.exit(0);
