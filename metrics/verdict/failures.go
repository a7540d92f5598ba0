package verdict

import "tokscope/metrics"

// Failures counts how runs failed, the most frequent way first, of those that fit. Runs
// that a person stopped did not fail. It asks fits once of each.
func Failures(runs []metrics.Run, fits func(*metrics.Stream) bool) (all []metrics.FaultCount, failed int) {
	for i := range runs {
		s := &runs[i].Stream
		if !fits(s) || s.State != metrics.Failed && s.State != metrics.Truncated {
			continue
		}
		failed++
		c := metrics.FaultCount{N: 1}
		if s.Fault != nil {
			c = s.Fault.Count()
		} else if s.State == metrics.Truncated {
			c.Kind = metrics.FaultTruncated
		}
		all = metrics.AddFaults(all, c)
	}
	return all, failed
}

// failed counts in f the failures of runs that fit. It is false where none failed.
func (f *Finding) failed(runs []metrics.Run, fits func(*metrics.Stream) bool) bool {
	f.Failures, f.N = Failures(runs, fits)
	if f.N == 0 {
		return false
	}
	if most := f.Failures[0]; 2*most.N > f.N {
		f.Part = string(most.Kind)
	}
	f.Mixed = len(f.Failures) > 1
	return true
}

// session says how many of the session's requests to the same endpoint failed, the
// stream's own among them.
func (r *rules) session() {
	if !r.Session {
		return
	}
	f := Finding{Code: SomeFailed, Grade: Notable, Evidence: ByFault | ByEarlier}
	here := &r.Stream.Endpoint
	if f.failed(r.Earlier, func(s *metrics.Stream) bool {
		same := s.Endpoint.Name == here.Name && s.Endpoint.Same(here)
		if same {
			f.Of++
		}
		return same
	}) {
		r.add(f)
	}
}
