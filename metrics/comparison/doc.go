// Package comparison says what changed between two complete samples of a
// history: before and after, baseline and now, one result and another. It has
// no goroutine, no clock and no words.
//
// It uses tests of a fixed size (metrics/stats): whoever looks again and again
// while a sample grows needs a race or a watch instead.
package comparison
