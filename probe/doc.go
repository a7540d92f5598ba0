// Package probe drives endpoints: it turns a target and a workload into a
// request, sends it through go-openai over our own stamped transport, and
// folds what comes back into a Stream that screens and commands may look at
// at any moment.
//
// The path of a byte:
//
//	wire   stamps every read beneath net/http and cuts it into lines
//	sse    joins lines into events (folder goroutine from here on)
//	dialect decodes an event into deltas, usage, server times, errors
//	Stream takes the chunks under its own lock; Snapshot shares them read-only
//
// A reading goroutine only stamps and appends; everything from sse on runs on
// one folding goroutine, so no decoder, recorder or screen can delay a stamp.
//
// Where to add what: a server's quirk goes to probe/dialect, a provider to
// probe/endpoint, a load shape to probe/loadgen, a file format to probe/record.
package probe
