package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/stats"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/result"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
)

// format is a kind of file of another program.
type format struct {
	tool string // whose it is: "vLLM"
	file string // what it is called there, and how it is written: "bench serve --save-detailed"
	is   func(h *opening) bool
	// read calls b.add with each request, and fills b.about. Its error names the place in
	// the file, and the next step where another one than to write it again helps.
	read func(b *foreign) error
}

// formats are all of them. The first that recognizes a file reads it.
var formats = []format{vllmResult, inferencePerf, aiperfRecords, aiperfSums, guidellmReport, harLog,
	curlDump, mlperfEvents}

// opening is the beginning of a file, by which a format recognizes it.
type opening struct {
	text   []byte   // at most headBytes
	list   bool     // it is a JSON array
	keys   []string // of the first JSON object, or the first of the array, as far as text has them
	schema string   // the text of that name
}

// has reports whether the first object has all those keys.
func (h *opening) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(h.keys, k) })
}

func openingOf(br *bufio.Reader) *opening {
	text, _ := br.Peek(headBytes)
	h := &opening{text: text}
	p := partsOf(bytes.NewReader(text))
	t, _ := p.dec.Token()
	if h.list = t == json.Delim('['); h.list {
		t, _ = p.dec.Token()
	}
	for t == json.Delim('{') && p.dec.More() {
		key, err := p.dec.Token()
		name, isText := key.(string)
		if err != nil || !isText {
			break
		}
		h.keys = append(h.keys, name)
		value, err := p.scalar()
		if err != nil {
			break
		}
		if name == "schema" && !h.list {
			h.schema, _ = value.(string)
		}
	}
	return h
}

// SchemaOf returns the "schema" of the JSON object with which br begins, "" without one. It
// consumes nothing.
func SchemaOf(br *bufio.Reader) string { return openingOf(br).schema }

// Foreign reads a file of another program, which it recognizes by its content. ok is false for
// others, of which it has consumed nothing. The error says what it is a file of, and the next step.
func Foreign(br *bufio.Reader) (rec *Recording, ok bool, err error) {
	h := openingOf(br)
	f := pick.First(formats, func(f *format) bool { return f.is(h) })
	if f == nil {
		return nil, false, nil
	}
	rec, err = f.open(br)
	return rec, true, err
}

// open reads a file that it has recognized.
func (f *format) open(br *bufio.Reader) (*Recording, error) {
	bounded := &io.LimitedReader{R: br, N: maxFile + 1}
	b := &foreign{in: bufio.NewReaderSize(bounded, 64<<10), rec: &Recording{Ended: metrics.NoStamp}}
	b.about = &metrics.ToolFile{Tool: f.tool, Lacks: []string{}}
	b.base = metrics.NoStamp
	b.rec.Foreign, b.parts = b.about, partsOf(b.in)
	err := f.read(b)
	if err == nil {
		err = b.finish()
	}
	switch fault, isFault := errors.AsType[*metrics.Fault](err); {
	case bounded.N == 0:
		return nil, endpoint.Refuse(fmt.Sprintf("is a file of %s that is longer than %d MiB, which is too long to open",
			f.tool, maxFile>>20), "give a part of it")
	case isFault:
		return nil, endpoint.Refuse("is a file of "+f.tool+" "+fault.Message, fault.Next)
	case err != nil:
		return nil, endpoint.Refuse("is a damaged file of "+f.tool+": "+err.Error(), "write it again: "+f.file)
	case len(b.rec.Requests) == 0:
		return nil, endpoint.Refuse("is a file of "+f.tool+" without a request", "write it again: "+f.file)
	}
	for _, q := range b.rec.Requests {
		if b.rec.Started.IsZero() || q.Wall.Before(b.rec.Started) {
			b.rec.Started = q.Wall
		}
	}
	return b.rec, nil
}

// Openable names the files of other programs that can be opened.
func Openable() string {
	return strings.Join(pick.Each(formats, func(f *format) string { return f.tool + " (" + f.file + ")" }), ", ")
}

// foreign makes the recording of a file, which is read as JSON by parts, or by lines from in.
type foreign struct {
	*parts
	in    *bufio.Reader
	rec   *Recording
	about *metrics.ToolFile
	head  *client.Head  // of the response of the next request that is added; nil: the file has none
	base  metrics.Stamp // of the stamps, on the tool's clock; NoStamp before the first
	added []addition
}

// addition is a request as its reader has added it.
type addition struct {
	v      metrics.Stream
	events []sse.Event
	ends   bool
	head   *client.Head
}

// latest is above all moments that a file can have, in ns since 1970.
const latest = metrics.Stamp(4e18)

// at returns a moment of the tool's clock in ns since the first one that was asked for.
func (b *foreign) at(clock metrics.Stamp) metrics.Stamp {
	clock = max(min(clock, latest), -latest)
	if !b.base.Known() {
		b.base = clock
	}
	return clock - b.base
}

// finish puts the requests into the recording, which begins with the first of them.
func (b *foreign) finish() error {
	if b.base.Known() && (b.base >= latest || b.base <= -latest) {
		return errors.New("its first request began at no possible time")
	}
	from := metrics.Stamp(math.MaxInt64)
	for i := range b.added {
		from = min(from, b.added[i].v.Marks.Start)
	}
	for i := range b.added {
		x := &b.added[i]
		moments := append(stampsOf(&x.v.Marks), &x.v.Marks.Start)
		if x.head != nil {
			moments = append(moments, &x.head.At)
		}
		for k := range x.events {
			moments = append(moments, &x.events[k].At, &x.events[k].User)
		}
		for _, at := range moments {
			if at.Known() {
				*at -= from
			}
		}
		if err := b.put(x); err != nil {
			return err
		}
	}
	return nil
}

// each calls value with each value of a file of lines. The last one may be cut.
func (b *foreign) each(value func(raw json.RawMessage) error) error {
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := b.dec.Decode(&raw)
		_, damaged := errors.AsType[*json.SyntaxError](err)
		if damaged { // a crash may have left more than the half of a line
			rest, _ := io.ReadAll(io.LimitReader(io.MultiReader(b.dec.Buffered(), b.in), maxLine))
			damaged = !bytes.ContainsRune(bytes.TrimLeft(rest, "\r\n"), '\n')
		}
		b.rec.Cut = n > 1 && (damaged || errors.Is(err, io.ErrUnexpectedEOF))
		if b.rec.Cut || err == io.EOF {
			return nil
		}
		if err == nil {
			err = value(raw)
		}
		if err != nil {
			return within("line "+strconv.Itoa(n), named(err))
		}
	}
}

// lacks says what the file has not, as a phrase.
func (b *foreign) lacks(what ...string) { b.about.Lacks = append(b.about.Lacks, what...) }

// compare compares the numbers of v, a value of the file, with figures of its rows: of returns that of
// a number by the names that lead to it. They are printed behind prefix.
func (b *foreign) compare(prefix, name string, v any, of func(name string) (float64, bool)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.compare(prefix, strings.TrimSpace(name+" "+k), v[k], of)
		}
	case json.Number:
		if rows, known := of(name); known && !math.IsNaN(rows) {
			b.about.Printed = append(b.about.Printed, metrics.PrintedOf(prefix+name, string(v), rows))
		}
	}
}

// items counts what is kept of the file, and returns an error of too much.
func (b *foreign) items(n int) error {
	if b.rec.items += n; b.rec.items > result.MaxItems || len(b.added) >= maxRequests {
		return endpoint.Refuse(fmt.Sprintf("with more than %d chunks or %d requests, which is too much to open",
			result.MaxItems, maxRequests), "give a part of it")
	}
	return nil
}

// number reads a number of at least 0: a time, or a count.
func (b *foreign) number() (float64, error) {
	v, err := b.scalar()
	n, isNumber := v.(json.Number)
	if err != nil || !isNumber {
		return 0, cmp.Or(err, errors.New("no number where one belongs"))
	}
	if x, err := n.Float64(); err == nil && x >= 0 {
		return x, nil
	}
	return 0, fmt.Errorf("%s is out of range", metrics.Head(string(n), 40))
}

// text reads a text.
func (b *foreign) text() (string, error) {
	v, err := b.scalar()
	s, isText := v.(string)
	if err == nil && !isText {
		err = errors.New("no text where one belongs")
	}
	return s, err
}

// list reads a list, each value by item.
func list[T any](b *foreign, item func() (T, error)) (all []T, err error) {
	all = []T{}
	return all, b.list(func() error {
		v, err := item()
		all = append(all, v)
		return cmp.Or(err, b.items(1))
	})
}

// object reads an object. It returns the values that are no lists or objects, but for those that
// take reads.
func (b *foreign) object(take func(name string) (ours bool, err error)) (map[string]any, error) {
	values := map[string]any{}
	return values, b.fields(func(name string) error {
		ours, err := take(name)
		if !ours && err == nil {
			values[name], err = b.scalar()
		}
		return err
	})
}

// secondsOf returns s seconds as ns, those since 1970 as exactly as a float64 has them, at most latest: put
// refuses what does not fit.
func secondsOf(s float64) metrics.Stamp {
	whole, rest := math.Modf(max(min(s, 4e9), -4e9))
	return metrics.Stamp(whole)*1e9 + metrics.Stamp(math.Round(rest*1e9))
}

// countOf returns a count: the largest where it does not fit, -1 where there is none.
func countOf(x float64) int {
	if !(x >= 0) {
		return -1
	}
	return int(min(x, math.MaxInt32))
}

// valueOf returns a number of JSON, 0 for all else.
func valueOf(v any) float64 {
	n, _ := v.(json.Number)
	x, _ := n.Float64()
	return min(x, math.MaxInt32)
}

// foreignFault is the fault of a request that failed with that text: its last line, for it may be a
// stack of calls.
func foreignFault(text string) *metrics.Fault {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := cmp.Or(strings.TrimSpace(lines[len(lines)-1]), "it failed, and the file does not say why")
	return &metrics.Fault{Kind: metrics.FaultForeign, Message: metrics.Head(secret.NewScrubber().String(last), 300)}
}

// sums are the values of the figures of all requests, by the tool's name for them, and how much each
// weighs.
type sums map[string][]stats.Weighted

func (s sums) add(name string, weight float64, values ...float64) {
	for _, v := range values {
		if weight > 0 {
			s[name] = append(s[name], stats.Weighted{V: v, W: weight})
		}
	}
}

// of returns the statistic that a name such as "ttft mean" or "ttft percentiles 99" ends with: std is
// that of the population, std_dev of a sample, and quantile the tool's definition of a percentile, of
// ascending values. That of "requests" is its one value. ok is false for other names.
func (s sums) of(name string, quantile func(xs []stats.Weighted, q float64) float64) (v float64, ok bool) {
	figure, _, several := strings.Cut(name, " ")
	xs := s[figure]
	if len(xs) == 0 {
		return 0, false
	}
	slices.SortFunc(xs, stats.Weighted.Compare)
	total, n := 0.0, float64(len(xs))
	for _, x := range xs {
		total += x.W
	}
	mean, deviation := stats.WeightedFigures(xs)
	statistic := name[strings.LastIndex(name, " ")+1:]
	switch statistic {
	case "mean", "avg":
		return mean, true
	case "sum", "total":
		return mean * total, true
	case "count":
		return math.Round(total), true
	case "min":
		return xs[0].V, true
	case "max":
		return xs[len(xs)-1].V, true
	case "std":
		return deviation * math.Sqrt((n-1)/n), true
	case "std_dev":
		return deviation, true
	case "median":
		statistic = "p50"
	}
	level, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	if !several || err != nil || !(level >= 0 && level <= 100) {
		return mean, !several
	}
	return quantile(xs, level/100), true
}

// numpy is the quantile between the two nearest values.
func numpy(xs []stats.Weighted, q float64) float64 {
	out := []float64{0}
	stats.WeightedQuantiles(xs, []float64{q}, out)
	return out[0]
}

// begin returns the next request, which began and was sent at that moment, so far without its
// text. A reader adds what the file says of it.
func (b *foreign) begin(sent metrics.Stamp) metrics.Stream {
	v := (&Recorded{ID: len(b.added) + 1, Start: sent, TextRemoved: true, Tool: b.about}).Begin()
	v.Marks.Sent, v.Stamps, v.Reads, v.BodyBytes = sent, metrics.SourceTool, -1, -1
	return v
}

// bare returns the events of chunks without a text, which arrived then. They are those of a
// session file without texts.
func bare(at []metrics.Stamp) []sse.Event {
	data := []byte(eventOf([]JoinedChunk{{Kind: metrics.Content.String(), Text: blank}}, 0, sharedParts{}, false))
	events := make([]sse.Event, len(at))
	for i := range at {
		events[i] = sse.Event{Data: data, At: at[i], User: at[i], Read: int32(i)}
	}
	return events
}

// add adds a request. v is what the file says of it, without what its events make of it; where v
// has not ended they also say how it did. ends tells that the events are only those of the first and
// the last chunk: then no figure of single gaps is known, and none is drawn.
func (b *foreign) add(v metrics.Stream, events []sse.Event, ends bool) error {
	b.added = append(b.added, addition{v, events, ends, b.head})
	b.head = nil
	return b.items(1 + len(events))
}

// put puts a request into the recording.
func (b *foreign) put(x *addition) error {
	v, events, ends := x.v, x.events, x.ends
	last, end := v.Marks.Start, v.Marks.End
	if last < 0 || last > longest || end.Known() && (end < last || end > longest) {
		return fmt.Errorf("request %d: it began or ended at no possible time", v.ID)
	}
	made, attempt := client.NewRebuild(v), Attempt{Sent: v.Marks.Sent, Head: x.head}
	if h := x.head; h != nil {
		made.Head(h.Status, h.Proto, h.Headers)
	}
	for i := range events {
		if at := events[i].At; at.Known() && (at < last || at > longest) {
			return fmt.Errorf("request %d: chunk %d is before the one before it, or at no possible time", v.ID, i+1)
		}
		last = max(last, events[i].At)
		made.Event(events[i], nil, nil)
	}
	q := &Recorded{ID: v.ID, Start: v.Marks.Start, Wall: v.Wall, TextRemoved: v.TextRemoved,
		Tool: b.about, Workload: v.Work, Detailed: !ends, Attempts: []Attempt{attempt}}
	state, fault := v.State, v.Fault
	told := state.Ended()
	if !told {
		switch fault = made.End(true); {
		case fault == nil:
			state = metrics.Done
		case fault.Kind == metrics.FaultTruncated:
			state = metrics.Truncated
		default:
			state = metrics.Failed
		}
	}
	v = made.View()
	v.Endpoint.Name = cmp.Or(v.Endpoint.Name, v.Endpoint.Model, v.Model, "–")
	q.Endpoint = v.Endpoint
	v.State, v.Fault, v.Now = state, fault, max(last, v.Marks.End)
	if told && v.Finish == "" {
		v.Finish = metrics.FinishNotRecorded
	}
	f := metrics.Measure(&v, metrics.Options{})
	if q.Events = events; ends {
		f.WithholdGaps(metrics.WhyNotRecorded)
		f.Suspect = nil // the chunks between the two would tell
		f.TokensPerChunk, f.Chunks = metrics.Unknown(metrics.WhyNotRecorded), 0
		q.Events = nil
	}
	v.Chunks, v.Text = nil, nil // made again from the events
	line := result.RequestOf(&v, &f)
	q.End = &line
	b.rec.Requests = append(b.rec.Requests, q)
	return nil
}
