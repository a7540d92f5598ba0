package runner

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// watch follows the watched request. Its slices are only appended to, so
// views share them.
type watch struct {
	id    string // of the HTTP request
	steps []uint64
	at    []metrics.Stamp
}

// look returns the current request of the watched user: b.mu is held.
func (w *watch) look(n *run, user int) serving.Watched {
	none := metrics.Unknown(metrics.WhyTokenToCome)
	out := serving.Watched{User: user, TrueTTFT: none, EngineTTFT: none}
	v, ok := n.load.Stream(user)
	if !ok {
		v = metrics.NoStream(n.engine.Clock().Now())
	}
	out.Stream = v
	if v.RequestID == "" {
		return out
	}
	if v.RequestID != w.id {
		*w = watch{id: v.RequestID}
	}
	q, ok := n.steered.Of(v.RequestID)
	if !ok {
		return out
	}
	out.Request = q.ID
	clock := n.engine.Clock()
	for i := len(w.steps); i < len(q.Emitted) && i < len(v.Chunks); i++ {
		number, _ := n.rec.Number(q.Emitted[i].Step) // 0 when it is no longer kept
		w.steps = append(w.steps, number)
		w.at = append(w.at, clock.FromWall(q.Emitted[i].Due.UnixNano()))
	}
	k := min(len(w.steps), len(v.Chunks))
	out.Steps, out.True = w.steps[:k:k], w.at[:k:k]
	if len(q.Emitted) > 0 {
		first := &q.Emitted[0]
		out.TrueTTFT = metrics.Known(float64(first.Due.Sub(q.Arrived))/1e6, 1)
		out.EngineTTFT = metrics.Known(1e3*(first.End-q.Arrive), 1)
	}
	return out
}
