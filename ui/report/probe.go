package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Form is what a report on several runs holds beside the runs.
type Form struct {
	loadstat.ProbeForm
	Path string // the recording's, "" without one
	By   Origin
	// List prints the requests that match, in its order; nil: none.
	List *request.Filter
	// Whole prints of a single request also what its record says beyond a probe's figures.
	Whole bool
	// Histogram prints how TTFT and gaps are distributed. ASCII writes the text with
	// ASCII alone.
	Histogram, ASCII bool
}

// Probe lists the results of a probe: what they show in a sentence, target
// and workload, the figures with their n, the server's own figures, how the
// requests ended, and this program's own share.
func Probe(runs []metrics.Run, form Form) *Doc {
	d := &Doc{ASCII: form.ASCII}
	of := " after " + format.Count(len(runs)) + " of " + format.Plural(form.Requests, "request", "requests")
	cut := format.If(form.Interrupted, "interrupted"+of) +
		format.If(form.Held > 0, "stopped"+of+": "+say.Allowed(form.Held))
	if len(runs) == 0 {
		d.Note(format.Either(form.Warmup == nil, "no request was sent", "no request was measured"))
		d.fact("warm-up", warmup(form.Warmup))
		d.fact("ended", cut)
		return d
	}
	s, last := metrics.Summarize(runs), &runs[len(runs)-1].Stream
	d.lead(say.Conclusion(verdict.OfRuns(runs, &s, form.Lens, form.Task)))
	answered := last.Model
	other := func(r *metrics.Run) bool { return r.Stream.Model != "" && r.Stream.Model != last.Model }
	if pick.First(runs, other) != nil {
		answered = "" // several models did: the sentence says how many
	}
	proxy := format.If(last.Conn.Proxy != "", "via proxy "+last.Conn.Proxy)
	d.Note(target(&last.Endpoint, answered, last.Conn.Proto, last.Conn.TLS, proxy),
		probeWork(last, &s, form.Warmup != nil))
	if s.Done > 0 {
		figureRows(d, &s)
		probeContext(d, runs, &s)
	}
	if form.Whole {
		whole(d, &runs[0])
	}
	ends(d, runs, &s, cut)
	d.fact("warm-up", warmup(form.Warmup))
	objectives(d, runs, form.SLOs)
	if s.Trimmed > 0 {
		d.fact("left out", "the chunks and texts of "+format.Plural(s.Trimmed, "request", "requests")+
			": memory holds 8 MB of them; percentiles of gaps are within 1.1 %")
	}
	d.fact("cost", costs(runs))
	d.fact("rate limit", say.RateLimits(&s.Limits)...)
	if o := &s.Observer; o.KernelStamps+o.UserStamps > 0 {
		late := format.If(o.KernelStamps > 0, fmt.Sprintf("%s of %s events reached tokscope more than 1 ms late",
			format.Count(int(o.LateEvents)), format.Count(int(o.KernelStamps+o.UserStamps))))
		half := format.If(form.Whole && o.N > 0, "lag p50 "+format.Duration(o.LateP50))
		d.fact("lag", format.Join("; ", say.Stamps(s.Stamps.String()), late, half, lateness(o)))
	}
	d.facts(delayFacts("", &s.Delay)...)
	d.here("recorded", form.Path)
	d.fact("measured", ran(last, form.By))
	if form.Histogram {
		histograms(d, runs, &s)
	}
	requests(d, runs, form.List)
	return d
}

// probeWork names the workload, what it took, and the connections.
func probeWork(last *metrics.Stream, s *metrics.Summary, warmed bool) string {
	in := format.If(s.Prompt.N > 0, format.Span(s.Prompt.Min.V, s.Prompt.Max.V, format.Whole)+" tokens in")
	out := format.If(s.Output.N > 0, format.Span(s.Output.Min.V, s.Output.Max.V, format.Whole)+" out"+
		format.If(s.Estimated, " (estimated)"))
	connections := format.If(s.Reused+s.Fresh > 0, format.Plural(s.Fresh, "new connection", "new connections")+", "+
		format.Count(s.Reused)+" reused"+format.If(s.Fresh == 0 && warmed, " from the warm-up"))
	retried := format.If(s.Retried > 0, format.Count(s.Retried)+" retried")
	return join(say.Work(&last.Work), say.Settings(&last.Endpoint), in, out,
		format.Plural(s.Requests, "request", "requests"),
		format.Count(max(last.Work.Concurrency, 1))+" at a time", connections, retried)
}

// figureRows writes the figures over the requests as a table, and the gaps of all of
// them, which have no interval. "~" marks figures of tokens where some are uncertain.
// Below it stands why cells are unknown. One request has a line for each figure that
// probeContext does not write.
func figureRows(d *Doc, s *metrics.Summary) {
	t := &Table{Cols: append(words(""), figures("median", "95 % interval", "min–max", "p95", "p99", "n")...)}
	var why reasons
	add := func(name string, write func(float64) string, e metrics.Estimate) {
		of := &e.Dist
		if s.Done == 1 {
			d.fact(name, format.KnownOr(of.P50, write))
			return
		}
		t.row(name, format.Known(of.P50, write), format.KnownRange(e.Low, e.High, write),
			format.KnownRange(of.Min, of.Max, write), format.Known(of.P95, write), format.Known(of.P99, write),
			format.Count(of.N))
		why.add(name, of, e.Low)
	}
	byTokens := func(write func(float64) string) func(float64) string {
		return func(v float64) string { return format.If(s.About, "~") + write(v) }
	}
	add("TTFT", format.Ms, s.TTFT)
	if s.TTFC.P50.OK && s.TTFT.P50.OK && s.TTFC.P50.V > s.TTFT.P50.V*1.001 {
		add("TTFC", format.Ms, s.TTFC)
	}
	if s.TTFA.N > 0 {
		add("TTFA", format.Ms, s.TTFA)
	}
	add("TPOT", byTokens(format.Ms), s.TPOT)
	if s.Done == 1 {
		return
	}
	add("speed", byTokens(format.Rate), s.Speed)
	add("peak", byTokens(format.Rate), s.Peak)
	add("total", format.Ms, s.Total)
	add("longest gap", format.Ms, s.Longest)
	g, m := &s.Gaps, &s.Gaps.Missing
	t.row("gap", format.Bounded(g.P50, m.P50, format.Ms), "", format.KnownRange(g.Min, g.Max, format.Ms),
		format.Bounded(g.P95, m.P95, format.Ms), format.Bounded(g.P99, m.P99, format.Ms), format.Count(g.N))
	why.add("gap", g, metrics.Known(0, 0))
	t.under(format.Unknown, why.text())
	d.table(t)
}

// reasons collects why cells of a table are unknown, each reason once. How many
// values a column needs is the same for all rows; other reasons name theirs.
type reasons struct {
	needs []string
	rows  groups[string, string] // by reason
}

// add takes the reasons of a row: of all of its cells, or of the interval, whose
// lower end is low, and the percentiles.
func (r *reasons) add(row string, d *metrics.Dist, low metrics.Value) {
	if !d.P50.OK {
		r.rows.add(format.Why(d.P50.Why), row)
		return
	}
	for _, x := range []struct {
		part string
		v    metrics.Value
	}{{"the interval", low}, {"p95", d.P95}, {"p99", d.P99}} {
		switch text := format.Why(x.v.Why); {
		case x.v.OK:
		case x.v.Why.Code() != metrics.WhyNeeds:
			r.rows.add(text, row+" "+x.part)
		case !slices.Contains(r.needs, x.part+" "+text):
			r.needs = append(r.needs, x.part+" "+text)
		}
	}
}

func (r *reasons) text() string {
	parts := []string{strings.Join(r.needs, ", ")}
	for _, why := range r.rows.keys {
		parts = append(parts, strings.Join(r.rows.of[why], ", ")+": "+why)
	}
	text := format.Join("; ", parts...)
	return format.If(text != "", "unknown: "+text)
}

// probeContext describes the figures in words: those of all requests, and what the
// last good one says beyond.
func probeContext(d *Doc, runs []metrics.Run, s *metrics.Summary) {
	of := format.Either(len(runs) == 1, "", ", of the last request")
	about := format.If(s.About, "about ")
	good := metrics.GoodOf(runs) // one or more
	last := good[len(good)-1]
	if s.Speed.P50.OK {
		text := about + format.Rate(s.Speed.P50.V) + " per user"
		if f := &last.Figures; f.TimesReading.OK {
			text += fmt.Sprintf(", %s %s at %s words per minute%s", format.Factor(f.TimesReading.V), f.Pace.Name,
				format.Exact(f.Pace.WPM), of)
		}
		d.fact("speed", text)
	}
	one := s.Done == 1
	if one {
		d.fact("speed", format.If(!s.Speed.P50.OK, format.Reason(s.Speed.P50)))
		peak := format.Either(last.Figures.PeakRead > 0, say.Peak(&last.Figures), format.Known(s.Peak.P50, format.Rate))
		d.fact("peak", format.If(s.Peak.P50.OK, about+peak))
		d.fact("gap", gapText(&last.Figures))
	}
	d.fact("claim", say.Claim(metrics.JudgeClaim(good))...)
	d.fact("throughput", format.Either(s.Throughput.OK,
		format.If(s.Estimated, "about ")+format.Rate(s.Throughput.V)+", all streams over "+format.Ms(s.Window.V),
		"– ("+format.Why(s.Throughput.Why)+")"))
	d.fact("stalls", format.If(s.Stalls > 0, fmt.Sprintf("%s, in %s of %s: gaps of more than %s times the median and %s",
		format.Count(s.Stalls), format.Count(s.Stalled), format.Plural(s.Done, "request", "requests"),
		format.Exact(last.Figures.StallFactor), format.Limit(last.Figures.StallFloor))))
	d.fact("bursts", format.If(s.GapsUnknown > 0 && !one,
		format.Plural(s.GapsUnknown, "gap", "gaps")+" unknown: their chunks came in one read"))
	d.fact("bounds", say.Missing(&s.Gaps))
	d.facts(details(&last.Stream, &last.Figures, of)...)
	d.facts(doubts(good)...)
}

// ends counts how the requests ended. For each kind of failure it says what
// happened and what to do; cut, "" for none, says why fewer were sent than asked for.
func ends(d *Doc, runs []metrics.Run, s *metrics.Summary, cut string) {
	finished := say.Finishes(s.Finishes)
	text, and := format.Count(s.Done)+" done", ", "
	if finished != "" {
		text, and = text+": "+finished, "; "
	}
	for _, x := range []struct {
		n    int
		name string
	}{{s.Failed, "failed"}, {s.Truncated, "truncated"}, {s.Cancelled, say.Outcome(metrics.Cancelled)}} {
		text += format.If(x.n > 0, and+format.Count(x.n)+" "+x.name)
	}
	d.fact("ended", text+format.If(s.Done < s.Requests && s.Done > 0, "; the figures hold only those that are done"))
	var failed groups[metrics.FaultKind, *metrics.Run]
	for i := range runs {
		if f := runs[i].Stream.Fault; f != nil {
			failed.add(f.Kind, &runs[i])
		}
	}
	for _, kind := range failed.keys {
		of := failed.of[kind]
		f := of[0].Stream.Fault
		facts := faultFacts("ended", f)
		name := strings.TrimPrefix(say.FaultName(kind, 0), "the ")
		facts[0].Text = format.Count(len(of)) + "× " + format.If(!strings.Contains(f.Message, name), name+": ") + f.Message
		d.facts(facts...)
		texts := pick.Each(of, func(r **metrics.Run) string { return failure(*r) })
		d.fact("ended", strings.Join(format.Few(format.Written(texts...), mostFailures), "; "))
	}
	d.fact("ended", cut)
	var notes groups[string, string]
	for i := range runs {
		for _, n := range runs[i].Stream.Notes {
			notes.add(n.Code, n.Text)
		}
	}
	for _, code := range notes.keys {
		texts := notes.of[code]
		of := "in " + format.Count(len(texts)) + " of " + format.Count(len(runs)) + " requests: "
		d.fact("note", format.If(len(texts) < len(runs), of)+texts[0])
	}
}

// mostFailures is the number of requests of one fault that a report names.
const mostFailures = 3

// failure says of a request that did not end well what had come, and the server's id.
func failure(r *metrics.Run) string {
	return format.Join(", ", say.Arrived(&r.Stream, &r.Figures), say.RequestID(r.Stream.RequestID))
}

// objectives says for each limit how many requests met it.
func objectives(d *Doc, runs []metrics.Run, slos []slo.Objective) {
	for _, o := range slos {
		met := pick.Count(runs, func(r *metrics.Run) bool { return slo.Met(r, o) })
		d.fact("slo", fmt.Sprintf("%s %s: %s of %s within it", o, format.Either(met < len(runs), "MISSED", "met"),
			format.Count(met), format.Count(len(runs))))
	}
}

// costs is what the requests cost together at the configured price, failed ones
// included; "" without a price. Requests whose tokens the server did not count are not
// in the sum, and that is said.
func costs(runs []metrics.Run) string {
	sum, known, cached, currency := 0.0, 0, "", ""
	why := metrics.WhyNoPrice
	for i := range runs {
		s, f := &runs[i].Stream, &runs[i].Figures
		cost := metrics.Cost(s, f)
		if !cost.OK {
			if cost.Why != metrics.WhyNoPrice {
				why = cost.Why
			}
			continue
		}
		sum, known, currency = sum+cost.V, known+1, s.Endpoint.Price.Currency
		if f.CachedTokens.OK && f.CachedTokens.V > 0 && s.Endpoint.Price.CacheRead == 0 {
			cached = ", cached tokens in full"
		}
	}
	switch {
	case known == 0 && why == metrics.WhyNoPrice:
		return ""
	case known == 0:
		return "– (" + format.Why(why) + ")"
	}
	return format.Join(" ", format.Money(sum), currency) + " at the configured price" + cached +
		format.If(known < len(runs), "; "+format.Count(known)+" of "+
			format.Plural(len(runs), "request", "requests")+", the others: "+format.Why(why))
}

// warmup counts the requests before the measured ones; "" for nil.
func warmup(x *loadstat.Warmup) string {
	if x == nil {
		return ""
	}
	text := format.Plural(x.Requests, "request", "requests") + " before these, in no figure"
	if x.Output.OK {
		text += "; " + format.KnownOr(x.Prompt, format.Whole) + " tokens in, " + format.Whole(x.Output.V) + " out" +
			format.If(x.Output.N < x.Requests, " (counted for "+format.Count(x.Output.N)+")")
	} else if why := format.Why(x.Output.Why); why == "" || x.Output.Why == metrics.WhyNotCounted {
		text += "; the server did not count the tokens"
	} else {
		text += "; tokens – (" + why + ")"
	}
	return text + format.If(x.Cost.OK, ", "+format.Money(x.Cost.V)+" "+x.Currency) +
		format.If(x.Failed > 0, "; "+format.Count(x.Failed)+" failed: "+say.FaultKinds(x.Faults)) +
		format.If(x.Cancelled > 0, "; "+format.Count(x.Cancelled)+" "+say.Outcome(metrics.Cancelled))
}

// requests lists the requests that match f, one a line; none for nil.
func requests(d *Doc, runs []metrics.Run, f *request.Filter) {
	if f == nil {
		return
	}
	rows := make([]request.Row, len(runs))
	for i := range runs {
		rows[i] = request.RowOf(i+1, 1, &runs[i].Stream, &runs[i].Figures)
	}
	v := request.ViewOf(rows[0].Began, rows)
	var match request.Selection
	match.Select(&v, f)
	all := format.Plural(len(runs), "request", "requests")
	if len(match.Rows) == 0 {
		d.Note("none of " + all + " matches --list")
		return
	}
	t := &Table{Cols: append(figures("#", "sent", "TTFT", "TPOT", "longest gap", "total", "tokens"), words("ended")...)}
	for _, i := range match.Rows {
		r := v.Row(i)
		sent, tokens := format.Unknown, format.Known(r.Tokens, format.Whole)
		if at, ok := r.Sent.Sub(v.Began); ok {
			sent = format.Ms(float64(at) / 1e6)
		}
		if r.Estimated && r.Tokens.OK {
			tokens = "about " + tokens
		}
		run, end := &runs[r.N-1], say.RequestEnded(r)
		if !r.Good() && r.Status >= 300 {
			end = fmt.Sprintf("%d %s", r.Status, end)
		}
		ms := func(v metrics.Value) string { return format.Known(v, format.Ms) }
		first := cmp.Or(say.Waited(&run.Stream, &run.Figures), ms(r.TTFT))
		t.row(format.Count(r.N), sent, first, ms(r.TPOT), ms(r.Longest), ms(r.Total), tokens,
			format.Join("; ", end, say.RequestRemarks(r), format.If(!r.Good(), failure(run))))
	}
	n := len(match.Rows)
	t.under("listed", format.If(n < len(runs), format.Count(n)+" of "+all))
	d.table(t)
}

// ProbeCSV writes a line for each request, failed ones included.
func ProbeCSV(w io.Writer, runs []metrics.Run) error { return writeCSV(w, runs, runCells) }

// runCells adds the cells of `probe --csv`, in the order in which they were published; a
// new figure is the last one. Figures have the names of the JSON document.
func runCells(l *csvLine, r *metrics.Run) {
	s, f := &r.Stream, &r.Figures
	fault := cmp.Or(s.Fault, &metrics.Fault{})
	figures := func(ids ...figure.ID) {
		for _, id := range ids {
			l.add(figure.Of(id).Key, figure.Of(id).Value(s, f))
		}
	}
	l.add("id", s.ID)
	l.add("started", format.If(!s.Wall.IsZero(), s.Wall.UTC().Format(time.RFC3339Nano)))
	l.add("state", s.State.String())
	l.add("fault", string(fault.Kind))
	l.add("http_status", format.Either[any](fault.Status != 0, fault.Status, ""))
	figures(figure.TTFB, figure.TTFE, figure.TTFT, figure.TTFC, figure.FirstInk, figure.Total, figure.Trailer,
		figure.TPOT, figure.Speed, figure.Peak, figure.ChunkSpeed)
	l.fields("gap_*_ms", &f.Gaps, "p50", "p95", "p99")
	l.boundsOfP99(&f.Gaps)
	l.fields("gap_*_ms", &f.Gaps, "mean", "stddev")
	l.add("gaps", f.Gaps.N)
	l.add("gaps_unknown", f.GapsUnknown)
	figures(figure.Longest, figure.LongGaps, figure.Stalls, figure.StallCost, figure.StallShare,
		figure.PromptTokens, figure.CachedTokens, figure.Tokens)
	l.add("output_tokens_source", format.If(f.Tokens.OK, f.TokenSource.String()))
	figures(figure.ReasoningTokens, figure.Chunks, figure.TokensPerChunk, figure.PrefillSpeed, figure.ServerTTFT,
		figure.ServerSpeed, figure.BelowReading, figure.DNS, figure.TCP, figure.TLS, figure.Sending)
	l.add("reused", s.Conn.Reused)
	l.add("protocol", s.Conn.Proto)
	l.add("stamps", s.Stamps.String())
	figures(figure.LateReads, figure.SharedReads)
	// The codes of the doubts about its figures.
	l.add("suspect", strings.Join(pick.Each(f.Suspect, func(s *metrics.Suspicion) string { return string(s.Code) }), " "))
	figures(figure.Cost)
	l.add("endpoint", s.Endpoint.Name)
	l.add("model", s.Endpoint.Model)
	l.add("answered_model", s.Model)
	l.add("workload", s.Work.Name)
	l.add("url", s.Endpoint.URL)
	l.add("request_id", s.RequestID)
	figures(figure.TTFA)
	l.add("audio_bytes", s.AudioBytes)
	l.add("images", s.Images)
	l.add("image_bytes", s.ImageBytes)
	l.add("api", s.Endpoint.API)
	for _, other := range figure.All() { // those that the table has for CSV
		if other.CSV && !slices.Contains(l.names, other.Key) {
			figures(other.ID)
		}
	}
	l.add("finish_reason", s.FinishReason())
}

// boundsOfP99 adds the bounds of the p99 of gaps: itself where no gap is missing.
func (l *csvLine) boundsOfP99(gaps *metrics.Dist) {
	low, high := gaps.P99, gaps.P99
	if gaps.P99.OK && gaps.Missing.N > 0 {
		low.V, high.V = gaps.Missing.P99.Low, gaps.Missing.P99.High
	}
	l.add("gap_p99_low_ms", low)
	l.add("gap_p99_high_ms", high)
}
