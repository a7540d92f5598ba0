// Package record writes and reads what tokscope leaves on disk and on stdout:
// the append-only session file (docs/session-format.md), the live NDJSON lines
// of `tokscope probe --ndjson`, and the JSON document of a probe.
//
// Every form carries its schema's name and units in its field names. Texts are
// the server's own, escaped by JSON; keys have been taken out before they get
// here.
package record
