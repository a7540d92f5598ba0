package metrics

// LensFigure is one figure as a lens looks at it.
type LensFigure struct {
	// Typical is the figure of one request, or what What says of several.
	Typical Value
	// Tail is what one in twenty is worse than: the p95 of a time, the p5 of a
	// speed. Unknown for one request and where there are too few.
	Tail Value
	// What is what Typical is of several requests: "mean", "longest"; "" is the
	// median.
	What string
}

// LensFigures is what a lens judges: one request, several, or a point of a
// load. Times are milliseconds, speeds tok/s. It can be compared with ==.
type LensFigures struct {
	TTFT, TPOT, Speed, Gap, Total, Throughput LensFigure
	Requests                                  int // behind them; 1 for a single request
	// Name says in a few words what the figures are where they are not those of
	// a request, or medians: "mean of 14 requests", "predicted".
	Kind string
	// Waited is how long the first token has been waited for; known only while
	// it is.
	Waited Value
	// Running: the stream goes on, so that the longest gap can still grow.
	Running bool
	// Estimated: the tokens of at least one request were not counted by the
	// server, so that speeds and what is made of them are estimates.
	Estimated bool
}

func alone(v Value) LensFigure {
	return LensFigure{Typical: v, Tail: Unknown("one request has no p95")}
}

func spread(d *Dist) LensFigure { return LensFigure{Typical: d.P50, Tail: d.P95} }

// inverse turns a time a token into a speed. The slow twentieth of the times
// is the slow twentieth of the speeds.
func inverse(v Value) Value {
	if v.OK {
		v = Finite(1000/v.V, v.N)
	}
	return v
}

// LensOfStream returns the figures of one request at now, to which the clock of
// the wait is counted. f are the figures of s; they may be a little older.
func LensOfStream(s *Stream, f *Figures, now Stamp) LensFigures {
	out := LensFigures{
		TTFT: alone(f.TTFT), TPOT: alone(f.TPOT), Speed: alone(f.Speed), Gap: alone(f.Longest), Total: alone(f.Total),
		Throughput: alone(f.Total), Requests: 1, Running: s.State != Idle && !s.State.Ended(), Waited: Unknown("the wait is over"),
		Estimated: f.TokenSource == TokensEstimated,
	}
	if len(s.Chunks) > 0 && !f.TTFT.OK { // the clock stops with the chunk, not with the next count of figures
		out.TTFT = alone(Since(s.Marks.Sent, s.Chunks[0].At, whyNoStamp))
	}
	if out.Running && len(s.Chunks) == 0 {
		out.Waited = Since(s.Marks.Sent, now, whyNotSent)
	}
	if s.State != Done { // a part of an answer has no total
		why := Unknown("the answer is not whole")
		if out.Running {
			why = Unknown("not at its end yet")
		}
		out.Total, out.Throughput = alone(why), alone(why)
	} else if f.Total.OK { // as Summarize counts it for a single request
		if out.Throughput.Typical = f.Tokens; f.Tokens.OK {
			out.Throughput.Typical = Unknown(whyOneStamp)
			if f.Total.V > 0 {
				out.Throughput.Typical = Finite(f.Tokens.V*1000/f.Total.V, 1)
			}
		}
	}
	return out
}

// LensOfRuns returns the medians over the requests of runs that ended well. It
// costs a sort for each figure: once a request, not once a frame.
func LensOfRuns(runs []*Run) LensFigures {
	var of [5][]float64
	n, estimated := 0, false
	for _, r := range runs {
		if r.Stream.State != Done {
			continue
		}
		n++
		f := &r.Figures
		estimated = estimated || f.TokenSource == TokensEstimated
		for i, v := range [...]Value{f.TTFT, f.TPOT, f.Speed, f.Longest, f.Total} {
			if v.OK {
				of[i] = append(of[i], v.V)
			}
		}
	}
	why := "no request ended well"
	if n > 0 {
		why = "none of the requests has it"
	}
	var d [5]Dist
	for i := range d {
		d[i] = DistributionWhy(of[i], why)
	}
	none := Unknown("the runs of a session stand apart: no common window")
	return LensFigures{
		TTFT: spread(&d[0]), TPOT: spread(&d[1]), Speed: LensFigure{Typical: d[2].P50, Tail: inverse(d[1].P95)}, Gap: spread(&d[3]), Total: spread(&d[4]),
		Throughput: LensFigure{Typical: none, Tail: none}, Requests: n, Waited: Unknown("all have ended"), Estimated: estimated,
	}
}

// LensOfSummary returns the medians of a summary.
func LensOfSummary(s *Summary) LensFigures {
	return LensFigures{
		TTFT: spread(&s.TTFT.Dist), TPOT: spread(&s.TPOT.Dist), Speed: LensFigure{Typical: s.Speed.P50, Tail: inverse(s.TPOT.P95)},
		Gap: spread(&s.Longest.Dist), Total: spread(&s.Total.Dist), Throughput: alone(s.Throughput), Requests: s.Done, Waited: Unknown("all have ended"), Estimated: s.Estimated,
	}
}

// of returns the figure that a budget is about.
func (f *LensFigures) of(metric string, task AgentTask) LensFigure {
	switch metric {
	case LensTTFT:
		return f.TTFT
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
		return LensFigure{Typical: step.Time(f.TTFT.Typical, f.TPOT.Typical), Tail: Unknown("the tails of TTFT and TPOT do not add up to one"), What: f.TTFT.What}
	}
	return alone(Unknown("no such figure: " + metric))
}
