package report

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// whole is what the record of a single request says beyond the figures of a probe: those
// of one that did not end well, and its parts.
func whole(d *Doc, run *metrics.Run) {
	s, f := &run.Stream, &run.Figures
	if s.State != metrics.Done {
		d.fact("TTFT", cmp.Or(say.Waited(s, f), format.KnownOr(f.TTFT, format.Ms)))
		d.fact("TPOT", tpot(f))
		d.fact("speed", format.KnownOr(f.Speed, format.Rate))
		d.fact("peak", say.Peak(f))
		d.fact("gap", gapText(f))
		d.fact("bounds", say.Missing(&f.Gaps))
		d.facts(details(s, f, "")...)
		d.facts(doubts([]*metrics.Run{run})...)
	}
	d.fact("tokens", tokens(s, f))
	if f.ITL.N > 0 {
		unknown := func(metrics.Value) string { return format.Unknown }
		d.fact("gap/token", fmt.Sprintf("%s (n = %s gaps, tokens %s)", percentiles(&f.ITL, unknown), format.Count(f.ITL.N),
			say.ITLSource(f.ITLFrom)))
	}
	if f.Reasoning.Chunks > 0 {
		d.fact("reasoning", phaseText(&f.Reasoning))
		d.fact("answer", phaseText(&f.Answer))
	}
	if s.Fault != nil {
		d.fact("code", s.Fault.Code)
	}
}

// mostStalls is the number of stalls that a report explains.
const mostStalls = 5

// worded are the lines of figures that say more than a label and a value.
var worded = [figure.Count]bool{
	figure.TTFT: true, figure.TPOT: true, figure.Speed: true, figure.Peak: true, figure.Gap: true,
	figure.GapPerToken: true, figure.Total: true, figure.StallCost: true, figure.BelowReading: true,
	figure.PrefillSpeed: true, figure.Cost: true,
}

// details are what a request's record says beyond its main figures: how its time adds
// up. of says which request it is; what names a chunk does not need it.
func details(s *metrics.Stream, f *metrics.Figures, of string) (out []Fact) {
	add := func(name string, known bool, text string) {
		if known && text != "" {
			out = append(out, Fact{Name: name, Text: text + of})
		}
	}
	add("total", true, format.Join(" = ", format.KnownOr(f.Total, format.Ms), say.Identity(f)))
	add("tail", f.Trailer.OK, format.Known(f.Trailer, format.Ms)+" from the last chunk to "+
		format.Either(s.Conn.LeftOpen, "the last event; the body stayed open", "the end of the body"))
	add("firsts", f.TTFB.OK || f.TTFT.OK, firsts(f))
	add("stall cost", f.StallCost.OK && (len(f.Stalls) > 0 || f.LongGaps.V > 0),
		fmt.Sprintf("%s, %s of the decode time; %s over 1 s", format.Ms(f.StallCost.V),
			format.Known(f.StallShare, format.Percent), format.Plural(int(f.LongGaps.V), "gap", "gaps")))
	add("trend", f.HasTrend(), format.Change(f.Trend.V/100)+" per 1000 tokens")
	add("reader", f.BelowReading.OK, reader(f))
	add("prefill", f.PrefillSpeed.OK, "at least "+format.Known(f.PrefillSpeed, format.Rate)+", by the wait")
	add("server TTFT", f.ServerTTFT.OK, format.Known(f.ServerTTFT, format.Ms)+" by the server's own times")
	add("decode", f.ServerSpeed.OK, format.Known(f.ServerSpeed, format.Rate)+" by the server's own times")
	out = append(out, Fact{Name: "the wait", Text: wait(f, of)})
	add("served", true, say.Served(s))
	add("server says", true, strings.Join(pick.Each(s.Server, func(t *metrics.ServerTime) string {
		return fmt.Sprintf("%s %s (%s)", t.Name, format.Duration(t.D), t.From)
	}), ", "))
	for i := range figure.All() {
		if row := &figure.All()[i]; row.Text && !worded[row.ID] {
			v := row.Value(s, f)
			add(row.Label, v.OK, format.Figure(row.ID, v.V))
		}
	}
	add("audio", s.AudioBytes > 0, format.Amount(float64(s.AudioBytes), "B"))
	add("images", s.Images > 0, format.Count(s.Images)+", "+format.Amount(float64(s.ImageBytes), "B"))
	path := say.Path(s.Path)
	add("path", path != "", path+format.If(s.Conn.Proxy != "", ", as far as the proxy"))
	explained := 0
	for _, t := range f.Stalls {
		if g := s.Path.Gap(t.Chunk); path != "" && g != nil && explained < mostStalls {
			explained++
			out = append(out, Fact{Name: "stall",
				Text: format.Ms(t.Ms) + " at chunk " + format.Count(t.Chunk+1) + ": " + say.PathCause(g).String()})
		}
	}
	return append(out, Fact{Name: "silence", Text: format.If(path != "", say.PathConnects(s.Path))})
}

// doubts are the doubts about the figures of runs that ended well, each with the number
// of those that have it.
func doubts(good []*metrics.Run) (out []Fact) {
	for _, f := range verdict.Doubts(good) {
		if f.Suspect != nil && f.Suspect.Code != metrics.SuspectLate { // delayFacts says it
			out = append(out, Fact{Name: "note", Text: say.Doubt(&f)})
		}
	}
	return out
}

// firsts is the ladder of the first things that came, each as early as it was.
func firsts(f *metrics.Figures) string {
	var parts []string
	for _, x := range []struct {
		name string
		v    metrics.Value
	}{{"byte", f.TTFB}, {"event", f.TTFE}, {"token", f.TTFT}, {"content", f.TTFC}, {"non-blank", f.FirstInk}} {
		parts = append(parts, x.name+" "+format.Known(x.v, format.Ms))
	}
	return strings.Join(parts, ", ")
}

// tokens counts what went in and came out.
func tokens(s *metrics.Stream, f *metrics.Figures) string {
	in := "prompt tokens not reported"
	if f.PromptTokens.OK {
		in = format.Whole(f.PromptTokens.V) + " tokens in" + format.If(f.CachedTokens.OK && f.CachedTokens.V > 0,
			" ("+format.Whole(f.CachedTokens.V)+" from the server's cache)") +
			format.If(s.Usage.CacheWritten > 0, ", "+format.Count(s.Usage.CacheWritten)+" written to the server's cache")
	}
	out := format.Plural(f.Chunks, "chunk", "chunks") + " out, tokens not reported"
	switch {
	case f.Chunks == 0:
		out = "no output"
	case f.Tokens.OK:
		each := format.Number(f.TokensPerChunk.V)
		out = fmt.Sprintf("%s tokens out (%s), %s", format.Whole(f.Tokens.V),
			say.TokensFrom(f.TokenSource), format.Plural(f.Chunks, "chunk", "chunks")) +
			format.If(f.ReasonTokens.OK && f.ReasonTokens.V > 0, ", "+format.Whole(f.ReasonTokens.V)+" tokens of reasoning") +
			format.If(f.TokensPerChunk.OK && each != "1.00", ", "+each+" tokens per chunk")
	}
	out += format.If(f.Choices > 1, ", "+format.Count(f.Choices)+" choices")
	most := format.If(s.Work.MaxTokens > 0, "at most "+format.Count(s.Work.MaxTokens)+" asked for")
	return format.Join(", ", in, out, most, format.If(f.ChunkSpeed.OK, format.Number(f.ChunkSpeed.V)+" chunks/s"))
}

func ending(s *metrics.Stream) string {
	switch {
	case s.State == metrics.Cancelled && s.Fault != nil && s.Fault.Message != say.Outcome(s.State): // why
		return say.Outcome(s.State) + ": " + strings.TrimPrefix(s.Fault.Message, "stopped: ")
	case s.State == metrics.Cancelled:
		return say.Outcome(s.State)
	case s.Fault != nil:
		what := s.State.String()
		for _, part := range []string{format.If(s.Fault.Status != 0, fmt.Sprintf("HTTP %d", s.Fault.Status)), s.Fault.Code} {
			if part != "" && !strings.Contains(s.Fault.Message, part) { // said once
				what += ", " + part
			}
		}
		return what + ": " + s.Fault.Message
	}
	return s.State.String() + ", " + say.FinishReason(s.Finish)
}

func tpot(f *metrics.Figures) string {
	if !f.TPOT.OK {
		return format.Reason(f.TPOT)
	}
	return fmt.Sprintf("%s (n = %s tokens, %s)", format.Ms(f.TPOT.V),
		format.Known(f.DecodeTokens, format.Whole),
		say.TokensFrom(format.Either(f.Estimated(), metrics.TokensEstimated, f.TokenSource)))
}

// phaseText is one part of an output that has two.
func phaseText(p *metrics.Phase) string {
	return format.Plural(p.Chunks, "chunk", "chunks") +
		format.If(p.Tokens.OK, ", "+format.Whole(p.Tokens.V)+" tokens") +
		format.If(p.First.OK && p.Last.OK, ", from "+format.Ms(p.First.V)+" to "+format.Ms(p.Last.V)) +
		format.If(p.TPOT.OK && p.Speed.OK, ", TPOT "+format.Ms(p.TPOT.V)+", "+format.Rate(p.Speed.V))
}

// wait describes the parts of the time before the first chunk: this program,
// the network or the server. Each figure is tied to its name and its unit. of says
// which request it is. It is "" where no part is known.
func wait(f *metrics.Figures, of string) string {
	var before, byServer, after []string
	for _, x := range f.Wait {
		if !x.Ms.OK {
			continue
		}
		name := x.Name
		switch x.Name {
		case metrics.ShareSend:
			name = "sent"
		case metrics.ShareServer:
			name = "not queue or prefill"
		case metrics.ShareUnexplained:
			name = "network or unreported"
		}
		switch text := name + format.Tie + strings.Replace(format.Ms(x.Ms.V), " ", format.Tie, 1); {
		case x.Server:
			byServer = append(byServer, text)
		case len(byServer) > 0:
			after = append(after, text)
		default:
			before = append(before, text)
		}
	}
	says, silent := "", "; server reports no timings"
	if len(byServer) > 0 {
		says, silent = "server says: "+strings.Join(byServer, ", "), ""
	}
	text := join(strings.Join(before, ", "), says, strings.Join(after, ", "))
	return format.If(text != "", text+of+silent)
}

func gapText(f *metrics.Figures) string {
	d := f.Gaps
	if d.N == 0 {
		return format.Reason(f.Longest)
	}
	longest := format.KnownOr(f.Longest, format.Ms) +
		format.If(f.Longest.OK && f.LongestChunk >= 0, " before chunk "+format.Count(f.LongestChunk+1))
	inside := format.If(f.GapsUnknown > 0, ", "+format.Count(f.GapsUnknown)+" inside bursts unknown")
	marks := format.Join(", ", format.If(len(f.Stalls) > 0, format.Plural(len(f.Stalls), "stall", "stalls")),
		format.If(len(f.Bursts) > 0, format.Plural(len(f.Bursts), "burst", "bursts")))
	return fmt.Sprintf("%s, mean %s ± %s, longest %s%s (n = %s%s)", percentiles(&d, format.Reason),
		format.Known(d.Mean, format.Ms), format.Known(d.StdDev, format.Ms), longest,
		format.If(marks != "", "; "+marks), format.Count(d.N), inside)
}

// percentiles writes those of d; unknown writes one that is not known.
func percentiles(d *metrics.Dist, unknown func(metrics.Value) string) string {
	at := func(v metrics.Value, b metrics.Bound) string {
		return format.Either(v.OK, format.Bounded(v, b, format.Ms), unknown(v))
	}
	return "p50 " + at(d.P50, d.Missing.P50) + ", p95 " + at(d.P95, d.Missing.P95) + ", p99 " + at(d.P99, d.Missing.P99)
}

// reader is how a reader at the pace gets on.
func reader(f *metrics.Figures) string {
	waits := fmt.Sprintf("waits %s of the time; a head start of %s avoids it",
		format.Percent(f.BelowReading.V), format.Ms(f.ReaderWait.V))
	return format.Either(f.ReaderWait.V > 0, waits, "never waits after the first word") +
		format.If(f.WPM.OK, fmt.Sprintf("; %s came at %s a minute, counted by %s",
			format.Plural(f.Words, "word", "words"), format.Number(f.WPM.V), f.WordsFrom))
}

// Origin says which program on which machine made a report. Its zero value is
// left out of the report.
type Origin struct {
	Version string // of tokscope
	System  string // "linux/amd64"
	CPUs    int
}

// String is "tokscope v1.2.3, linux/amd64, 8 CPUs"; "" for the zero Origin.
func (o Origin) String() string {
	if o == (Origin{}) {
		return ""
	}
	return format.Join(", ", "tokscope "+o.Version, o.System, format.Plural(o.CPUs, "CPU", "CPUs"))
}

// started is the UTC time of a request, "" without one.
func started(s *metrics.Stream) string {
	return format.If(!s.Wall.IsZero(), s.Wall.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// ran says in one line where a sentence comes from: time, target, model,
// address, the server's id of the request, program and machine.
func ran(s *metrics.Stream, by Origin) string {
	return join(slices.Compact([]string{started(s), s.Endpoint.Name, s.Endpoint.URL, s.Endpoint.API,
		cmp.Or(s.Model, s.Endpoint.Model), s.Conn.Remote, say.RequestID(s.RequestID), by.String()})...)
}

// summaryRuns is the largest number of runs in the exit summary; the file has
// them all.
const summaryRuns = 12

// Runs lists the runs of a session, newest last, and the path of their data, for the
// scrollback after the interface has closed. It is empty without runs. A sentence
// says what the last of them shows. The Form's objectives are of no use here.
func Runs(runs []metrics.Run, form Form) *Doc {
	d := &Doc{}
	if len(runs) == 0 {
		return d
	}
	last := &runs[len(runs)-1]
	found := verdict.Of(verdict.Input{Stream: &last.Stream, Figures: &last.Figures,
		Now: last.Stream.Marks.End, Earlier: runs, Session: true, Lens: form.Lens, Task: form.Task})
	d.lead(fmt.Sprintf("Run %d, %s: %s", last.Stream.Number(), last.Stream.Endpoint.Name,
		cmp.Or(say.Conclusion(found), "no times are known.")))
	var sources []string
	for _, r := range runs {
		if r.Stream.Events > 0 {
			sources = append(sources, r.Stream.Stamps.String())
		}
	}
	shown := format.If(len(runs) > summaryRuns, fmt.Sprintf(", the last %d", summaryRuns))
	d.Note("tokscope: " + format.Plural(len(runs), "run", "runs") + shown + ", " +
		say.Stamps(loadstat.JoinStamps(sources...)))
	t := &Table{Cols: slices.Concat(figures("run"), words("endpoint"),
		figures("TTFT", "TPOT", "speed", "tokens"), words("ended"))}
	for _, r := range runs[max(len(runs)-summaryRuns, 0):] {
		s, f := &r.Stream, &r.Figures
		end := say.Outcome(s.State)
		if s.Fault != nil && s.State != metrics.Cancelled {
			end += ": " + s.Fault.Message
		} else if f.Chunks == 0 && s.State == metrics.Cancelled {
			end += ", " + say.Came(s)
		}
		guessed := format.If(f.Tokens.OK && f.TokenSource == metrics.TokensEstimated, "about ")
		t.row(fmt.Sprint(s.ID), s.Endpoint.Name, cmp.Or(say.Waited(s, f), format.Known(f.TTFT, format.Ms)),
			format.Known(f.TPOT, format.Ms), format.Known(f.Speed, format.Rate),
			guessed+format.Known(f.Tokens, format.Whole), end)
	}
	d.table(t)
	d.fact("measured", ran(&last.Stream, form.By))
	d.here("data", form.Path)
	for i := range runs {
		// Those of a file stand together; on a page each has a copy of its own.
		if t := runs[i].Stream.Tool; i == 0 || !reflect.DeepEqual(t, runs[i-1].Stream.Tool) {
			d.toolFile(t)
		}
	}
	return d
}

// toolFile says what is known of the file of another program, nothing for nil.
func (d *Doc) toolFile(f *metrics.ToolFile) {
	if f == nil {
		return
	}
	d.fact("file", "of "+format.Join(" ", f.Tool, f.Version)+", by whose clock its times are")
	d.fact("not in it", f.Lacks...)
	d.fact("its figures", say.ToolFigures(f, ""))
	d.fact("they differ", format.Few(say.ToolDiffers(f), 10)...)
}

const (
	histogramRows  = 20   // rows of a histogram, at most, without those of its tails
	histogramCells = 24   // width of its longest bar
	histogramLeast = 1e-3 // ms; shorter times have one row
	histogramTail  = 0.01 // share of the values at each end that have one row
)

// histograms lists how TTFT and the gaps are distributed.
func histograms(d *Doc, runs []metrics.Run, s *metrics.Summary) {
	histogram(d, "TTFT of "+format.Plural(s.TTFT.N, "request", "requests"), "requests",
		&s.TTFT.Dist, func(h *metrics.Histogram) {
			for i := range runs {
				if f := &runs[i].Figures; runs[i].Stream.State == metrics.Done && f.TTFT.OK {
					h.Add(f.TTFT.V)
				}
			}
		})
	title := format.Plural(s.Gaps.N, "known gap", "known gaps") +
		format.If(s.GapsUnknown > 0, "; not here: "+format.Count(s.GapsUnknown)+" inside reads") +
		format.If(s.Trimmed > 0, "; counts of bins are within 0.6 % of their ends")
	histogram(d, title, "gaps", &s.Gaps, func(h *metrics.Histogram) { h.AddGaps(runs) })
}

// histogram lists one distribution: a row for each bin, with the count in it and the
// share of all values up to its end. fill counts its values, ms.
func histogram(d *Doc, title, counted string, of *metrics.Dist, fill func(*metrics.Histogram)) {
	if of.N == 0 {
		d.Note(title + ": – (" + format.Why(of.P50.Why) + ")")
		return
	}
	fine := metrics.NewHistogram(max(of.Min.V, histogramLeast), max(of.Max.V, histogramLeast)*1.001, 100)
	fill(fine)
	low, high := fine.Central(histogramTail)
	h := metrics.HistogramOver(low*1.0001, high*0.9999, histogramRows) // not one bin more for an edge
	fill(h)
	most, sum := float64(max(h.Top(), h.Below, h.Above)), 0
	t := &Table{Title: title, Cols: append(figures("from", "below", counted, "up to here"),
		Column{Words: true, Drawn: true})}
	add := func(from, below string, n int) {
		sum += n
		t.row(from, below, format.Count(n), format.Percent(float64(sum)/float64(h.N)),
			bar(float64(n), most, histogramCells, d.ASCII))
	}
	if h.Below > 0 {
		add(format.Ms(of.Min.V), format.Ms(h.Low), h.Below)
	}
	for i, n := range h.Counts {
		add(format.Ms(h.Edge(i)), format.Ms(h.Edge(i+1)), n)
	}
	if h.Above > 0 {
		add(format.Ms(h.Edge(len(h.Counts))), "and more", h.Above)
	}
	d.table(t)
}
