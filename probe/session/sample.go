package session

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// MaxResult bounds the size of a result that is read as a whole, unpacked.
const MaxResult = 1 << 30

// notResult is the next step for a file of another kind.
const notResult = "give the output of `tokscope probe --json` or " +
	"--ndjson, of `tokscope sweep --json` or --request-lines, or a session file"

// ReadSample reads a saved result for a comparison: the document or the lines of a
// probe, a session file, the document of a sweep, or its lines of requests; also
// packed with gzip. source is its name. The error names what is wrong and the next
// step.
func ReadSample(r io.Reader, source string) (*comparison.Sample, error) {
	br, err := Unpacked(r)
	if err != nil {
		return nil, fmt.Errorf("%s is not readable as gzip: %w", source, err)
	}
	limited := &io.LimitedReader{R: br, N: MaxResult + 1}
	in := bufio.NewReaderSize(limited, headBytes)
	head, err := in.Peek(headBytes)
	if len(bytes.TrimSpace(head)) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s cannot be read: %w", source, err)
		}
		return nil, fmt.Errorf("%s is empty: %s", source, notResult)
	}
	b := &sampling{Sample: comparison.Sample{Source: source}}
	switch schema := SchemaOf(in); schema {
	case result.ResultSchema:
		err = b.document(in)
	case LiveSchema:
		err = b.lines(in)
	case SessionSchema:
		err = b.session(in)
	case result.SweepSchema:
		err = b.sweep(in)
	case RequestLinesSchema:
		err = b.requestLines(in)
	case result.RaceSchema, result.RaceLinesSchema:
		return nil, fmt.Errorf("%s is the result of a race, which has compared its lanes already: see its verdict", source)
	case "":
		rec, ok, ferr := Foreign(in)
		if ferr != nil {
			return nil, fmt.Errorf("%s %w", source, ferr)
		}
		if !ok {
			return nil, fmt.Errorf("%s is not a result of tokscope: %s; or a file of %s", source, notResult, Openable())
		}
		b.Kind, b.Foreign = comparison.KindForeign, rec.Foreign
		err = b.recorded(rec)
	default:
		return nil, fmt.Errorf("%s has the format %q, which holds no requests to compare: %s",
			source, metrics.Head(schema, mostMessage), notResult)
	}
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("%s is larger than %d GiB: compare a part of it", source, MaxResult>>30)
	case err != nil:
		return nil, fmt.Errorf("%s is damaged: %w; save the result again, or remove what is broken", source, err)
	}
	if b.N() == 0 {
		return nil, fmt.Errorf("%s holds no ended request: nothing to compare", source)
	}
	return &b.Sample, nil
}

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 64 << 10

// Unpacked returns the text of r (see files.Text), unpacked where gzip has packed it.
// What was cut off ends with io.EOF, as a plain file ends.
func Unpacked(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReaderSize(files.Text(r), headBytes)
	if head, _ := br.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return br, nil
	}
	z, err := gzip.NewReader(br)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(files.Text(&torn{z}), headBytes), nil
}

// torn ends a compressed file that was cut with io.EOF.
type torn struct{ r io.Reader }

func (t *torn) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// sampling collects the requests of a source by their setups.
type sampling struct{ comparison.Sample }

// document reads the document of a probe, one request after the other.
func (b *sampling) document(r io.Reader) error {
	b.Kind = comparison.KindProbe
	p := partsOf(r)
	err := p.fields(func(name string) error {
		switch name {
		case "tool":
			var tool result.Tool
			err := p.next(&tool)
			b.Versions = pick.Once(b.Versions, tool.Version)
			return err
		case "requests":
			return p.list(func() error {
				var q result.Request
				if err := p.next(&q); err != nil {
					return err
				}
				return b.request(&q, 0)
			})
		}
		return p.next(new(json.RawMessage))
	})
	if err != nil {
		return err
	}
	return p.end()
}

// mostPart bounds a part of a document that is read as a whole, in bytes: a request, or
// the document of a sweep.
const mostPart = 32 << 20

// parts reads a JSON document part by part: a file may be larger than the memory.
type parts struct {
	r    io.Reader
	read int64 // from r
	dec  *json.Decoder
}

func partsOf(r io.Reader) *parts {
	p := &parts{r: r}
	p.dec = json.NewDecoder(p)
	return p
}

// Read implements io.Reader for the decoder.
func (p *parts) Read(b []byte) (int, error) {
	if p.read-p.dec.InputOffset() > mostPart {
		return 0, fmt.Errorf("a part of it is longer than %d MiB", mostPart>>20)
	}
	n, err := p.r.Read(b)
	p.read += int64(n)
	return n, err
}

// next reads the next value.
func (p *parts) next(v any) error {
	var raw json.RawMessage
	if err := p.dec.Decode(&raw); err != nil {
		return named(err)
	}
	return result.Unmarshal(raw, v)
}

// numbers reads the next value into v, which gets numbers as they are written.
func (p *parts) numbers(v any) error {
	p.dec.UseNumber()
	return named(p.dec.Decode(v))
}

// delimiter reads a bracket or a brace.
func (p *parts) delimiter(want json.Delim) error {
	switch t, err := p.dec.Token(); {
	case err != nil:
		return named(err)
	case t != want:
		return fmt.Errorf("it has %v where %v belongs", t, want)
	}
	return nil
}

// fields reads an object: field is called with the name of each, and reads its value.
func (p *parts) fields(field func(name string) error) error {
	if err := p.delimiter('{'); err != nil {
		return err
	}
	for p.dec.More() {
		name, err := p.dec.Token()
		if err != nil {
			return named(err)
		}
		text := name.(string) // the decoder takes no other
		if err := field(text); err != nil {
			return within(metrics.Head(text, 40), err)
		}
	}
	return p.delimiter('}')
}

// list reads an array: item reads the value of each.
func (p *parts) list(item func() error) error {
	if err := p.delimiter('['); err != nil {
		return err
	}
	for i := 0; p.dec.More(); i++ {
		if err := item(); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return p.delimiter(']')
}

// within says where in the file an error is: "itls[3]: no number where one belongs".
func within(place string, err error) error {
	if _, refused := errors.AsType[*metrics.Fault](err); err == nil || refused {
		return err
	}
	if !strings.HasPrefix(err.Error(), "[") {
		place += ": "
	}
	return fmt.Errorf("%s%w", place, err)
}

// scalar reads the next value and returns it where it is a string, a json.Number, a bool or
// null. It reads over others, however long they are.
func (p *parts) scalar() (value any, err error) {
	p.dec.UseNumber()
	for depth := 0; ; {
		t, err := p.dec.Token()
		if err != nil {
			return nil, named(err)
		}
		switch d, nested := t.(json.Delim); {
		case !nested && depth == 0:
			return t, nil
		case !nested:
		case d == '{' || d == '[':
			depth++
		default:
			depth--
			if depth == 0 {
				return nil, nil
			}
		}
	}
}

// end reports what follows the document.
func (p *parts) end() error {
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	return nil
}

// named says in words that the document ends too early, or where a value of another type is.
func named(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: no %s belongs there", t.Field, t.Value)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends within the document")
	}
	return err
}

// eachLine calls f with every line that is not blank. A cut last line that is no
// JSON is counted and left out.
func (b *sampling) eachLine(r io.Reader, f func(n int, line []byte) error) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: %w", n, err)
		}
		switch whole := err == nil; {
		case len(bytes.TrimSpace(line)) == 0:
		case !whole && !json.Valid(line):
			b.LeftOut++
		default:
			if ferr := f(n, line); ferr != nil {
				return fmt.Errorf("line %d: %w", n, ferr)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// lines reads the lines of a probe.
func (b *sampling) lines(r io.Reader) error {
	b.Kind = comparison.KindLines
	open := map[int]bool{}
	err := b.eachLine(r, func(_ int, line []byte) error {
		var l struct {
			Type    string          `json:"type"`
			ID      int             `json:"id"`
			Request *result.Request `json:"request"`
		}
		if err := result.Unmarshal(line, &l); err != nil {
			return err
		}
		switch {
		case l.Type == "request":
			open[l.ID] = true
		case (l.Type == "done" || l.Type == "error") && l.Request != nil:
			delete(open, l.ID)
			return b.request(l.Request, 0)
		}
		return nil
	})
	b.Unended += len(open)
	return err
}

// session reads a session file.
func (b *sampling) session(r io.Reader) error {
	b.Kind = comparison.KindSession
	rec, err := read(r, false)
	if err != nil {
		return err
	}
	b.Versions = pick.Once(b.Versions, rec.Version)
	b.LeftOut += rec.LeftOut
	if rec.Cut {
		b.LeftOut++
	}
	return b.recorded(rec)
}

// recorded adds the requests of a recording.
func (b *sampling) recorded(rec *Recording) error {
	for _, q := range rec.Requests {
		if q.End == nil {
			b.Unended++
			continue
		}
		if err := b.request(q.End, q.Load); err != nil {
			return fmt.Errorf("request %d: %w", q.ID, err)
		}
	}
	return nil
}

// request adds an ended request. load is the number of its load, 0 outside one.
func (b *sampling) request(q *result.Request, load int) error {
	f := &q.Figures
	if q.Stream == nil {
		q.Stream = &metrics.Stream{}
	}
	if err := ended(q.State, q.Wall); err != nil && b.Foreign == nil { // others may say no moment
		return err
	}
	e := history.Entry{Kind: history.Probe, State: q.State, N: 1, At: q.Wall,
		Answered: q.Model, Suspect: excluded(f.Suspect, &q.Lag.Delay)}
	for figure, v := range history.FiguresOf(q.Stream, f) {
		e.Figures[figure] = figureOf(v)
	}
	e.Figures[history.Upload] = figureOf(f.Send) // also where the wait has no part for it
	w := &q.Work
	key := comparison.Setup{Model: cmp.Or(q.Endpoint.Model, q.Model), Workload: w.Name,
		Settings: q.Endpoint.Settings, InputTokens: w.InputTokens, MaxTokens: w.MaxTokens,
		Connection: connection(w.Connection == metrics.ReuseCold),
		Users:      max(w.Concurrency, 1), Each: comparison.EachRequest}
	if b.Foreign != nil { // it does not say them, or only the most at once
		key.Connection, key.Users = "", w.Concurrency
	}
	key.Prompt = promptDigest(w)
	if load > 0 { // its lengths may be drawn, and differ from request to request
		key.InputTokens, key.MaxTokens = 0, 0
	}
	g := b.Of(key)
	g.InputTokens, g.MaxTokens = same(g, g.InputTokens, w.InputTokens), same(g, g.MaxTokens, w.MaxTokens)
	if q.State == metrics.Done {
		g.Proto = common(g.Proto, q.Connection.Proto)
		if b.Foreign == nil {
			g.Proxy = common(g.Proxy, cmp.Or(q.Connection.Proxy, "none"))
		}
	}
	b.endpoint(q.Endpoint)
	b.add(g, e, q.Stamps, f.TokenSource)
	return nil
}

// promptDigest tells custom prompts apart; "" for a preset.
func promptDigest(w *metrics.Workload) string {
	if w.Name != "custom" {
		return ""
	}
	text := w.System + "\x00" + w.Prompt
	if w.Messages != "" {
		text += "\x00" + string(w.Messages) + "\x00" + string(w.Tools)
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("sha256:%x", sum[:6])
}

// common returns what two texts have in common: the one that is known, or "mixed".
func common(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return "mixed"
}

// same returns a length that all requests of g share, Drawn if they differ.
func same(g *comparison.Group, have, n int) int {
	if g.Requests+g.Canceled == 0 || have == n {
		return n
	}
	return comparison.Drawn
}

// connection names the connection of a setup.
func connection(cold bool) string {
	if cold {
		return "cold"
	}
	return "reused"
}

// excluded reports whether a request stays out of a comparison, as it stays out of
// the baselines of the history.
func excluded(doubts []metrics.Suspicion, delay *metrics.Delay) bool {
	return !delay.IsZero() || slices.ContainsFunc(doubts, func(s metrics.Suspicion) bool { return s.Code.Excludes() })
}

// figureOf returns a figure of a file: unknown where it is null or no figure.
func figureOf(v metrics.Value) metrics.Value {
	if !v.OK || v.V < 0 {
		return metrics.Unknown(metrics.WhyForeign)
	}
	return metrics.Finite(v.V, 1)
}

// ended says what a request that ended lacks, nil for nothing.
func ended(state metrics.State, at time.Time) error {
	switch {
	case !state.Ended():
		return errors.New("it has not the state of an ended request")
	case at.IsZero():
		return errors.New("it has no moment")
	}
	return nil
}

// add adds an entry to a group of b, with who took its stamps and who counted its tokens
// where it ended well.
func (b *sampling) add(g *comparison.Group, e history.Entry, stamps string, counted metrics.TokenSource) {
	if e.State == metrics.Done && stamps != "none" {
		g.Stamps = common(g.Stamps, stamps)
	}
	if e.State == metrics.Done && e.Figures[history.TPOT].OK {
		g.Counted = common(g.Counted, counted.String())
	}
	if b.From.IsZero() || e.At.Before(b.From) {
		b.From = e.At
	}
	if e.At.After(b.To) {
		b.To = e.At
	}
	g.Add(&e)
}

// endpoint adds an endpoint.
func (b *sampling) endpoint(e metrics.Endpoint) {
	of := metrics.Endpoint{Kind: e.Kind, Name: e.Name, URL: e.URL, API: e.API}
	if of.Kind == metrics.EndpointEmbedded {
		of.URL = "" // its port is drawn
	}
	if !slices.ContainsFunc(b.Endpoints, func(x metrics.Endpoint) bool { return x.Name == of.Name && x.Same(&of) }) {
		b.Endpoints = append(b.Endpoints, of)
	}
}
