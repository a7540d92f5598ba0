package text

// Writer produces text token by token, without end. After the last passage of
// its language it starts again with the first.
type Writer struct {
	passages []Passage
	next     int
	rest     string
	ended    bool // the last token returned ended a passage
}

// NewWriter returns a writer that starts with the passage of the given
// number. An unknown language is written in English.
func NewWriter(language string, start int) *Writer {
	p := Passages(language)
	if len(p) == 0 {
		p = Passages("en")
	}
	w := &Writer{passages: p, next: start % len(p)}
	w.turn()
	return w
}

// NewWriterOf returns a writer of one text, which must not be "".
func NewWriterOf(body string) *Writer { return &Writer{passages: []Passage{{Body: body}}, rest: body} }

func (w *Writer) turn() {
	w.rest = w.passages[w.next].Body
	w.next = (w.next + 1) % len(w.passages)
}

// Token returns the next token, never "".
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
