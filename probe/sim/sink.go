package sim

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"time"
)

// sink writes a stream's bytes to the client, directly or changed by a
// scenario.
type sink struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	gz    *gzip.Writer
	crlf  bool
	piece int    // piece size of a buffering proxy in bytes; 0 for none
	held  []byte // buffered so far
	until time.Time
}

func newSink(w http.ResponseWriter, rc *http.ResponseController, sc *Scenario, crlf bool) *sink {
	_, socket := w.(*frames) // has frames, whatever a proxy does with lines
	k := &sink{w: w, rc: rc, crlf: (sc.crlf || crlf) && !socket, piece: sc.buffer}
	if sc.gzip && !socket {
		k.gz = gzip.NewWriter(w)
		w.Header().Set("Content-Encoding", "gzip")
	}
	return k
}

// send writes b, with one write call unless the scenario compresses or
// buffers.
func (k *sink) send(b []byte) error {
	if now := time.Now(); now.After(k.until) {
		k.until = now.Add(writeTimeout / 4)
		_ = k.rc.SetWriteDeadline(now.Add(writeTimeout)) // not every writer supports deadlines
	}
	if k.crlf {
		b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	}
	if k.piece > 0 {
		k.held = append(k.held, b...)
		for len(k.held) >= k.piece {
			if err := k.pass(k.held[:k.piece]); err != nil {
				return err
			}
			k.held = append(k.held[:0], k.held[k.piece:]...)
		}
		return nil
	}
	return k.pass(b)
}

func (k *sink) pass(b []byte) (err error) {
	switch {
	case len(b) == 0:
	case k.gz != nil:
		if _, err = k.gz.Write(b); err == nil {
			err = k.gz.Flush()
		}
	default:
		_, err = k.w.Write(b)
	}
	if err != nil {
		return err
	}
	return k.rc.Flush()
}

// close writes the buffered bytes.
func (k *sink) close() error {
	if err := k.pass(k.held); err != nil {
		return err
	}
	if k.gz != nil {
		return k.gz.Close()
	}
	return nil
}
