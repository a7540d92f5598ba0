package record

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics"
)

// Begin returns the stream of q before its first byte: workload, endpoint and
// start.
func (q *Recorded) Begin() metrics.Stream {
	n := metrics.NoStamp
	v := metrics.Stream{
		ID: q.ID, Load: q.Load, State: metrics.Connecting, Wall: q.Wall,
		Work: q.Workload.restore(), Endpoint: q.Endpoint.restore(),
		Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		LastData: n, DataDeadline: n, Progress: metrics.Progress{At: n}, Now: q.Start,
	}
	v.Marks.Start, v.TextRemoved = q.Start, q.TextRemoved
	return v
}

func (e Endpoint) restore() metrics.Endpoint {
	return metrics.Endpoint{Kind: metrics.EndpointKind(e.Kind), Name: e.Name, URL: e.URL, Model: e.Model, Note: e.Note}
}

func (w Workload) restore() metrics.Workload {
	out := metrics.Workload{
		Name: w.Name, System: w.System, Prompt: w.Prompt, InputTokens: w.InputTokens, MaxTokens: w.MaxTokens,
		Temperature: w.Temperature, Seed: w.Seed, Concurrency: w.Concurrency, Nonce: w.Nonce,
	}
	for _, r := range []metrics.Reuse{metrics.ReuseAuto, metrics.ReuseCold, metrics.ReuseWarm} {
		if r.String() == w.Connection {
			out.Connection = r
		}
	}
	return out
}

// stampSource returns the source of stamps of that name.
func stampSource(name string) metrics.Source {
	for _, s := range []metrics.Source{metrics.SourceKernel, metrics.SourceBody, metrics.SourceMixed} {
		if s.String() == name {
			return s
		}
	}
	return metrics.SourceUser
}

// Restore writes into v, the stream of the request's events, what its end line
// says of the rest: marks, connection, counts, usage, server times, fault, notes,
// lag and path.
func (r *Request) Restore(v *metrics.Stream) {
	for s := metrics.Idle; s <= metrics.Cancelled; s++ {
		if s.String() == r.State {
			v.State = s
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, r.Wall); err == nil {
		v.Wall = t
	}
	v.Model, v.Provider, v.Fingerprint, v.RequestID, v.Finish = r.Model, r.Provider, r.Fingerprint, r.RequestID, r.Finish
	v.Conn = metrics.Connection{Reused: r.Connection.Reused, Proto: r.Connection.Protocol,
		TLS: r.Connection.TLS, Remote: r.Connection.Remote, Proxy: r.Connection.Proxy, Encoding: v.Conn.Encoding}
	v.Fronts, v.Retried, v.Stamps = r.Connection.Fronts, r.Retried, stampSource(r.Stamps)
	v.Reads, v.Events, v.Comments, v.BodyBytes = r.Reads, r.Events, r.Comments, r.BodyBytes
	r.Usage.restore(&v.Usage)
	v.Server = nil
	for _, t := range r.Server {
		v.Server = append(v.Server, metrics.ServerTime{Name: t.Name, D: durationOf(t.Ms), From: t.From})
	}
	v.Fault = r.Fault.restore()
	if r.Limits != nil {
		v.RateLimit = r.Limits.restore()
	}
	v.Notes = nil
	for _, n := range r.Notes {
		v.Notes = append(v.Notes, metrics.Note{At: metrics.NoStamp, Code: n.Code, Text: n.Text})
	}
	v.Observer = r.Lag.restore()
	usage := v.Marks.LastUsage
	v.Marks = r.Marks.restore()
	if !v.Marks.LastUsage.Known() { // older end lines do not have it
		v.Marks.LastUsage = usage
	}
	if v.Marks.End.Known() {
		v.Now = v.Marks.End
	}
	v.Path = r.Path.Restore(v)
	if v.TextRemoved {
		r.restoreCount(v)
	}
}

// restoreCount takes the output tokens of v from the figures: the text that they
// were counted or estimated in is no longer there.
func (r *Request) restoreCount(v *metrics.Stream) {
	f := &r.Figures
	v.LiveTokens, v.TokensFrom = -1, metrics.TokensUnknown
	for s := metrics.TokensUsage; s <= metrics.TokensEstimated; s++ {
		if s.String() == f.TokenSource {
			v.TokensFrom = s
		}
	}
	if f.Tokens != nil && v.Usage.Completion <= 0 && *f.Tokens > 0 && *f.Tokens < math.MaxInt32 {
		v.LiveTokens = int(math.Round(*f.Tokens))
	}
}

func (u *Usage) restore(to *metrics.Usage) {
	known := func(n *int) int {
		if n == nil || *n < 0 {
			return -1
		}
		return *n
	}
	to.Prompt, to.Completion, to.Reasoning, to.Cached, to.Total = known(u.Prompt),
		known(u.Completion), known(u.Reasoning), known(u.Cached), known(u.Total)
	to.Mended, to.Raw = u.Mended, slices.Clone(u.Raw)
}

func (f *Fault) restore() *metrics.Fault {
	if f == nil {
		return nil
	}
	return &metrics.Fault{
		Kind: metrics.FaultKind(f.Kind), Message: f.Message, Next: f.Next, Status: f.Status, Code: f.Code, Body: f.Body,
		Bound: f.Bound, RetryAfter: durationOf(f.RetryAfterMs), Location: f.Location,
	}
}

func (l *Lag) restore() metrics.Observer {
	return metrics.Observer{
		LateP50: durationOf(l.LateP50Ms), LateP99: durationOf(l.LateP99Ms), LateMax: durationOf(l.LateMaxMs), N: l.Samples,
		GCPauses: l.GCPauses, GCTotal: durationOf(l.GCTotalMs), KernelStamps: l.KernelStamps, UserStamps: l.UserStamps,
		LateEvents: l.LateEvents, SharedReads: l.SharedReads, LagP50: durationOf(l.LagP50Ms), LagP99: durationOf(l.LagP99Ms),
		LagMax: durationOf(l.LagMaxMs), ClockStep: durationOf(l.ClockStepMs), Use: l.use(),
	}
}

// use returns what the lag says of the use of the machine. Older files do not
// have it.
func (l *Lag) use() metrics.Use {
	u := metrics.Use{Cores: l.Cores, DescriptorLimit: l.DescriptorLimit}
	if l.CPU != nil {
		u.CPU, u.Seconds = *l.CPU, l.CPUSeconds
	}
	if l.Descriptors != nil {
		u.Descriptors = *l.Descriptors
	}
	return u
}

func (m *Marks) restore() metrics.Marks {
	return metrics.Marks{
		Start: knownStamp(m.Start),
		RequestMarks: metrics.RequestMarks{
			DNSStart: knownStamp(m.DNSStart), DNSDone: knownStamp(m.DNSDone),
			ConnectStart: knownStamp(m.ConnectStart), ConnectDone: knownStamp(m.ConnectDone),
			TLSStart: knownStamp(m.TLSStart), TLSDone: knownStamp(m.TLSDone),
			GotConn: knownStamp(m.GotConn), Sent: knownStamp(m.Sent),
			FirstByte: knownStamp(m.FirstByte), Headers: knownStamp(m.Headers),
		},
		FirstComment: knownStamp(m.FirstComment), FirstEvent: knownStamp(m.FirstEvent), FirstRole: knownStamp(m.FirstRole),
		FinishReason: knownStamp(m.FinishReason), LastUsage: knownStamp(m.LastUsage),
		DoneMarker: knownStamp(m.DoneMarker), End: knownStamp(m.End),
	}
}

// Restore returns the path beneath v, nil where nothing was looked at.
func (p *Path) Restore(v *metrics.Stream) *metrics.Path {
	if p == nil {
		return nil
	}
	number := func(f *float64) float64 {
		if f == nil {
			return 0
		}
		return *f
	}
	count := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	out := &metrics.Path{
		Source: metrics.PathSource(p.Source), RTT: durationOf(number(p.RTT)),
		MinRTT: durationOf(number(p.MinRTT)), Missed: p.GapsMore,
		OutOfOrder: count(p.OutOfOrder), Segments: count(p.Segments), Resent: count(p.Resent), Acked: metrics.NoStamp,
	}
	if p.Upload != nil && v.Marks.Sent.Known() {
		out.Acked, out.Upload, out.Rate = v.Marks.Sent+metrics.Stamp(durationOf(*p.Upload)), true, int64(number(p.Rate))
	}
	for i := range p.Gaps[:min(len(p.Gaps), metrics.MaxPathGaps)] {
		g := &p.Gaps[i]
		at := metrics.NoStamp
		if c := g.Chunk - 1; c >= 0 && c < len(v.Chunks) {
			at = v.Chunks[c].At
		}
		out.Gaps = append(out.Gaps, metrics.PathGap{
			Chunk: g.Chunk - 1, At: at, Ms: g.Ms, Usual: number(g.Usual),
			RTT: number(g.RTT), Together: g.Together, Local: g.Local,
			OutOfOrder: count(g.OutOfOrder), Segments: count(g.Segments), Counted: g.OutOfOrder != nil,
		})
	}
	for _, c := range p.Connects[:min(len(p.Connects), metrics.MaxPathConnects)] {
		at := metrics.NoStamp
		if c.At != nil && v.Marks.Sent.Known() {
			at = v.Marks.Sent + metrics.Stamp(durationOf(*c.At))
		}
		out.Connects = append(out.Connects,
			metrics.PathConnect{At: at, Elapsed: durationOf(c.Ms), Result: metrics.ConnectResult(c.Result)})
	}
	return out
}

// durationOf returns ms milliseconds, exactly what msOf was given. Values out of
// range are clamped.
func durationOf(ms float64) time.Duration {
	ns := math.Round(ms * 1e6)
	if !(math.Abs(ns) < 1<<62) {
		return 0
	}
	return time.Duration(ns)
}
