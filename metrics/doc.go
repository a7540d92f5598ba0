// Package metrics holds what tokscope knows about a token stream and every
// figure it derives from it. It is pure: no goroutine, no clock, no I/O, and
// it imports nothing else of this project, so that the UI, the headless
// commands and the measuring engine all speak of the same numbers.
//
// The raw material is a Stream: an immutable view of one request with its
// Marks (connection, request sent, first byte, …) and its Chunks, each with
// the moment its last byte arrived. Figures are computed from it by Measure.
//
// Where to add what:
//   - a figure: a field of Figures and its computation in the file of its family
//   - a reading speed: one line in the Paces table (reading.go)
package metrics
