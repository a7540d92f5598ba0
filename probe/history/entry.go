package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
)

// origin is what the ID of an entry is made from. No two requests have the same:
// the stamps are those of a process, in nanoseconds.
type origin struct {
	url, model string
	number     int
	wall       time.Time
	stamps     []metrics.Stamp
}

// newID returns the ID of what began at that moment. The same origin has the same
// one, so that a session file that is read again adds nothing.
func newID(at time.Time, o origin) string {
	h := sha256.New()
	writeTexts(h, o.url, o.model)
	numbers := []uint64{uint64(o.number), uint64(o.wall.UnixNano())}
	for _, s := range o.stamps {
		numbers = append(numbers, uint64(s))
	}
	for _, n := range numbers {
		h.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
	out := binary.BigEndian.AppendUint64(nil, uint64(max(at.UnixMilli(), 0))<<16)[:6]
	return hex.EncodeToString(append(out, h.Sum(nil)[:10]...))
}

// writeTexts writes texts with their lengths, so that no two lists are the same.
func writeTexts(h hash.Hash, texts ...string) {
	for _, text := range texts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
}

// sentAt returns when a request was sent, or when it started where it was not.
func sentAt(wall time.Time, start, sent metrics.Stamp) time.Time {
	d, _ := sent.Sub(start)
	return wall.Add(d).UTC()
}

// seriesOf returns the series of requests with w to e, without a digest.
func seriesOf(machine string, e *metrics.Endpoint, w *metrics.Workload) history.Series {
	s := history.Series{
		Machine: machine, Endpoint: e.Name, URL: e.URL, API: e.API, Model: e.Model,
		Settings: bounded(e.Settings), Workload: w.Name, InputTokens: w.InputTokens, MaxTokens: w.MaxTokens, Lane: w.Lane,
		Cold: w.Connection == metrics.ReuseCold, Users: max(w.Concurrency, 1),
	}
	if e.Kind == metrics.EndpointEmbedded {
		s.URL = "" // its port is another one each time
	}
	if custom(w) {
		s.Workload = customWorkload
	}
	return s
}

// customWorkload is the name of workloads that are no preset.
const customWorkload = "custom"

func custom(w *metrics.Workload) bool { return w.Name == "" || w.Name == customWorkload }

// entryOf returns the entry of an ended request, without the digest of its prompt.
func entryOf(machine string, v *metrics.Stream, f *metrics.Figures) history.Entry {
	e := history.EntryOf(v, f)
	e.At, e.Answered = sentAt(v.Wall, v.Marks.Start, v.Marks.Sent), bounded(v.Model)
	e.Series = seriesOf(machine, &v.Endpoint, &v.Work)
	e.Series.Proto, e.Series.Proxy, e.Series.Tier = v.Conn.Proto, v.Conn.Proxy, bounded(v.Served.Tier)
	e.ID = newID(e.At,
		origin{v.Endpoint.URL, v.Endpoint.Model, v.ID, v.Wall, []metrics.Stamp{v.Marks.Start, v.Marks.Sent, v.Marks.End}})
	if v.State == metrics.Failed || v.State == metrics.Truncated {
		e.Failed = 1
	}
	for _, s := range f.Suspect {
		e.Suspect = e.Suspect || s.Code.Excludes()
	}
	return e
}

// mostText bounds a text from outside: a server may call its model whatever it likes.
const mostText = 256

// bounded returns s, cut to mostText bytes.
func bounded(s string) string { return metrics.Head(s, mostText) }

// pointOf returns the entry of a point of a load on e, whose window began at that
// moment. rate is that of an open loop's arrivals, else 0. ok is false for a point
// without an ended request. One that is not steady is suspect: it says how the load
// was changed, not what the endpoint does.
func pointOf(machine string, e *metrics.Endpoint, w *metrics.Workload,
	p *loadstat.Point, at time.Time) (out history.Entry, ok bool) {
	if p.Requests+p.Failed == 0 {
		return out, false
	}
	out = history.Entry{
		At: at.UTC(), Kind: history.Point, Series: seriesOf(machine, e, w), State: metrics.Done,
		Prompt: metrics.Unknown(metrics.WhyNotMeasured), Output: metrics.Unknown(metrics.WhyNotMeasured),
		N: p.Requests + p.Failed, Failed: p.Failed, Suspect: !p.Steady || p.Delay.Code != "",
	}
	out.Series.Users, out.Series.Rate = p.Users, p.Asked
	if p.Asked > 0 {
		out.Series.Users = 0
	}
	out.ID = newID(out.At,
		origin{e.URL, e.Model, out.N, at, []metrics.Stamp{p.From, p.To, metrics.Stamp(math.Float64bits(p.Tokens))}})
	for f := range out.Figures {
		out.Figures[f] = metrics.Unknown(metrics.WhyNotMeasured)
	}
	out.Figures[history.TTFT], out.Figures[history.TPOT] = p.TTFT.P50, p.TPOT.P50
	out.Figures[history.Speed], out.Figures[history.Throughput] = p.Speed, p.Total
	return out, true
}
