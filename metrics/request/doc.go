// Package request lists the ended requests of a load or a probe one by one,
// within bounds. It has no goroutine, no clock and no lock.
//
//   - Row: the figures of one request.
//   - Packed: a stream in about a quarter of its memory; it unpacks as it was.
//   - Log: the rows of the last Figures requests, and the streams of the Slowest
//     slowest and of the Last last ones. keep.go has the rule.
//   - View: what a Log holds at one moment, for screens and reports.
//   - Filter: a line of terms, as a person types it, with an order.
package request
