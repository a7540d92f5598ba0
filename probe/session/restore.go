package session

import "tokscope/metrics"

// Begin returns the stream of q before its first byte: workload, endpoint and
// start.
func (q *Recorded) Begin() metrics.Stream {
	n := metrics.NoStamp
	v := metrics.Stream{
		ID: q.ID, Load: q.Load, State: metrics.Connecting, Wall: q.Wall, Work: q.Workload, Endpoint: q.Endpoint,
		Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		LastData: n, DataDeadline: n, Progress: metrics.Progress{At: n}, Now: q.Start,
	}
	v.Marks.Start, v.TextRemoved = q.Start, q.TextRemoved
	return v
}
