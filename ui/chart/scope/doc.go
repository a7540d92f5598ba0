// Package scope draws a stream as an oscilloscope does: the wait for the first
// chunk and the gap before every chunk on one time axis.
//
// Time 0 is the moment the request was sent. The vertical axis is the gap.
// A chunk is a dot at its arrival, at the height of the gap before it, to half
// a dot in both directions. Chunks that share a column of dots are a line from
// their shortest to their longest gap, broken beside the median. The wait is a
// band of two rows; its height means nothing.
//
// An unknown gap is no dot. A burst, a stall and the gap under way have marks
// of their own, and so does a gap that lies outside the axis.
//
// Draw computes only what is new since the last frame: a column of dots that
// no further chunk can reach is never computed again.
package scope
