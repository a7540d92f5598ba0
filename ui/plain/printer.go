package plain

import (
	"bytes"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// lineMost is the length from which an unfinished line of text is written. A
// reader should not wait for a paragraph.
const lineMost = 76

// printer writes one run.
type printer struct {
	w   io.Writer
	b   Backend
	by  report.Origin
	err error

	state  metrics.State
	chunks int
	kind   metrics.Kind
	dec    sanitize.Decoder
	line   []byte // sanitized text not yet written
	calls  bool   // the parenthesis of a call is open
}

// print writes what is new in s.
func (t *printer) print(s *metrics.Stream) {
	if s.State != t.state {
		t.turn(s)
	}
	for ; t.chunks < len(s.Chunks); t.chunks++ {
		c := s.Chunks[t.chunks]
		if c.Kind != t.kind {
			t.flush()
			t.kind = c.Kind
			t.printf("[%s]\n", strings.ReplaceAll(c.Kind.String(), "_", " "))
		}
		text := s.ChunkText(t.chunks)
		if n := min(int(c.Name), len(text)); n > 0 {
			t.flush()
			t.line = append(t.dec.Append(t.line, text[:n], true), '(')
			text, t.calls = text[n:], true
		}
		t.line = t.dec.Append(t.line, text, false)
		t.lines()
	}
}

// turn writes a change of state. A state that was too short to be seen is not
// made up.
func (t *printer) turn(s *metrics.Stream) {
	t.state = s.State
	switch s.State {
	case metrics.Connecting:
		// Without a model the server chooses, and the choice is not known yet.
		t.printf("[request %d to %s]\n", s.ID,
			format.Join(", ", sanitize.Line(s.Endpoint.Name, 80), s.Endpoint.API, sanitize.Line(s.Endpoint.Model, 80)))
	case metrics.Waiting:
		t.printf("[sent, waiting for the first token]\n")
	case metrics.Decoding:
		if len(s.Chunks) > 0 {
			if d, ok := s.Chunks[0].At.Sub(s.Marks.Sent); ok {
				t.printf("[first token after %s]\n", format.Duration(d))
			}
		}
	}
}

// lines writes the lines that are complete, or too long to wait for their end.
func (t *printer) lines() {
	for {
		if i := bytes.IndexByte(t.line, '\n'); i >= 0 && i <= lineMost {
			t.printf("%s\n", t.line[:i])
			t.line = t.line[i+1:]
			continue
		}
		if len(t.line) <= lineMost {
			return
		}
		i := bytes.LastIndexByte(t.line[:lineMost+1], ' ')
		if i <= 0 {
			// No place to break: wait for one, up to a limit.
			i = bytes.IndexAny(t.line, " \n")
			if i < 0 {
				return
			}
		}
		t.printf("%s\n", t.line[:i])
		t.line = t.line[i+1:]
	}
}

// flush writes the line that has no end, and closes a call.
func (t *printer) flush() {
	t.line = t.dec.Append(t.line, nil, true)
	if t.calls {
		t.line, t.calls = append(t.line, ')'), false
	}
	if t.lines(); len(t.line) > 0 {
		t.printf("%s\n", t.line)
	}
	t.line = t.line[:0]
}

// end writes how the run ended and its figures.
func (t *printer) end(s *metrics.Stream) {
	t.flush()
	t.printf("[%s]\n", say.Outcome(s.State))
	run := metrics.Run{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})}
	for _, r := range t.b.Runs() {
		if r.Stream.ID == s.ID {
			run = r
		}
	}
	form := report.Form{By: t.by, Whole: true}
	t.printf("%s", report.Probe([]metrics.Run{run}, form).Text(0))
}
