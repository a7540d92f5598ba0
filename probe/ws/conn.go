package ws

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// Ask makes r the handshake of a client. It offers no extension.
func Ask(r *http.Request) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	r.Method = http.MethodGet
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Sec-Websocket-Version", "13")
	r.Header.Set("Sec-Websocket-Key", base64.StdEncoding.EncodeToString(nonce[:]))
}

// Agreed checks the answer 101 to a request that Ask has made.
func Agreed(r *http.Request, answer http.Header) error {
	switch {
	case !has(answer, "Upgrade", "websocket") || !has(answer, "Connection", "upgrade"):
		return errors.New("the server changed to another protocol than WebSocket")
	case answer.Get("Sec-Websocket-Accept") != Signature(r.Header.Get("Sec-Websocket-Key")):
		return errors.New("the server did not sign the WebSocket handshake: a cache may have answered")
	case answer.Get("Sec-Websocket-Extensions") != "":
		return errors.New("the server uses an extension of WebSocket that was not offered")
	case answer.Get("Sec-Websocket-Protocol") != "":
		return errors.New("the server uses a subprotocol of WebSocket that was not offered")
	}
	return nil
}

// Signature returns the server's signature of a client's key.
func Signature(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// has reports whether a word stands in the list of a header, in any case.
func has(h http.Header, name, word string) bool {
	return slices.ContainsFunc(h.Values(name), func(list string) bool {
		return slices.ContainsFunc(strings.Split(list, ","), func(item string) bool {
			return strings.EqualFold(strings.TrimSpace(item), word)
		})
	})
}

// Asks reports whether r asks for a WebSocket.
func Asks(r *http.Request) bool {
	return has(r.Header, "Connection", "upgrade") && has(r.Header, "Upgrade", "websocket")
}
