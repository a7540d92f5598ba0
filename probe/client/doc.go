// Package client drives endpoints. It turns a target and a workload into a
// request and sends it through go-openai over the stamped transport. It
// ingests the response into a Stream that screens and commands may read at
// any moment.
//
// The path of a byte:
//
//	transport stamps every read beneath net/http and cuts it into lines
//	sse       joins lines into events (ingest goroutine from here on)
//	dialect   decodes an event into deltas, usage, server times, errors
//	Stream    adds the chunks under its own lock; Snapshot shares them read-only
//	sinks     receive the happenings after the lock is released
//
// Marks before the first event do not take that path: the transport pushes each
// change of them to the stream's attempt, which never waits.
//
// A reading goroutine only stamps and appends. Everything from sse on runs on
// one ingest goroutine, so no decoder, recorder or screen can delay a stamp.
package client
