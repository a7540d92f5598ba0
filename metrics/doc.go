// Package metrics holds the record of a token stream and every figure derived
// from it. It is pure: no goroutine, no clock, no I/O. It imports nothing
// else of this project, so the UI, the headless commands and the measuring
// engine share the same numbers.
//
// The raw material is a Stream: an immutable view of one request with its
// Marks and its Chunks. Marks are moments such as connection, request sent
// and first byte; each chunk has the moment its last byte arrived. Measure
// computes the figures.
//
// Every figure is a Value: known, or unknown with its reason, and never a
// NaN. Measure looks at a whole stream. A Meter follows a growing stream at
// the cost of its new chunks. A Reader follows it at a person's reading
// speed. Summarize describes many requests.
//
// Where to add what:
//   - a figure: a field of Figures, its computation in the file of its family
//     (times, tokens, gaps, itl, trend, live, pace, server), its row in
//     metrics/figure, its words in ui/say/definitions.go
//   - a doubt about the figures: suspect.go, its limit in thresholds.go
//   - what unknown gaps and late reads do to figures: missing.go, delay.go
//   - a reading speed: one line in the Paces table (reading.go)
package metrics
