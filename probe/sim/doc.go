// Package sim is the embedded endpoint. It is a real HTTP server that speaks
// vLLM's OpenAI dialect, and the APIs of Anthropic, Google and Ollama, and answers
// with the timing of a real serving engine on named hardware. Of tokscope it knows
// metrics, access and ws, and nothing that measures.
//
//	physics  how long one engine step takes, and why
//	engine   which requests are in the step: queue, batch, KV cache
//	text     the generated text, and how tokens are counted
//	sim      the wall clock and HTTP around them (this package)
//
// One engine (steered.go) can be steered and watched while it serves.
//
// Where to add what:
//   - a ready-made demo: one line in the presets table (presets.go)
//   - hardware, models, precisions, stacks: the tables in package physics
package sim
