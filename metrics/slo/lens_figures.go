package slo

import (
	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// LensFigure is one figure as a lens judges it.
type LensFigure struct {
	// Typical is the figure of one request, or the statistic What of several.
	Typical metrics.Value
	// Tail is the value that one request in twenty exceeds: the p95 of a time,
	// the p5 of a speed. Unknown for one request and where there are too few.
	Tail metrics.Value
	// What is the statistic in Typical: "mean", "longest"; "" is the median.
	What string
}

// FiguresKind names what the figures of a lens are.
type FiguresKind uint8

const (
	// FiguresMeasured: those of one request, or medians of several.
	FiguresMeasured FiguresKind = iota
	// FiguresMeans: means of the requests of an engine.
	FiguresMeans
	// FiguresPredicted: predicted.
	FiguresPredicted
)

// LensFigures is the input of a lens: one request, several, or a point of a
// load. Times are milliseconds, speeds tok/s. It can be compared with ==.
type LensFigures struct {
	TTFT, TPOT, Speed, Gap, Total, Throughput LensFigure
	TTFA                                      LensFigure // of the answers with sound; unknown without any
	Requests                                  int        // number of requests; 1 for a single request
	// Kind is the kind of the figures.
	Kind FiguresKind
	// Waited is the waiting time for the first token so far; known only during
	// the wait.
	Waited metrics.Value
	// Running: the stream goes on, so the longest gap can still grow.
	Running bool
	// Textless of the requests ended well without text: metrics.Figures.Textless.
	Textless int
	// Estimated: the server did not count the tokens of at least one request,
	// so speeds and figures derived from them are estimates.
	Estimated bool
	// Voice is what a voice makes of it; its zero value is not known at all.
	Voice Voice
}

// Voice is what a voice that speaks while the answer arrives makes of it. Times
// are milliseconds, of one request or the medians of several.
type Voice struct {
	// Sentence is Figures.FirstSentence, and Dry is Figures.SpeakerDry.
	Sentence metrics.Value
	Dry      [2]metrics.Value
}

// Known reports whether v is of a stream at all.
func (v *Voice) Known() bool { return *v != Voice{} }

// VoiceOfRuns returns the medians over the runs that ended well.
func VoiceOfRuns(runs []metrics.Run) Voice {
	median := func(id figure.ID) metrics.Value { return over(metrics.GoodOf(runs), id, metrics.WhyNoSentence).Typical }
	return Voice{median(figure.FirstSentence), [2]metrics.Value{median(figure.SpeakerSlow), median(figure.SpeakerFast)}}
}

// over returns a figure of runs that ended well; why says why none has it.
func over(good []*metrics.Run, id figure.ID, why metrics.Why) LensFigure {
	var all []float64
	for _, r := range good {
		if v := figure.Of(id).Value(&r.Stream, &r.Figures); v.OK {
			all = append(all, v.V)
		}
	}
	d := metrics.DistributionWhy(all, why)
	return spread(&d)
}

func alone(v metrics.Value) LensFigure {
	return LensFigure{Typical: v, Tail: metrics.Unknown(metrics.WhyOneRequest)}
}

func spread(d *metrics.Dist) LensFigure { return LensFigure{Typical: d.P50, Tail: d.P95} }

// inverse converts a time per token into a speed. The slowest twentieth of
// the times is the slowest twentieth of the speeds.
func inverse(v metrics.Value) metrics.Value {
	if v.OK {
		v = metrics.Finite(1000/v.V, v.N)
	}
	return v
}

// LensOfStream returns the figures of one request; the waiting time counts up
// to now. f are the figures of s; they may be a little older.
func LensOfStream(s *metrics.Stream, f *metrics.Figures, now metrics.Stamp) LensFigures {
	out := LensFigures{
		TTFT: alone(f.TTFT), TPOT: alone(f.TPOT), Speed: alone(f.Speed), Gap: alone(f.Longest), Total: alone(f.Total),
		Throughput: alone(f.Total), Requests: 1, Running: s.State != metrics.Idle && !s.State.Ended(),
		Waited:    metrics.Unknown(metrics.WhyWaitEnded),
		Estimated: f.Estimated(), Voice: Voice{f.FirstSentence, f.SpeakerDry}, TTFA: alone(f.TTFA),
	}
	if f.Textless(s) {
		out.Textless = 1
	}
	if len(s.Chunks) > 0 && !f.TTFT.OK { // the clock stops with the chunk, not with the next measurement
		out.TTFT = alone(metrics.Since(s.Marks.Sent, s.Chunks[0].At, metrics.WhyNoStamp))
	}
	if out.Running && len(s.Chunks) == 0 {
		out.Waited = metrics.Since(s.Marks.Sent, now, metrics.WhyNotSent)
	}
	if s.State != metrics.Done { // a partial answer has no total
		why := metrics.Unknown(metrics.WhyPartialAnswer)
		if out.Running {
			why = metrics.Unknown(metrics.WhyNotAtEnd)
		}
		out.Total, out.Throughput = alone(why), alone(why)
	} else if f.Total.OK { // as Summarize counts it for a single request
		if out.Throughput.Typical = f.Tokens; f.Tokens.OK {
			out.Throughput.Typical = metrics.Unknown(metrics.WhyOneStamp)
			if f.Total.V > 0 {
				out.Throughput.Typical = metrics.Finite(f.Tokens.V*1000/f.Total.V, 1)
			}
		}
	}
	return out
}

// LensOfRuns returns the medians over good, requests that ended well.
// It sorts for each figure: call it once per request, not once per frame.
func LensOfRuns(good []*metrics.Run) LensFigures {
	none := metrics.Unknown(metrics.WhyNoCommonWindow)
	out := LensFigures{Throughput: LensFigure{Typical: none, Tail: none}, Waited: metrics.Unknown(metrics.WhyAllEnded)}
	for _, r := range good {
		if r.Figures.Textless(&r.Stream) {
			out.Textless++
		}
		out.Estimated = out.Estimated || r.Figures.Estimated()
	}
	why := metrics.WhyNoneEndedWell
	if out.Requests = len(good); out.Requests > 0 {
		why = metrics.WhyNoneHasIt
	}
	of := func(id figure.ID) LensFigure { return over(good, id, why) }
	out.TTFT, out.TTFA, out.TPOT = of(figure.TTFT), of(figure.TTFA), of(figure.TPOT)
	out.Speed, out.Gap, out.Total = of(figure.Speed), of(figure.Longest), of(figure.Total)
	out.Speed.Tail = inverse(out.TPOT.Tail)
	return out
}

// LensOfSummary returns the medians of a summary.
func LensOfSummary(s *metrics.Summary) LensFigures {
	return LensFigures{
		TTFT: spread(&s.TTFT.Dist), TTFA: spread(&s.TTFA.Dist), TPOT: spread(&s.TPOT.Dist),
		Speed: LensFigure{Typical: s.Speed.P50, Tail: inverse(s.TPOT.P95)},
		Gap:   spread(&s.Longest.Dist), Total: spread(&s.Total.Dist), Throughput: alone(s.Throughput),
		Requests: s.Done, Textless: s.Textless, Waited: metrics.Unknown(metrics.WhyAllEnded), Estimated: s.About,
	}
}

// Sounds reports whether half of the answers or more are sound.
func (f *LensFigures) Sounds() bool {
	return f.TTFA.Typical.OK && 2*max(f.TTFA.Typical.N, 1) >= f.Requests
}

// of returns the figure of a budget's metric.
func (f *LensFigures) of(metric string, task AgentTask) LensFigure {
	switch metric {
	case LensTTFT:
		return f.TTFT
	case LensTTFA:
		return f.TTFA
	case LensSpeed:
		return f.Speed
	case LensGap:
		return f.Gap
	case LensTotal:
		return f.Total
	case LensThroughput:
		return f.Throughput
	case LensStep:
		step := AgentTask{1, task.Tokens}
		return LensFigure{Typical: step.Time(f.TTFT.Typical, f.TPOT.Typical),
			Tail: metrics.Unknown(metrics.WhyTailsDoNotAdd), What: f.TTFT.What}
	}
	return alone(metrics.Unknown(metrics.WhyNoFigure))
}
