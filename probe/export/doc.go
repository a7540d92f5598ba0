// Package export gives the figures of ended requests to the systems that people
// run: a page for Prometheus, and messages for an OpenTelemetry collector.
//
//   - Exporter: takes ended requests and verdicts, and extras the rest.
//   - instruments: what is exported, under which names.
//   - table: the sums, one point for each instrument and set of labels.
//   - page: the text that Prometheus scrapes, served over HTTP.
//   - sender: OTLP over HTTP, with one goroutine of its own.
//
// Nothing here waits for a stream, and no stream waits for it: a request is
// added to sums in memory after its end. The memory is bounded by the number of
// points, whatever happens to a collector. No prompt, answer or key is exported.
package export
