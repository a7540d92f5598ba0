// The official OpenAI client for Node against the embedded endpoint.
//
//   npm install && node check.mjs http://127.0.0.1:PORT/v1
//
// where the address is the one that `tokscope serve` prints. It leaves with 1
// when anything is not as it should be.
import assert from "node:assert/strict";
import OpenAI from "openai";

const baseURL = process.argv[2] ?? process.env.OPENAI_BASE_URL;
if (!baseURL) {
  console.error("usage: node check.mjs http://127.0.0.1:PORT/v1");
  process.exit(2);
}
const client = new OpenAI({ baseURL, apiKey: "unused", maxRetries: 0 });
const messages = [{ role: "user", content: "How does a server answer?" }];

const models = await client.models.list();
const model = models.data[0].id;
console.log(`models        ${models.data.length}, the first is ${model}`);

const began = performance.now();
const stream = await client.chat.completions.create({
  model, messages, max_tokens: 40, stream: true, stream_options: { include_usage: true },
});
let first = 0, chunks = 0, text = "", usage, finish;
for await (const part of stream) {
  const choice = part.choices[0];
  if (choice?.delta?.content) {
    first ||= performance.now() - began;
    chunks++;
    text += choice.delta.content;
  }
  finish = choice?.finish_reason ?? finish;
  usage = part.usage ?? usage;
}
assert.equal(chunks, 40);
assert.equal(finish, "length");
assert.equal(usage.completion_tokens, 40);
console.log(`stream        ${chunks} chunks, first after ${first.toFixed(0)} ms, usage ${JSON.stringify(usage)}`);
console.log(`              ${JSON.stringify(text)}`);

const whole = await client.chat.completions.create({ model, messages, max_tokens: 12 });
assert.equal(whole.choices[0].finish_reason, "length");
assert.ok(text.startsWith(whole.choices[0].message.content));
console.log(`whole         ${JSON.stringify(whole.choices[0].message.content)}`);

const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } } }];
const runner = client.chat.completions.stream({ model, messages, tools, tool_choice: "required" });
const call = (await runner.finalChatCompletion()).choices[0].message.tool_calls[0];
assert.equal(call.function.name, "weather");
assert.equal(JSON.parse(call.function.arguments).city, "");
console.log(`tool call     ${call.function.name}(${call.function.arguments})`);

const old = await client.completions.create({ model, prompt: "Once", max_tokens: 8 });
assert.equal(old.usage.completion_tokens, 8);
console.log(`completions   ${JSON.stringify(old.choices[0].text)}`);

const refused = async (scenario, kind) => {
  try {
    await client.chat.completions.create({ model, messages }, { headers: { "X-Sim-Scenario": scenario } });
  } catch (err) {
    assert.ok(err instanceof kind, `${scenario}: ${err.constructor.name} instead of ${kind.name}`);
    console.log(`${scenario.padEnd(13)} ${err.constructor.name} ${err.status} ${err.type ?? ""} retry-after ${err.headers?.get("retry-after") ?? "-"}`);
    return;
  }
  assert.fail(`${scenario}: nothing was thrown`);
};
await refused("rate-limit", OpenAI.RateLimitError);
await refused("bad-key", OpenAI.AuthenticationError);
await refused("server-error", OpenAI.InternalServerError);

try {
  const broken = await client.chat.completions.create({ model, messages, stream: true }, { headers: { "X-Sim-Scenario": "error-in-stream" } });
  for await (const _ of broken);
  assert.fail("the error inside the stream was not thrown");
} catch (err) {
  assert.ok(err instanceof OpenAI.APIError, err);
  console.log(`in the stream ${err.constructor.name} ${err.message}`);
}
try {
  await client.chat.completions.create({ model: "nobody@nowhere", messages });
  assert.fail("an unknown model was served");
} catch (err) {
  assert.ok(err instanceof OpenAI.NotFoundError, err);
  console.log(`unknown model ${err.constructor.name} ${err.status} ${err.code}`);
}
console.log("all as it should be");
