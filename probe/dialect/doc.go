// Package dialect turns server-sent events into what they say: chunks, usage,
// server times, progress, errors. Every OpenAI-compatible server speaks its
// own dialect; all of them go through one Decoder, which decides by what is
// there and never by who is said to have sent it. It has no clock, no network
// and no goroutine; the moments of an event are those of the framer.
//
// An event is decoded in two steps: message.read takes the few keys that
// matter out of the JSON (scan.go, no tree, no reflection), and only when the
// whole document was well-formed does it change the state of the stream. An
// event that is malformed is left out, counted and told.
//
// Where to add what:
//   - an object of server times in a chunk: a line in timeBlocks (times.go);
//     inside usage: usageTimes; in a header: headerTimes (header.go)
//   - a header with a rate limit: a line in limitHeaders (ratelimit.go)
//   - a shape of error: a line and a key in errorOf (errors.go)
//   - a tag that opens reasoning inside content: a line in thinkTags (reasoning.go)
//   - a request field that servers may refuse: a field of Params and a line in
//     refusals (retry.go)
//   - a native protocol that gateways pass through: a file like anthropic.go
//     and its call in event.go
//
// And always: a stream of our own writing in testdata/servers, whose
// expectation `go test -update` writes and a person reads.
package dialect
