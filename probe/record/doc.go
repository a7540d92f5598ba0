// Package record writes and reads tokscope's formats on disk and on stdout.
// These are the append-only session file (docs/session-format.md), the live
// NDJSON lines of `tokscope probe --ndjson`, and the JSON document of a
// probe.
//
// Every format names its schema, and units in its field names. Texts are the
// server's own, escaped by JSON; keys are removed before they reach this
// package.
//
// Session file and live lines write on a goroutine of their own (backlog), so
// no caller waits for a disk or a pipe. They report what they dropped for
// lack of room (journal). A new type of line needs changes in session.go,
// read.go and the schemas of schema_test.go.
package record
