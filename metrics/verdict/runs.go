package verdict

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// OfRuns returns what ended runs show together; s is their summary. Figures
// are medians of those that ended well. A doubt is named when at least half of
// them have it. One run has the findings of Of.
func OfRuns(runs []metrics.Run, s *metrics.Summary, lens string, task slo.AgentTask) []Finding {
	if len(runs) == 1 {
		r := &runs[0]
		return Of(Input{Stream: &r.Stream, Figures: &r.Figures, Now: r.Stream.Marks.End, Lens: lens, Task: task})
	}
	r := rules{Input: Input{Lens: lens, Task: task}}
	add := func(f Finding) { r.found = append(r.found, f) }
	if n := s.Failed + s.Truncated; n > 0 {
		f := Finding{Code: SomeFailed, Grade: Bad, Evidence: ByFault, N: n, Of: s.Requests}
		f.mostFaults(s.Faults)
		add(f)
	}
	if s.Cancelled > 0 {
		add(Finding{Code: SomeStopped, Grade: Notable, Evidence: ByFault, N: s.Cancelled, Of: s.Requests})
	}
	var good []*metrics.Run
	for i := range runs {
		if runs[i].Stream.State == metrics.Done {
			good = append(good, &runs[i])
		}
	}
	if len(good) == 0 {
		return r.found
	}
	if m := s.TTFT.P50; m.OK {
		f := Finding{Code: FirstToken, Grade: graded(m.V), Evidence: ByMarks, Ms: m.V, Of: s.TTFT.N}
		f.medianPart(good)
		add(f)
	}
	if m := s.Speed.P50; m.OK {
		f := Finding{Code: Speed, Evidence: ByGaps | ByText, Rate: m.V, About: s.Estimated, Of: s.Speed.N}
		if p := good[len(good)-1].Figures.Pace; s.WPM.P50.OK && p.WPM > 0 {
			f.reader(s.WPM.P50.V/p.WPM, p.Name)
		}
		add(f)
	}
	if s.Stalls > 0 {
		add(stallsOf(good, s))
	}
	r.found = append(r.found, commonDoubts(good)...)
	if l := slo.LensByKey(lens); l != nil {
		if f, ok := worst(l.Judge(slo.LensOfSummary(s), task), lens); ok {
			add(f)
		}
	}
	order(r.found)
	return r.found
}

// mostFaults takes the kind that more than half of the N failures have. faults
// are in the order of their number; those that the person stopped do not count.
func (f *Finding) mostFaults(faults []metrics.FaultCount) {
	f.Mixed = true
	for _, c := range faults {
		if c.Kind == metrics.FaultCancelled {
			continue
		}
		if 2*c.N > f.N {
			f.Part, f.Mixed = string(c.Kind), c.N < f.N
		}
		return
	}
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

// stallsOf counts the stalls of runs and names the longest.
func stallsOf(good []*metrics.Run, s *metrics.Summary) Finding {
	f := Finding{Code: Stalls, Grade: Notable, Evidence: ByGaps, N: s.Stalls, Of: s.Done}
	for _, r := range good {
		for _, t := range r.Figures.Stalls {
			f.Ms = max(f.Ms, t.Ms)
		}
	}
	if f.Ms > flow {
		f.Grade = Bad
	}
	return f
}

// commonDoubts returns the last run's doubts that at least half of the runs
// have.
func commonDoubts(good []*metrics.Run) []Finding {
	seen := map[Code]int{}
	var last []Finding
	for _, g := range good {
		r := rules{Input: Input{Stream: &g.Stream, Figures: &g.Figures}}
		r.doubts()
		for i := range r.found {
			seen[r.found[i].Code]++
		}
		last = r.found
	}
	out := last[:0]
	for _, f := range last {
		if 2*seen[f.Code] >= len(good) {
			out = append(out, f)
		}
	}
	return out
}
