package live

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// headline is one of the three numbers of the screen.
type headline struct {
	label string
	num   string
	unit  string
	below string      // its context: n, percentile, factor
	brief string      // the same where it has no room; "": cut
	role  themes.Role // of the number
	about bool        // it rests on an estimate
}

// ttft is the time to first token: a running clock while it is waited for.
func (p *canvas) ttft() headline {
	v, st := p.v, &p.v.Stream
	f := headline{label: "TTFT", unit: "ms", role: themes.Dim}
	val := v.Figures.TTFT
	if !val.OK && len(st.Chunks) > 0 {
		// The clock stops with the chunk, not with the next update of the
		// figures.
		if d, ok := st.Chunks[0].At.Sub(st.Marks.Sent); ok {
			val = metrics.Known(float64(d)/1e6, 0)
		}
	}
	switch {
	case val.OK:
		f.num, f.unit = p.split(val)
		f.role = themes.Strong
		f.below, f.brief = p.typical()
	case st.State == metrics.Waiting || st.State == metrics.Decoding:
		if d, ok := v.Now.Sub(st.Marks.Sent); ok {
			b, unit := format.AppendStopwatch(p.Scratch(), float64(d)/1e6)
			f.num, f.unit = p.Keep(b), unit
		}
		f.role, f.below, f.brief = v.waitRole(), "so far", "so far"
		if usual, _ := p.typical(); usual != "" {
			f.below = p.Join("so far, ", usual)
		}
	case st.Asking:
		f.below = "not begun"
	case st.State == metrics.Connecting:
		f.below = "connecting"
	case st.State != metrics.Idle:
		f.num, f.below = draw.Unknown, format.Why(val.Why)
		if ran := st.Ran(); ran.OK && len(st.Chunks) == 0 {
			num, unit := p.split(ran)
			f.num, f.unit, f.role, f.below = p.Join(">", num), unit, themes.Strong, say.Came(st)
		}
	}
	return f
}

// interrupts is the wait without feedback from which on a person's flow of thought is
// interrupted: that of metrics/verdict.
const interrupts = metrics.Stamp(1e9)

// waitRole is the color of a wait in every place of the screen: that of how long it lasts.
func (v *View) waitRole() themes.Role {
	st := &v.Stream
	from := st.Marks.Sent
	if !from.Known() {
		from = st.Marks.Start
	}
	return themes.Heat(draw.Heat(metrics.Since(from, v.Now, 0).V))
}

// typical is the TTFT that is usual on this machine, else the median over the session's comparable runs.
func (p *canvas) typical() (full, brief string) {
	if u := p.v.Stream.Usual; u != nil && u.TTFT.Known() {
		usual := p.Join("usual ", p.bare(metrics.Known(u.TTFT.Median, 0)))
		return usual, usual
	}
	if p.median.N < 2 {
		return "", ""
	}
	brief = p.Join("p50 ", p.bare(*p.median))
	return p.Join(brief, " n=", p.Count(p.median.N)), brief
}

// begun reports whether figures of an answer can be known: it has chunks, or has ended.
func (p *canvas) begun() bool { return len(p.v.Stream.Chunks) > 0 || p.v.Stream.State.Ended() }

// tpot is the time per output token, with the p99 of the gaps per token below.
func (p *canvas) tpot() headline {
	v := &p.v.Figures
	f := headline{label: "TPOT", unit: "ms", role: themes.Dim}
	if p.begun() {
		f.num, f.unit = p.split(v.TPOT)
	}
	f.about = v.TPOT.OK && v.About()
	switch {
	case v.TPOT.OK:
		f.role = themes.Strong
		if x := p.undelayed(); x != nil && !x.Chunks {
			f.brief = p.Join(p.bare(metrics.Known(1000/x.Low, 0)), " without")
			f.below = p.Join(f.brief, " the ", format.Either(x.N == 1, "pause", "pauses"))
		} else if v.ITL.P99.OK {
			at, most := v.ITL.P99, ""
			if b := v.ITL.Missing.P99; b.Wide() {
				at.V, most = b.High, format.AtMost
			}
			f.below = p.Join("gap/token p99 ", most, p.bare(at))
			f.brief = p.Join("p99 ", most, p.bare(at))
		} else {
			f.below = p.Join("p99 – n=", p.Count(v.ITL.N))
		}
	case p.begun():
		f.below = format.Why(v.TPOT.Why)
	}
	return f
}

// speed is how fast one user is served, in the unit that was chosen. Where
// tokens are unknown it counts chunks, and says so.
func (p *canvas) speed() headline {
	v := &p.v.Figures
	f := headline{label: "speed", unit: "tok/s", role: themes.Dim}
	if p.begun() {
		f.num = draw.Unknown
	}
	val := v.Speed
	switch {
	case p.v.Units == Units[1]:
		val, f.unit = v.WPM, "wpm"
	case p.v.Units == Units[2]:
		val, f.unit = v.TPOT, "ms/token"
	case !val.OK && v.ChunkSpeed.OK:
		val, f.unit = v.ChunkSpeed, "chunks/s"
	}
	if val.OK {
		f.num, f.role = p.NumberOf(val), themes.Strong
		f.about = v.About() && (f.unit == Units[0] || f.unit == Units[2])
	}
	if v.TimesReading.OK && p.boxless { // there is no row for it
		f.brief = p.times(v.TimesReading)
		f.below = p.Join(p.pace().Name, " ", f.brief)
	}
	if x := p.undelayed(); x != nil {
		f.brief = p.Join(p.Number(x.Low), " without")
		f.below = p.Join(f.brief, " the ", format.Either(x.N == 1, "pause", "pauses"))
	}
	switch {
	case p.stalling(): // the number is that of before
		f.role, f.below, f.brief = themes.Dim, "before the pause", "paused"
	case p.begun() && !val.OK:
		f.below = format.Why(val.Why)
	}
	return f
}

// undelayed is the finding that has the speed without the pauses, nil where they cost little.
func (p *canvas) undelayed() *verdict.Finding {
	return pick.First(p.v.Findings, func(x *verdict.Finding) bool { return x.Code == verdict.Speed && x.Low > 0 })
}

// pace is the pace compared with.
func (p *canvas) pace() metrics.Pace { return cmp.Or(p.v.Pace, metrics.Paces[0]) }

// compare takes from the session what is compared with the present stream: the median
// TTFT, unknown until its connection is known, the trends, the runs that the scope shows
// and those of the lens. It does so only when the session grows, and when more is known
// of the present connection. Runs of the same work may have had another connection:
// TTFT begins when the request is sent.
func (s *picture) compare(v *View) {
	as, present := metrics.ConditionsOf(&v.Stream), &v.Stream
	if s.counted == len(v.Runs) && s.countedFor == present.ID && s.countedAs == as {
		return
	}
	s.counted, s.countedFor, s.countedAs = len(v.Runs), present.ID, as
	s.ttfts, s.scope.past, s.lens.runs = s.ttfts[:0], s.scope.past[:0], s.lens.runs[:0]
	s.trends.runs, s.trends.other, s.trends.all = s.trends.runs[:0], s.trends.other[:0], 0
	for i := range v.Runs {
		r := &v.Runs[i]
		of := metrics.ConditionsOf(&r.Stream)
		alike, earlier := of.Fit(as), r.Stream.ID != present.ID
		if alike && r.Stream.State == metrics.Done {
			if as.Connected && r.Figures.TTFT.OK {
				s.ttfts = append(s.ttfts, r.Figures.TTFT.V)
			}
			if earlier {
				s.lens.runs = append(s.lens.runs, r)
			}
		}
		if !of.Request().Fit(as.Request()) {
			continue
		}
		if earlier && len(r.Stream.Chunks) > 1 {
			s.scope.past = append(s.scope.past, r)
		}
		if present.State != metrics.Idle && r.Stream.State != metrics.Cancelled {
			s.trends.add(r, alike)
		}
	}
	s.median = metrics.Median(s.ttfts, metrics.WhyNoValues)
	s.scope.past = s.scope.past[max(len(s.scope.past)-scope.MostPast, 0):]
	s.lens.past = slo.LensOfRuns(s.lens.runs)
}
