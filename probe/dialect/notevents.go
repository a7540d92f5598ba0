package dialect

import (
	"bytes"
	"encoding/json"
)

// NotEvents says what the body of a 2xx is that does not begin as a stream of events,
// and what to do next; ok is false for one of no known form. body may be the start of
// it.
func NotEvents(body []byte) (message, next string, ok bool) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	line, more, _ := bytes.Cut(body, []byte("\n"))
	switch {
	case len(body) == 0:
		return "", "", false
	case body[0] == '<':
		return "the server answered with a web page instead of a stream", "check the base URL: most end in /v1", true
	case body[0] == '{' && json.Valid(line) && bytes.HasPrefix(bytes.TrimSpace(more), []byte("{")):
		return "the server answered with lines of JSON (NDJSON) instead of a stream of events",
			"use the address of an OpenAI-compatible API, which sends server-sent events", true
	case body[0] == '{' || body[0] == '[':
		return "the server answered with JSON instead of a stream",
			"it may not support streaming; its answer says more", true
	}
	return "", "", false
}
