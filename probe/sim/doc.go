// Package sim is the embedded endpoint: a real HTTP server that speaks the
// OpenAI dialect as vLLM does and takes the time that a real serving engine
// would take on named hardware. It knows nothing of the rest of tokscope.
//
//	physics  how long one engine step takes, and why
//	engine   who is in the step: queue, batch, KV cache
//	text     what is written, and how tokens are counted
//	sim      the wall clock and HTTP around them (this package)
//
// One engine, the lab (lab.go), can be steered and watched while it serves.
//
// Where to add what:
//   - a ready-made demo: one line in the presets table (presets.go)
//   - hardware, models, precisions, stacks: the tables in package physics
package sim
