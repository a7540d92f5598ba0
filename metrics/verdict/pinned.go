package verdict

import "tokscope/metrics"

// pinned compares an answer that ended well with the reference. Until then they are not at
// the same moment: a pause counts for the one that has had it.
func (r *rules) pinned() {
	s, ref := r.Stream, r.Pinned
	if ref == nil || ref.Stream.ID == s.ID || s.State != metrics.Done {
		return
	}
	f := Finding{Code: Pinned, Grade: Notable, Evidence: ByEarlier, N: ref.Stream.Number()}
	if a, b := r.Figures.Speed, ref.Figures.Speed; a.OK && b.OK && b.V > 0 {
		f.Ratio = a.V / b.V
	}
	if a, b := r.Figures.TTFT, ref.Figures.TTFT; a.OK && b.OK {
		f.Ms, f.Low = a.V, b.V
	}
	if f.Ratio > 0 || f.Low > 0 {
		r.add(f)
	}
}
