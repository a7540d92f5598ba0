// Package validation compares the model with published measurements. Its rows
// are facts with their sources. Its test replays them in virtual time, prints
// published against simulated, and fails beyond the promised error.
//
// rows_test.go holds the rows that the model was first built with,
// developed_test.go new ones, prompts_test.go more of prompts, and
// features_test.go those of expert parallelism, pipelines, drafts, caches in 8
// bits, windows and linear attention. The sealed files hold those that no change
// of the model may be made for; splitRule chose them before any was replayed.
// limits_test.go has the limits that TensorRT-LLM's benchmark chooses. A row that
// a constant was derived from is replayed and not counted.
package validation
