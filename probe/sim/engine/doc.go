// Package engine is a serving engine in which only the arithmetic is missing:
// requests arrive, wait, are prefilled in chunks, decode together and leave,
// by the rules of vLLM V1, and every step takes the time that physics says.
//
// The engine has no clock of its own. Next says when something happens next,
// Advance makes it happen. Run drives it in virtual time; the server drives it
// against the wall clock. Both see the same steps.
//
// An Engine is owned by one goroutine. It is deterministic: the same requests
// at the same times with the same seed give the same steps.
//
// Where to add what: a way of batching is a Mode (mode.go) and a planner
// (plan.go).
package engine
