package metrics

import (
	"cmp"
	"slices"
)

// Estimate is a figure over repeated requests: its distribution, one value
// per request, and the 95 % confidence interval of its median, which takes
// requests as independent. It is unknown below MinMedianInterval values.
type Estimate struct {
	Dist
	Low  Value `json:"median_low"`
	High Value `json:"median_high"`
}

// Range is the smallest and largest of some values, unknown without values.
type Range struct {
	N   int   `json:"n"`
	Min Value `json:"min" form:"bare"`
	Max Value `json:"max" form:"bare"`
}

// Add takes v if it is known.
func (r *Range) Add(v Value) {
	if !v.OK {
		return
	}
	if r.N == 0 || v.V < r.Min.V {
		r.Min = v
	}
	if r.N == 0 || v.V > r.Max.V {
		r.Max = v
	}
	r.N++
}

// FaultCount is the number of requests that ended with one kind of fault and one status
// of HTTP, 0 for none or an unknown one.
type FaultCount struct {
	Kind   FaultKind `json:"kind"`
	Status int       `json:"status,omitempty"` // of HTTP, 0 without one
	N      int       `json:"n"`
}

// FaultCounts are counts that JSON tells apart by the status too; of others it has the kinds.
type FaultCounts []FaultCount

// Count is one request that ended with f.
func (f *Fault) Count() FaultCount { return FaultCount{f.Kind, f.Status, 1} }

// AddFaults returns counts with f added, most frequent first. It changes the
// slice in place. A negative f takes away; a kind without any is left out.
func AddFaults(counts []FaultCount, f FaultCount) []FaultCount {
	at := slices.IndexFunc(counts, func(c FaultCount) bool { return c.Kind == f.Kind && c.Status == f.Status })
	if at < 0 {
		at = len(counts)
		counts = append(counts, FaultCount{Kind: f.Kind, Status: f.Status})
	}
	if counts[at].N += f.N; counts[at].N <= 0 {
		counts = slices.Delete(counts, at, at+1)
	}
	slices.SortFunc(counts, func(a, b FaultCount) int {
		return cmp.Or(b.N-a.N, cmp.Compare(a.Kind, b.Kind), a.Status-b.Status)
	})
	return counts
}

// Summary describes repeated requests. Latencies and speeds cover only the
// requests that ended well (State Done); the others are counted. Each of
// these requests has the same weight, whatever its length.
type Summary struct {
	Requests  int            `json:"requests"`
	Done      int            `json:"done"`
	Failed    int            `json:"failed"`
	Truncated int            `json:"truncated"`
	Cancelled int            `json:"canceled"`
	Running   int            // not ended yet
	Faults    []FaultCount   `json:"faults,omitempty"`            // by kind, most frequent first
	Finishes  map[string]int `json:"finish_reasons,omitempty"`    // of those that ended well; "none" for none
	Unseen    map[string]int `json:"no_visible_answer,omitempty"` // those of them with reasoning and white space alone
	Textless  int            `json:"no_text,omitempty"`           // the same, and those with calls alone
	Refused   int            `json:"refused,omitempty"`           // those of Finishes with a refusal as their only text

	// One value per request; times in ms, Speed in tokens per second of one
	// user.
	TTFB  Estimate `json:"ttfb_ms"`
	TTFT  Estimate `json:"ttft_ms"`
	TTFC  Estimate `json:"ttfc_ms"`
	TTFA  Estimate `json:"ttfa_ms,omitzero"` // of the answers with sound
	TPOT  Estimate `json:"tpot_ms"`
	Speed Estimate `json:"speed_tok_per_s"`
	Total Estimate `json:"total_ms"`
	WPM   Estimate `json:"words_per_minute"`
	// Longest is the distribution of each request's longest gap, ms.
	Longest Estimate `json:"longest_gap_ms"`
	Peak    Estimate `json:"peak_tok_per_s"` // of each request's Peak, tok/s of one user

	// Split says what divides TTFT in two; nil where nothing that is known does.
	Split *Split `json:"ttft_split,omitempty"`

	// Gaps and ITL are pooled over all gaps of all requests that ended well, so
	// long answers weigh more. Gaps.N counts gaps, not requests. Their percentiles
	// are those of a Sketch, as those of a load.
	Gaps        Dist `json:"gap_ms"`
	ITL         Dist `json:"itl_ms"`
	GapsUnknown int  `json:"gaps_unknown"` // gaps inside bursts, in neither of them
	// Trimmed runs have lost their chunks and text: their number, and the sums
	// of what they have lost.
	Trimmed, ChunksTrimmed, TextTrimmed int
	Stalls                              int `json:"stalls"`               // over all these requests
	Stalled                             int `json:"requests_with_stalls"` // requests with at least one

	// Tokens are sums over the requests that ended well and have a known count;
	// N is their number. Estimated: at least one of them is an estimate.
	PromptTokens Value `json:"prompt_tokens"`
	OutputTokens Value `json:"output_tokens"`
	Estimated    bool  `json:"output_tokens_estimated"`
	About        bool  // TPOT and speed of at least one of them are uncertain, Figures.About

	// Window is the time base of Throughput and RequestRate, ms: from the first
	// Sent to the last chunk of the requests that ended well. Pauses between
	// them are included.
	Window      Value `json:"window_ms"`
	Throughput  Value `json:"throughput_tok_per_s"` // aggregate: OutputTokens of all streams / Window
	RequestRate Value `json:"requests_per_s"`       // Done / Window

	// The workload of the figures: tokens as counted by the server, concurrency
	// as asked for.
	Prompt      Range `json:"prompt_tokens_range"`
	Output      Range `json:"output_tokens_range"`
	Concurrency Range `json:"concurrency_range"`
	// Reused and Fresh count the requests that got a connection, however they
	// ended: one that stood already, or a new one.
	Reused  int `json:"connections_reused"`
	Fresh   int `json:"connections_new"`
	Retried int `json:"retried,omitempty"` // requests of all kinds of end that were sent again, see Stream.Retried
	// Stamps is the common source of all stamps, or SourceMixed.
	Stamps Source

	// Observer merges the program's own lag: the worst of the lags, the sums of
	// the counts. Requests that ran at the same time count a pause once each.
	Observer Observer
	// Delay says what the lag does to Gaps and the times. Its figures are those of
	// the latest request.
	Delay Delay
	// Limits are the rate limits of the last request's endpoint, as of the end of
	// the last request.
	Limits LimitForecasts `json:"rate_limit,omitzero"`
}

// Summarize describes runs, in any order. Their stamps must be of one
// session. It takes all of their gaps: call it at the end of a request, not for
// every frame.
func Summarize(runs []Run) Summary {
	var out Summary
	out.Requests = len(runs)
	for i := range runs {
		r := &runs[i]
		out.count(r)
		if t := r.Trimmed; t != nil {
			out.Trimmed, out.ChunksTrimmed, out.TextTrimmed = out.Trimmed+1, out.ChunksTrimmed+t.Chunks, out.TextTrimmed+t.Text
		}
	}
	good := GoodOf(runs)
	out.Split = splitOf(runs, good)
	heldBack(good)
	for _, e := range []struct {
		to *Estimate
		of func(*Figures) Value
	}{
		{&out.TTFB, func(f *Figures) Value { return f.TTFB }},
		{&out.TTFT, func(f *Figures) Value { return f.TTFT }},
		{&out.TTFC, func(f *Figures) Value { return f.TTFC }},
		{&out.TTFA, func(f *Figures) Value { return f.TTFA }},
		{&out.TPOT, func(f *Figures) Value { return f.TPOT }},
		{&out.Speed, func(f *Figures) Value { return f.Speed }},
		{&out.Total, func(f *Figures) Value { return f.Total }},
		{&out.WPM, func(f *Figures) Value { return f.WPM }},
		{&out.Longest, func(f *Figures) Value { return f.Longest }},
		{&out.Peak, func(f *Figures) Value { return f.Peak }},
	} {
		*e.to = estimate(good, e.of)
	}
	out.pool(good)
	out.totals(good)
	o := &out.Observer
	out.Delay = delayOf(o, o.KernelStamps > 0, o.UserStamps > 0, lateness{ms(o.LagP99), ms(o.LagMax)}, &out.Gaps)
	out.Delay.trust(&out.Gaps, &out.ITL)
	end := NoStamp
	for i := range runs {
		end = max(end, runs[i].Stream.Marks.End)
	}
	out.Limits = LimitsOf(runs, end)
	return out
}

// GoodOf returns those of runs that ended well, in their order.
func GoodOf(runs []Run) (good []*Run) {
	for i := range runs {
		if runs[i].Stream.State == Done {
			good = append(good, &runs[i])
		}
	}
	return good
}

// heldBack puts runs without figures of their pace in the place of those that may have
// been held back like the others.
func heldBack(runs []*Run) {
	held := 0.0
	for _, r := range runs {
		if r.Figures.AtOnce() {
			held++
		}
	}
	for i, r := range runs {
		if f := r.Figures.Among(held / float64(len(runs))); f != &r.Figures {
			runs[i] = &Run{Stream: r.Stream, Figures: *f, Trimmed: r.Trimmed}
		}
	}
}

// count adds what applies to every request, however it ended.
func (s *Summary) count(r *Run) {
	switch r.Stream.State {
	case Done:
		s.Done++
		s.finish(r)
	case Failed:
		s.Failed++
	case Truncated:
		s.Truncated++
	case Cancelled:
		s.Cancelled++
	default:
		s.Running++
	}
	if f := r.Stream.Fault; f != nil && f.Kind != FaultNone {
		s.Faults = AddFaults(s.Faults, f.Count())
	}
	if s.Done+s.Failed+s.Truncated+s.Cancelled+s.Running == 1 {
		s.Stamps = r.Stream.Stamps
	} else if s.Stamps != r.Stream.Stamps {
		s.Stamps = SourceMixed
	}
	switch {
	case r.Stream.Conn.Reused:
		s.Reused++
	case r.Stream.State == Done || r.Stream.Marks.GotConn.Known():
		s.Fresh++
	}
	if r.Stream.Retried > 0 {
		s.Retried++
	}
	s.Observer = s.Observer.Merge(r.Stream.Observer)
}

// finish counts how an answer ended that ended well.
func (s *Summary) finish(r *Run) {
	reason := r.Stream.FinishReason()
	s.Finishes = AddFinish(s.Finishes, reason)
	if r.Figures.Unseen(&r.Stream) {
		s.Unseen = AddFinish(s.Unseen, reason)
	}
	if r.Figures.Textless(&r.Stream) {
		s.Textless++
	} else if r.Figures.Refused(&r.Stream) {
		s.Refused++
	}
}

// Merge joins two lag reports of this program: the worst of the lags and
// steps, the sums of the counts and pauses.
func (o Observer) Merge(p Observer) Observer {
	step := o.ClockStep
	if p.ClockStep.Abs() > step.Abs() {
		step = p.ClockStep
	}
	return Observer{
		LateP50: max(o.LateP50, p.LateP50), LateP99: max(o.LateP99, p.LateP99),
		LateMax: max(o.LateMax, p.LateMax), N: o.N + p.N,
		GCPauses: o.GCPauses + p.GCPauses, GCTotal: o.GCTotal + p.GCTotal,
		KernelStamps: o.KernelStamps + p.KernelStamps, UserStamps: o.UserStamps + p.UserStamps,
		LateEvents: o.LateEvents + p.LateEvents, SharedReads: o.SharedReads + p.SharedReads,
		LagP50: max(o.LagP50, p.LagP50), LagP99: max(o.LagP99, p.LagP99), LagMax: max(o.LagMax, p.LagMax),
		ClockStep: step, Use: o.Use.merge(p.Use),
	}
}

func estimate(runs []*Run, of func(*Figures) Value) Estimate {
	var values []float64
	why := Why(0)
	for _, r := range runs {
		v := of(&r.Figures)
		if v.OK {
			values = append(values, v.V)
		} else if why == 0 || v.Why < why { // one of the reasons, independent of the order
			why = v.Why
		}
	}
	if len(runs) == 0 {
		why = WhyNoneEndedWell
	}
	sorted := sortedFinite(values)
	e := Estimate{Dist: sortedDist(sorted, 1, why)}
	e.Low, e.High = medianInterval(sorted)
	return e
}

// pool joins the gaps of all runs.
func (s *Summary) pool(runs []*Run) {
	var m Meter
	var all gapPool
	var pools []*gapPool
	why := WhyNoGap
	for _, r := range runs {
		if r.Figures.AtOnce() {
			why = WhyAtOnce
		}
		s.Stalls += len(r.Figures.Stalls)
		if len(r.Figures.Stalls) > 0 {
			s.Stalled++
		}
		switch t := r.Trimmed; {
		case t == nil:
			all.add(&m, r)
		case !slices.Contains(pools, t.pool):
			pools = append(pools, t.pool)
			all.merge(t.pool)
		}
	}
	s.GapsUnknown = all.gaps.Unknown()
	s.Gaps, s.ITL = all.gaps.Dist(why), all.tokens.Dist(why)
}

// totals computes sums, rates and the workload.
func (s *Summary) totals(runs []*Run) {
	none := Range{Min: Unknown(WhyNoValues), Max: Unknown(WhyNoValues)}
	s.Prompt, s.Output, s.Concurrency = none, none, none
	prompt, output := 0.0, 0.0
	for _, r := range runs {
		f := &r.Figures
		s.Prompt.Add(f.PromptTokens)
		s.Output.Add(f.Tokens)
		s.Concurrency.Add(Known(float64(max(r.Stream.Work.Concurrency, 1)), 0))
		if f.PromptTokens.OK {
			prompt += f.PromptTokens.V
		}
		if f.Tokens.OK {
			output += f.Tokens.V
			s.Estimated = s.Estimated || f.TokenSource == TokensEstimated
			s.About = s.About || f.About()
		}
	}
	s.PromptTokens, s.OutputTokens = Unknown(WhyNoCount), Unknown(WhyNoCount)
	if s.Prompt.N > 0 {
		s.PromptTokens = Finite(prompt, s.Prompt.N)
	}
	if s.Output.N > 0 {
		s.OutputTokens = Finite(output, s.Output.N)
	}
	s.Window = windowOf(runs)
	s.Throughput, s.RequestRate = s.Window, s.Window
	if s.Window.OK {
		s.RequestRate = Finite(float64(len(runs))*1000/s.Window.V, len(runs))
		s.Throughput = s.OutputTokens
		if s.Output.N == len(runs) {
			s.Throughput = Finite(output*1000/s.Window.V, len(runs))
		} else if s.Output.N > 0 {
			s.Throughput = Unknown(WhySomeTokens)
		}
	}
}

// windowOf returns the time from the first Sent to the last chunk of runs (to
// the end of those without a chunk), ms.
func windowOf(runs []*Run) Value {
	first, last := NoStamp, NoStamp
	for _, r := range runs {
		m := &r.Stream.Marks
		if m.Sent.Known() && (!first.Known() || m.Sent < first) {
			first = m.Sent
		}
		end := m.End
		if n := len(r.Stream.Chunks); n > 0 && r.Stream.Chunks[n-1].At.Known() {
			end = r.Stream.Chunks[n-1].At
		} else if t := r.Trimmed; t != nil && t.Last.Known() {
			end = t.Last
		}
		last = max(last, end) // NoStamp is before all
	}
	if len(runs) == 0 {
		return Unknown(WhyNoneEndedWell)
	}
	v := Since(first, last, WhyNoStamp)
	if v.OK && v.V == 0 {
		return Unknown(WhyOneStamp)
	}
	v.N = len(runs)
	return v
}
