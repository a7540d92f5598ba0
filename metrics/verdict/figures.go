package verdict

import (
	"cmp"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
)

// connection names the time before sent where it is a large part of the time
// to the first token.
func (r *rules) connection() {
	s, f := r.Stream, r.Figures
	if s.Retried > 0 {
		r.add(Finding{Code: Retried, Grade: Notable, Evidence: ByMarks, N: s.Retried})
	}
	if !s.Marks.Sent.Known() {
		return
	}
	c := Finding{Code: Connect, Evidence: ByMarks}
	for i := range f.Wait {
		p := &f.Wait[i]
		if !p.Ms.OK {
			continue
		}
		switch p.Name {
		case metrics.ShareClient, metrics.ShareRetried, metrics.ShareDNS,
			metrics.ShareTCP, metrics.ShareTLS, metrics.ShareSend:
			if c.Ms += p.Ms.V; p.Ms.V > c.PartMs {
				c.Part, c.PartMs = p.Name, p.Ms.V
			}
		}
	}
	wait := f.TTFT
	if !wait.OK {
		wait = f.Elapsed
	}
	if c.Ms < connectLeast || c.Ms < connectShare*(c.Ms+wait.V) {
		return
	}
	switch c.Part {
	case metrics.ShareClient:
		c.Owner = OwnerTokscope
	case metrics.ShareRetried:
	default:
		c.Owner = OwnerNetwork
	}
	c.Grade = noted(c.Ms)
	r.add(c)
}

// firstToken splits the wait after sent. Without times of the server, the
// headers can divide it.
func (r *rules) firstToken() {
	s, f := r.Stream, r.Figures
	if !f.TTFT.OK {
		return
	}
	c := Finding{Code: FirstToken, Grade: graded(f.TTFT.V), Evidence: ByMarks, Ms: f.TTFT.V}
	part, reported := serverPart(f.Wait)
	switch {
	case part != nil:
		c.Part, c.PartMs = part.Name, part.Ms.V
		c.Evidence |= ByServerTimes
		if part.Server {
			c.Owner = OwnerServer
		}
	case !reported && f.TTFB.OK && f.TTFT.V > flow && f.TTFB.V < headersShare*f.TTFT.V && s.Conn.Proxy == "":
		c.Part, c.PartMs = PartHeaders, f.TTFB.V
	}
	r.uploaded(&c)
	if len(s.Chunks) > 0 {
		if ms, tool, _ := s.Worked(s.Marks.Sent, s.Chunks[0].At); ms > c.PartMs {
			c.Part, c.Name, c.PartMs, c.Owner = "", tool.Name, ms, OwnerServer
		}
	}
	if c.Part == "" && c.Name == "" && c.Ms > flow {
		c.connects(s.Path, before(s.Path.ConnectsSince(s.Marks.Sent), s.Chunks))
	}
	u := UsualOf(s, f)
	if c.unusual(&u.TTFT, f.TTFT, true); c.Usual != nil && c.Above {
		c.More = longer(u, f.Wait, c.Ms)
	}
	r.add(c)
}

// serverPart returns the largest part of the wait after sent, nil without
// times of the server and where they exceed the client's wait. reported says
// whether the server gave any.
func serverPart(wait []metrics.Share) (largest *metrics.Share, reported bool) {
	exceeded := false
	for i := range wait {
		p := &wait[i]
		switch {
		case p.Name == metrics.ShareUnexplained && !p.Ms.OK:
			exceeded = true
		case !p.Ms.OK || !p.Server && p.Name != metrics.ShareUnexplained:
			continue
		}
		reported = reported || p.Server
		if largest == nil || p.Ms.V > largest.Ms.V {
			largest = p
		}
	}
	if exceeded || !reported || largest.Ms.V <= 0 {
		largest = nil
	}
	return largest, reported
}

// speed compares the stream with the reader. A count of chunks stands for the
// tokens only where tokens are unknown.
func (r *rules) speed() {
	f := r.Figures
	if r.has(Code(metrics.SuspectTerminalBurst)) || f.Gaps.N < metrics.MinStallGaps {
		return
	}
	c := Finding{Code: Speed, Evidence: ByGaps | ByText}
	switch {
	case f.Speed.OK:
		c.Rate, c.About = f.Speed.V, f.About()
		if !f.Estimated() {
			c.Evidence |= ByUsage
		}
		c.About = c.About || f.Suspects(metrics.SuspectFirstMean)
	case f.ChunkSpeed.OK:
		c.Rate, c.Chunks = f.ChunkSpeed.V, true
	default:
		return
	}
	if f.TimesReading.OK {
		c.reader(f.TimesReading.V, f.Pace.Name)
	}
	if u := UsualOf(r.Stream, f); r.Stream.State == metrics.Done && !f.Estimated() {
		c.unusual(&u.Speed, f.Speed, false)
	}
	c.withoutStalls(r)
	r.add(c)
}

// media says what came beside text.
func (r *rules) media() {
	s, ended := r.Stream, r.Stream.State.Ended()
	if v := r.Figures.TTFA; v.OK {
		f := Finding{Code: Audio, Grade: Good, Evidence: ByMarks, Ms: v.V}
		if ended {
			f.N = int(s.AudioBytes)
		}
		r.add(f)
	}
	if s.Images > 0 && ended {
		r.add(Finding{Code: Images, Grade: Good, Evidence: ByText, N: s.Images, Of: int(s.ImageBytes)})
	}
}

// reader compares a speed with the pace of that name.
func (c *Finding) reader(ratio float64, pace string) {
	c.Ratio, c.Name = ratio, pace
	switch {
	case ratio < 1:
		c.Grade = Bad
	case ratio < readerNear:
		c.Grade = Notable
	}
}

// withoutStalls computes the rate if each stall had been a median gap. Chunks
// that were held back have lost no time.
//
//	Low = Rate · D / (D − Σ(stall − median)),  D = last − first chunk
func (c *Finding) withoutStalls(r *rules) {
	f := r.Figures
	stalled := f.StallCost
	if len(f.Stalls) == 0 || r.has(Code(metrics.SuspectHeld)) || !stalled.OK || !f.Total.OK || !f.TTFT.OK {
		return
	}
	excess := stalled.V
	decode := f.Total.V - f.TTFT.V
	if rest := decode - excess; rest > 0 && decode > stallSaves*rest {
		c.N, c.Ms, c.Low = len(f.Stalls), excess, c.Rate*decode/rest
	}
}

// tools says how long tools of the server worked between the chunks. Of the one that works
// now the present is said.
func (r *rules) tools() {
	s := r.Stream
	if len(s.Chunks) == 0 || s.Working() != nil {
		return
	}
	to := r.Now
	if s.State.Ended() {
		to = s.Marks.End
	}
	if ms, longest, n := s.Worked(s.Chunks[0].At, to); ms > flow {
		r.add(Finding{Code: Tools, Evidence: ByMarks, Owner: OwnerServer, N: n, Ms: ms, Name: longest.Name})
	}
}

// has reports whether a finding of that code was added.
func (r *rules) has(code Code) bool {
	return pick.First(r.found, func(f *Finding) bool { return f.Code == code }) != nil
}

// stalls counts the stalls and places the longest. A stall that ended in a
// flood is the doubt about held chunks, and is not told twice.
func (r *rules) stalls() {
	s, f := r.Stream, r.Figures
	if len(f.Stalls) == 0 {
		return
	}
	longest := slices.MaxFunc(f.Stalls, func(a, b metrics.Stall) int { return cmp.Compare(a.Ms, b.Ms) })
	if len(f.Stalls) == 1 && r.has(Code(metrics.SuspectHeld)) {
		return
	}
	c := Finding{Code: Stalls, Grade: noted(longest.Ms), Evidence: ByGaps, N: len(f.Stalls),
		Ms: longest.Ms, Chunk: longest.Chunk + 1, Ratio: longest.Factor}
	c.AtMs = metrics.Since(s.Marks.Sent, longest.At, 0).V
	// Lag delays our own stamps. It delays no kernel stamp, but what delays us
	// delays a server on the same machine as well. When in the request it was
	// worst is not known, so it is one more possible cause.
	here := s.Endpoint.Kind == metrics.EndpointEmbedded || s.Endpoint.Kind == metrics.EndpointLoopback
	if late := float64(s.Observer.LateMax) / 1e6; (here || s.Stamps != metrics.SourceKernel) &&
		late >= metrics.LagShare*longest.Ms {
		c.Part, c.PartMs, c.Evidence = PartLag, late, c.Evidence|ByLag
	} else {
		c.counted(s, longest.Chunk)
	}
	r.add(c)
}

// lens says the worst verdict of the chosen lens; while the stream runs only
// a missed budget.
func (r *rules) lens() {
	l := slo.LensByKey(r.Lens)
	if l == nil || r.Stream.State > metrics.Done {
		return
	}
	all := l.Judge(slo.LensOfStream(r.Stream, r.Figures, r.Now), r.Task)
	if f, ok := worst(all, r.Lens); ok && (f.Grade == Bad || r.Stream.State.Ended()) {
		r.add(f)
	}
}

// lensGrades are those of what a lens judges; a figure without one was not.
var lensGrades = map[slo.Grade]Grade{slo.GradeMeets: Good, slo.GradeClose: Notable, slo.GradeMisses: Bad}

// worst returns the worst verdict of the lens of that key; ok is false when
// none of its figures is known.
func worst(all []slo.LensVerdict, key string) (f Finding, ok bool) {
	var v *slo.LensVerdict
	for i := range all {
		if _, judged := lensGrades[all[i].Grade]; judged && (v == nil || all[i].Grade > v.Grade) {
			v = &all[i]
		}
	}
	if v == nil {
		return Finding{}, false
	}
	f = Finding{Code: Lens, Grade: lensGrades[v.Grade], Evidence: ByBudget | ByMarks | ByGaps, Name: key, Verdict: v}
	return f, true
}
