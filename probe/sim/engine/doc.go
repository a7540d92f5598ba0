// Package engine is a serving engine that computes times instead of tokens.
// Requests arrive, wait, are prefilled in chunks, decode together and leave,
// by the rules of vLLM V1. Every step takes the time that package physics
// computes.
//
// The engine has no clock of its own. Next says when something happens next,
// Advance makes it happen. Player drives it in virtual time; the server drives
// it against the wall clock. Both see the same steps.
//
// An Engine is owned by one goroutine. It is deterministic: the same requests
// at the same times with the same seed produce the same steps.
//
// Where to add what: a batching mode is a Mode (mode.go) and a planner
// (plan.go).
package engine
