// Package scope draws a stream as an oscilloscope does: what it was doing, and
// below on the same time axis the gap before every chunk.
//
// Time 0 is the moment the request was sent. The phases are a band of their own
// with their names and times, each as long as it was. Nothing of the wait is on
// the vertical axis, which is the gap.
//
// A chunk is a dot at its arrival, at the height of the gap before it, to half
// a dot in both directions. Chunks that share a column of dots are a line from
// their shortest to their longest gap, broken beside the median. An unknown gap
// is no dot. Color is that of a value: of a gap, of how long a phase took.
//
// The axis fits the middle 98 % of the gaps. What lies outside is a mark at the
// edge with its value. A burst and the gap under way have marks of their own.
//
// Draw computes only what is new since the last frame: a column of dots that
// no further chunk can reach is never computed again.
package scope
