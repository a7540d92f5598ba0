package program

import (
	"bytes"
	"strings"
)

// Bounds of what a program's stderr leaves: the kept bytes are looked through for keys,
// the last shownTail of them are printed.
const (
	keptTail  = 64 << 10
	shownTail = 400
)

// Tail keeps the end of what is written.
type Tail struct {
	b   []byte
	cut bool // something before b was written
}

func (t *Tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if more := len(t.b) - keptTail; more > 0 {
		t.b, t.cut = append(t.b[:0], t.b[more:]...), true
	}
	return len(p), nil
}

// Text returns the end of what was written, without keys. A word whose beginning is
// not kept is left out: it may be the rest of a key.
func (t *Tail) Text(redact func(string) string) string {
	b := t.b
	if t.cut {
		n := bytes.IndexAny(b, " \t\r\n")
		if n < 0 {
			n = len(b)
		}
		b = b[n:]
	}
	text := strings.TrimSpace(redact(string(b)))
	if from := len(text) - shownTail; from > 0 {
		text = strings.ToValidUTF8(text[from:], "")
	}
	return text
}
