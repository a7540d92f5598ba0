package result

import (
	"time"

	"tokscope/metrics"
)

// Path is what is known of the network beneath a request, by the counters of
// its socket. Counts are since the request got the connection; null is not counted.
type Path struct {
	*metrics.Path
	OutOfOrder *int `json:"segments_out_of_order"`
	Segments   *int `json:"segments_in"`     // with data
	Resent     *int `json:"segments_resent"` // of what this side sent
	// from sent until all of the request was acknowledged; absent for a request of one window
	Upload   time.Duration `json:"upload_ms,omitempty"`
	Rate     float64       `json:"upload_b_per_s,omitempty"` // at which it was delivered
	Gaps     []PathGap     `json:"gaps,omitempty"`
	Connects []PathConnect `json:"connects,omitempty"`
}

// PathGap is a long gap between two chunks with what the socket counted in it.
type PathGap struct {
	Chunk int `json:"chunk"` // at its end, from 1
	*metrics.PathGap
	OutOfOrder *int              `json:"segments_out_of_order"` // null: not counted
	Segments   *int              `json:"segments_in"`           // with data
	Cause      metrics.PathCause `json:"cause"`                 // what the counts say
	Why        metrics.PathWhy   `json:"undecided,omitempty"`   // why that is undecided
}

// PathConnect is a connect to the address of the stream while it was silent.
type PathConnect struct {
	At *time.Duration `json:"at_ms"` // since the request was sent
	*metrics.PathConnect
}

// pathOf returns the JSON form of p, nil where nothing was looked at.
func pathOf(p *metrics.Path, sent metrics.Stamp) *Path {
	if p == nil || p.Source == metrics.PathUnread {
		return nil
	}
	out := PathCounts(p, sent)
	for i := range p.Gaps {
		out.Gaps = append(out.Gaps, PathGapOf(&p.Gaps[i]))
	}
	for i := range p.Connects {
		out.Connects = append(out.Connects, PathConnectOf(&p.Connects[i], sent))
	}
	return &out
}

// PathCounts is pathOf without gaps and connects.
func PathCounts(p *metrics.Path, sent metrics.Stamp) Path {
	out := Path{Path: p}
	if p.Source == metrics.PathTCPInfo || p.Source == metrics.PathOldKernel {
		out.Resent, out.Segments = &p.Resent, &p.Segments
	}
	if p.Source == metrics.PathTCPInfo {
		out.OutOfOrder = &p.OutOfOrder
	}
	if d, ok := p.Acked.Sub(sent); ok && p.Upload {
		out.Upload, out.Rate = d, float64(p.Rate)
	}
	return out
}

func PathGapOf(g *metrics.PathGap) PathGap {
	out := PathGap{Chunk: g.Chunk + 1, PathGap: g}
	out.Cause, out.Why = g.Cause()
	if g.Counted {
		out.OutOfOrder, out.Segments = &g.OutOfOrder, &g.Segments
	}
	return out
}

func PathConnectOf(c *metrics.PathConnect, sent metrics.Stamp) PathConnect {
	out := PathConnect{PathConnect: c}
	if d, ok := c.At.Sub(sent); ok {
		out.At = &d
	}
	return out
}

// Restore returns the path beneath v, nil where nothing was looked at.
func (p *Path) Restore(v *metrics.Stream) *metrics.Path {
	if p == nil {
		return nil
	}
	count := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	since := func(d time.Duration, ok bool) metrics.Stamp { // of sent
		if !ok || !v.Marks.Sent.Known() {
			return metrics.NoStamp
		}
		return v.Marks.Sent + metrics.Stamp(d)
	}
	out := *p.Path
	out.OutOfOrder, out.Segments, out.Resent = count(p.OutOfOrder), count(p.Segments), count(p.Resent)
	if out.Acked = since(p.Upload, p.Upload != 0); out.Acked.Known() {
		out.Upload, out.Rate = true, int64(p.Rate)
	}
	for i := range p.Gaps[:min(len(p.Gaps), metrics.MaxPathGaps)] {
		x := &p.Gaps[i]
		g := *x.PathGap
		g.Chunk, g.At = x.Chunk-1, metrics.NoStamp
		if g.Chunk >= 0 && g.Chunk < len(v.Chunks) {
			g.At = v.Chunks[g.Chunk].At
		}
		g.OutOfOrder, g.Segments, g.Counted = count(x.OutOfOrder), count(x.Segments), x.OutOfOrder != nil
		out.Gaps = append(out.Gaps, g)
	}
	for i := range p.Connects[:min(len(p.Connects), metrics.MaxPathConnects)] {
		c := *p.Connects[i].PathConnect
		c.At = metrics.NoStamp
		if at := p.Connects[i].At; at != nil {
			c.At = since(*at, true)
		}
		out.Connects = append(out.Connects, c)
	}
	return &out
}
