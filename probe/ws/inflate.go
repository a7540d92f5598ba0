package ws

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"net/http"
	"strings"
)

// windowBytes is the window of DEFLATE.
const windowBytes = 32 << 10

// flushed is what a sender cuts from the end of a message (RFC 7692), and an empty last
// block, for flate's reader.
var flushed = []byte{0x00, 0x00, 0xff, 0xff, 0x01, 0x00, 0x00, 0xff, 0xff}

// Inflater reads the messages of permessage-deflate, in order. The zero value keeps the
// window from message to message.
type Inflater struct {
	// NoContext: each message begins with an empty window ("no_context_takeover" of the
	// sender).
	NoContext bool

	source bytes.Reader
	flate  io.ReadCloser
	out    bytes.Buffer
	window []byte
}

// Inflaters returns readers for the compression that the answer h to a handshake agrees to,
// nil without one.
func Inflaters(h http.Header) (client, server *Inflater) {
	for _, list := range h.Values("Sec-Websocket-Extensions") {
		if strings.Contains(list, "permessage-deflate") {
			return &Inflater{NoContext: strings.Contains(list, "client_no_context_takeover")},
				&Inflater{NoContext: strings.Contains(list, "server_no_context_takeover")}
		}
	}
	return nil, nil
}

// message inflates a message to at most limit bytes. They are valid until the next call.
func (f *Inflater) message(p []byte, limit int) ([]byte, *Error) {
	if f.out.Cap() > keptBytes {
		f.out = bytes.Buffer{}
	}
	f.out.Reset()
	f.source.Reset(append(bytes.Clone(p), flushed...))
	for f.source.Len() > 0 { // a block that calls itself the last may have others behind it
		f.reset()
		before := f.out.Len()
		_, err := f.out.ReadFrom(io.LimitReader(f.flate, int64(limit-before)+1))
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return nil, &Error{CloseUTF8, "a compressed message cannot be read: " + err.Error()}
		case f.out.Len() > limit:
			return nil, &Error{CloseTooBig, "a compressed message is too long"}
		}
		f.keep(f.out.Bytes()[before:])
	}
	if f.NoContext {
		f.window = f.window[:0]
	}
	return f.out.Bytes(), nil
}

func (f *Inflater) reset() {
	if f.flate == nil {
		f.flate = flate.NewReaderDict(&f.source, f.window)
		return
	}
	_ = f.flate.(flate.Resetter).Reset(&f.source, f.window) // never fails
}

// keep adds what was read to the window.
func (f *Inflater) keep(read []byte) {
	f.window = append(f.window, read[max(0, len(read)-windowBytes):]...)
	if over := len(f.window) - windowBytes; over > 0 {
		f.window = f.window[:copy(f.window, f.window[over:])]
	}
}
