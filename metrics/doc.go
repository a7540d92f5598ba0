// Package metrics holds what tokscope knows about a token stream and every
// figure it derives from it. It is pure: no goroutine, no clock, no I/O, and
// it imports nothing else of this project, so that the UI, the headless
// commands and the measuring engine all speak of the same numbers.
//
// The raw material is a Stream: an immutable view of one request with its
// Marks (connection, request sent, first byte, …) and its Chunks, each with
// the moment its last byte arrived. Figures are computed from it by Measure.
//
// Every figure is a Value: known, or unknown with its reason, and never a NaN.
// Measure looks at a whole stream; a Meter follows one that grows at the cost of
// what is new; a Reader follows it as a person would. Summarize describes many
// requests, Met and GoodputOf hold them against objectives, and Definitions says
// in words what each figure is.
//
// Where to add what:
//   - a figure: a field of Figures, its computation in the file of its family
//     (times, tokens, gaps, itl, trend, live, pace, server), its words in
//     definitions.go
//   - a doubt about the figures: suspect.go, its limit in thresholds.go
//   - an objective for --slo: one line in sloFigures (slo.go)
//   - a reading speed: one line in the Paces table (reading.go)
package metrics
