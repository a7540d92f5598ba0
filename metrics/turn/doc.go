// Package turn holds what an agent does through the tap: its requests, in conversations,
// with the time of each divided into what took it. It is pure: no I/O, no clock, no
// goroutine, no sentence.
//
// The tap makes a Request of each head and body (dialect.Read), and a Turn of each
// request that is one, with the record of its answer. A Session takes them in any order,
// again whenever one has changed, and View returns everything that is shown.
//
// Where to add what:
//   - what a request says: Request, and its reader in probe/dialect
//   - a part of the time: an Activity and its place in spans (span.go)
//   - what makes a conversation: conversation.go
//   - a figure of the session: Totals
package turn
