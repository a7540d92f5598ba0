package text

// Writer gives text token by token. It never ends by itself: after the last
// passage of its language it begins again with the first.
type Writer struct {
	passages []Passage
	next     int
	rest     string
	ended    bool // the last token returned ended a passage
}

// NewWriter begins with the passage of the given number and goes on with those
// after it. An unknown language is written in English.
func NewWriter(language string, start int) *Writer {
	p := Passages(language)
	if len(p) == 0 {
		p = Passages("en")
	}
	return NewWriterOf(p, start)
}

// NewWriterOf writes the passages p, of which there is at least one.
func NewWriterOf(p []Passage, start int) *Writer {
	w := &Writer{passages: p}
	w.next = start % len(p)
	w.turn()
	return w
}

func (w *Writer) turn() {
	w.rest = w.passages[w.next].Body
	w.next = (w.next + 1) % len(w.passages)
}

// Token is the next token, never empty.
func (w *Writer) Token() string {
	w.ended = false
	if w.rest == "" {
		w.turn()
		w.rest = "\n\n" + w.rest
	}
	t := Next(w.rest)
	w.rest = w.rest[len(t):]
	w.ended = w.rest == ""
	return t
}

// AtEnd reports whether the last token ended a passage: a good place to stop.
func (w *Writer) AtEnd() bool { return w.ended }
