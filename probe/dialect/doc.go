// Package dialect decodes server-sent events into chunks, usage, server
// times, progress and errors. Every OpenAI-compatible server speaks its own
// dialect. One Decoder handles all of them: it decides by the content, never
// by the server's name. It has no clock, no network and no goroutine. Events
// keep the framer's stamps.
//
// An event is decoded in two steps. message.read extracts the few keys that
// matter from the JSON (scan.go, no tree, no reflection). Only a well-formed
// document then changes the state of the stream. A malformed event is
// dropped, counted and reported.
//
// Where to add what:
//   - an object of server times in a chunk: a line in timeBlocks (times.go);
//     inside usage: usageTimes; in a header: headerTimes (header.go)
//   - a header with a rate limit: a line in limitHeaders (ratelimit.go)
//   - a shape of error: a line and a key in errorOf (errors.go)
//   - a tag that opens reasoning inside content: a line in thinkTags (reasoning.go)
//   - a request field that servers may refuse: a field of Params and a line in
//     refusals (retry.go)
//   - an API: a file like messages.go and a word in apis (api.go)
//
// Always add a stream written for this project to testdata/servers. `go test
// -update` writes its expectation; check it by reading.
package dialect
