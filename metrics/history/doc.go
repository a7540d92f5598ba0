// Package history holds what a machine has measured as data: requests and
// points of a load over weeks, the series that they belong to, slots of time,
// baselines and changes. It has no goroutine, no clock, no file and no words.
//
//   - Entry: the figures of one request, or of one point of a load.
//   - Series: what must be equal for entries to be compared.
//   - Slot: the entries of a series in one span of time, as quantiles.
//   - View: the answer to a Query, for screens and reports.
//   - Filter: a line of words and terms, as a person types it.
//
// It never holds a prompt, an answer or a key.
package history
