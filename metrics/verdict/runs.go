package verdict

import (
	"cmp"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// OfRuns returns what ended runs show together; s is their summary. Figures
// are medians of those that ended well. A doubt that spoils figures is named with the
// number of those that have it, another one and tokscope's own lag when at least half
// have it. One run has the findings of Of.
func OfRuns(runs []metrics.Run, s *metrics.Summary, lens string, task slo.AgentTask) []Finding {
	if len(runs) == 1 {
		r := &runs[0]
		return Of(Input{Stream: &r.Stream, Figures: &r.Figures, Now: r.Stream.Marks.End, Lens: lens, Task: task})
	}
	r := rules{Input: Input{Lens: lens, Task: task}}
	add := func(f Finding) { r.found = append(r.found, f) }
	some := Finding{Code: SomeFailed, Grade: Bad, Evidence: ByFault, Of: s.Requests}
	if some.failed(runs, func(*metrics.Stream) bool { return true }) {
		for i := range runs {
			if st := &runs[i].Stream; st.State == metrics.Failed || st.State == metrics.Truncated {
				some.Chunk = max(some.Chunk, len(st.Chunks), runs[i].Figures.Chunks)
			}
		}
		add(some)
	}
	if s.Cancelled > 0 {
		add(Finding{Code: SomeStopped, Grade: Notable, Evidence: ByFault, N: s.Cancelled, Of: s.Requests})
	}
	good := metrics.GoodOf(runs)
	if len(good) == 0 {
		return r.found
	}
	r.found = append(r.found, finishes(s, good)...)
	usual := usualOfMost(good)
	if m := s.TTFT.P50; m.OK {
		f := Finding{Code: FirstToken, Grade: graded(m.V), Evidence: ByMarks, Ms: m.V, Of: s.TTFT.N}
		f.unusual(&usual.TTFT, m, true)
		f.medianPart(good)
		add(f)
	}
	if m := s.Speed.P50; m.OK {
		f := Finding{Code: Speed, Evidence: ByGaps | ByText, Rate: m.V, About: s.About, Of: s.Speed.N}
		if p := good[len(good)-1].Figures.Pace; s.WPM.P50.OK && p.WPM > 0 {
			f.reader(s.WPM.P50.V/p.WPM, p.Name)
		}
		if !s.About {
			f.unusual(&usual.Speed, m, false)
		}
		add(f)
	}
	if s.Stalls > 0 {
		add(stallsOf(good, s))
	}
	if s.Split != nil {
		add(Finding{Code: SplitTTFT, Grade: Spoils, Evidence: ByMarks, Split: s.Split})
	}
	for _, f := range Doubts(good) {
		few := 2*f.Having < f.Among
		if f.toldBy(s.Split) || few && (f.Grade != Spoils || f.Owner == OwnerTokscope) {
			continue
		}
		if few { // it does not spoil medians
			f.Grade = Notable
		}
		add(f)
	}
	if l := slo.LensByKey(lens); l != nil {
		if f, ok := worst(l.Judge(slo.LensOfSummary(s), task), lens); ok {
			add(f)
		}
	}
	order(r.found)
	return r.found
}

// medianPart takes the largest part of the wait from the run whose TTFT is
// the median; nothing where the median lies between two runs.
func (f *Finding) medianPart(good []*metrics.Run) {
	for _, r := range good {
		if t := r.Figures.TTFT; !t.OK || t.V != f.Ms {
			continue
		}
		if p, _ := serverPart(r.Figures.Wait); p != nil {
			f.Part, f.PartMs, f.Evidence = p.Name, p.Ms.V, f.Evidence|ByServerTimes
			if p.Server {
				f.Owner = OwnerServer
			}
		}
		return
	}
}

// usualOfMost returns what more than half of the runs can be held against, never nil. A
// median outside of where single requests lie is unusual all the more.
func usualOfMost(good []*metrics.Run) *metrics.Usual {
	n := map[*metrics.Usual]int{}
	for _, r := range good {
		u := UsualOf(&r.Stream, &r.Figures)
		if n[u]++; 2*n[u] > len(good) {
			return u
		}
	}
	return &metrics.Usual{}
}

// stallsOf counts the stalls of runs and names the longest.
func stallsOf(good []*metrics.Run, s *metrics.Summary) Finding {
	f := Finding{Code: Stalls, Evidence: ByGaps, N: s.Stalls, Of: s.Done}
	for _, r := range good {
		for _, t := range r.Figures.Stalls {
			f.Ms = max(f.Ms, t.Ms)
		}
	}
	f.Grade = noted(f.Ms)
	return f
}

// toldBy reports whether a split says what the doubt does.
func (f *Finding) toldBy(s *metrics.Split) bool {
	switch f.Code {
	case Code(metrics.SuspectCached):
		return s.Has(metrics.TraitCached) || s.Has(metrics.TraitUncached)
	case OtherModel:
		return s.Has(metrics.TraitModel) && f.Having == s.N && !f.Mixed
	}
	return false
}

// Doubts returns the doubts about runs that ended well, each with the number of those
// that have it, in the order in which the runs bring them up. Its numbers are those of
// the run in the middle of these.
func Doubts(good []*metrics.Run) (out []Finding) {
	var codes []Code
	having := map[Code][]Finding{}
	for _, g := range good {
		r := rules{Input: Input{Stream: &g.Stream, Figures: &g.Figures}}
		r.doubts()
		for _, f := range r.found {
			if having[f.Code] == nil {
				codes = append(codes, f.Code)
			}
			having[f.Code] = append(having[f.Code], f)
		}
	}
	for _, code := range codes {
		all := having[code]
		slices.SortStableFunc(all, bySize)
		f := all[len(all)/2]
		f.Having, f.Among = len(all), len(good)
		f.Mixed = slices.ContainsFunc(all, func(o Finding) bool { return o.Name != f.Name })
		out = append(out, f)
	}
	return out
}

// bySize compares two findings of one code by their numbers.
func bySize(a, b Finding) int {
	if a.Suspect == nil || b.Suspect == nil {
		return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.Name, b.Name))
	}
	s, t := a.Suspect, b.Suspect
	return cmp.Or(cmp.Compare(s.Ratio, t.Ratio), cmp.Compare(s.Ms, t.Ms), cmp.Compare(s.N, t.N))
}
