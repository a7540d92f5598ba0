package verdict

import (
	"cmp"
	"slices"

	"tokscope/metrics"
)

// Failure counts requests that failed, or were truncated, in one way.
type Failure struct {
	Kind   metrics.FaultKind `json:"kind"`
	Status int               `json:"status,omitempty"` // of HTTP, 0 without one
	N      int               `json:"n"`
}

// Failures counts how runs failed, the most frequent way first, of those that fit. Runs
// that a person stopped did not fail. It asks fits once of each.
func Failures(runs []metrics.Run, fits func(*metrics.Stream) bool) (all []Failure, failed int) {
	for i := range runs {
		s := &runs[i].Stream
		if !fits(s) || s.State != metrics.Failed && s.State != metrics.Truncated {
			continue
		}
		failed++
		f := Failure{N: 1}
		if s.Fault != nil {
			f.Kind, f.Status = s.Fault.Kind, s.Fault.Status
		} else if s.State == metrics.Truncated {
			f.Kind = metrics.FaultTruncated
		}
		at := slices.IndexFunc(all, func(o Failure) bool { return o.Kind == f.Kind && o.Status == f.Status })
		if at < 0 {
			all = append(all, f)
		} else {
			all[at].N++
		}
	}
	slices.SortFunc(all, func(a, b Failure) int {
		return cmp.Or(b.N-a.N, cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Status, b.Status))
	})
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

// session says how many of the session's requests to the same endpoint failed, unless
// that is the stream's own alone.
func (r *rules) session() {
	if !r.Session {
		return
	}
	f, own := Finding{Code: SomeFailed, Grade: Notable, Evidence: ByFault | ByEarlier}, 0
	if s := r.Stream.State; s == metrics.Failed || s == metrics.Truncated {
		own = 1
	}
	here := &r.Stream.Endpoint
	if f.failed(r.Earlier, func(s *metrics.Stream) bool {
		same := s.Endpoint.URL == here.URL && s.Endpoint.Name == here.Name
		if same {
			f.Of++
		}
		return same
	}) && f.N > own {
		r.add(f)
	}
}
