package record

import (
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/path"
)

// Path is what is known of the network beneath a request, by the counters of
// its socket. Counts are since the request got the connection.
type Path struct {
	Source     string   `json:"source"`     // tcp_info, or why segments are not counted
	RTT        *float64 `json:"rtt_ms"`     // round trip of what this side sent
	MinRTT     *float64 `json:"min_rtt_ms"` // the least of the connection
	OutOfOrder *int     `json:"segments_out_of_order"`
	Segments   *int     `json:"segments_in"`     // with data
	Resent     *int     `json:"segments_resent"` // of what this side sent
	// from sent until all of the request was acknowledged; absent for a request of one window
	Upload   *float64      `json:"upload_ms,omitempty"`
	Rate     *float64      `json:"upload_b_per_s,omitempty"` // at which it was delivered
	Gaps     []PathGap     `json:"gaps,omitempty"`
	GapsMore int           `json:"gaps_left_out,omitempty"` // long gaps beyond the first 256
	Connects []PathConnect `json:"connects,omitempty"`
}

// PathGap is a long gap between two chunks with what the socket counted in it.
type PathGap struct {
	Chunk      int      `json:"chunk"` // at its end, from 1; figures count from 0
	Ms         float64  `json:"ms"`
	Usual      *float64 `json:"usual_ms"` // median of the gaps before
	RTT        *float64 `json:"rtt_ms"`
	OutOfOrder *int     `json:"segments_out_of_order"` // null: not counted
	Segments   *int     `json:"segments_in"`           // with data
	Together   int      `json:"chunks_together"`       // readable at its end, at once
	Local      bool     `json:"local,omitempty"`       // the other end is this machine
	Cause      string   `json:"cause"`                 // what the counts say
	Why        string   `json:"undecided,omitempty"`   // why that is undecided
}

// PathConnect is a connect to the address of the stream while it was silent.
type PathConnect struct {
	At     *float64 `json:"at_ms"` // since the request was sent
	Ms     float64  `json:"ms"`
	Result string   `json:"result"`
}

// pathOf returns the JSON form of p, nil where nothing was looked at.
func pathOf(p *metrics.Path, sent metrics.Stamp) *Path {
	if p == nil || p.Source == metrics.PathUnread {
		return nil
	}
	out := pathCounts(p, sent)
	for i := range p.Gaps {
		out.Gaps = append(out.Gaps, pathGapOf(&p.Gaps[i]))
	}
	for i := range p.Connects {
		out.Connects = append(out.Connects, pathConnectOf(&p.Connects[i], sent))
	}
	return &out
}

// pathCounts is pathOf without gaps and connects.
func pathCounts(p *metrics.Path, sent metrics.Stamp) Path {
	ms := func(d time.Duration) *float64 { return nonzero(float64(d) / 1e6) }
	out := Path{Source: string(p.Source), RTT: ms(p.RTT), MinRTT: ms(p.MinRTT), GapsMore: p.Missed}
	read := p.Source == metrics.PathTCPInfo || p.Source == metrics.PathOldKernel
	if read {
		out.Resent, out.Segments = &p.Resent, &p.Segments
	}
	if p.Source == metrics.PathTCPInfo {
		out.OutOfOrder = &p.OutOfOrder
	}
	if d, ok := p.Acked.Sub(sent); ok && p.Upload {
		out.Upload, out.Rate = ms(d), nonzero(float64(p.Rate))
	}
	return out
}

func pathGapOf(g *metrics.PathGap) PathGap {
	cause, why := g.Cause()
	out := PathGap{Chunk: g.Chunk + 1, Ms: g.Ms, Usual: nonzero(g.Usual), RTT: nonzero(g.RTT),
		Together: g.Together, Local: g.Local, Cause: string(cause), Why: string(why)}
	if g.Counted {
		out.OutOfOrder, out.Segments = &g.OutOfOrder, &g.Segments
	}
	return out
}

func pathConnectOf(c *metrics.PathConnect, sent metrics.Stamp) PathConnect {
	out := PathConnect{Ms: float64(c.Elapsed) / 1e6, Result: string(c.Result)}
	if d, ok := c.At.Sub(sent); ok {
		ms := float64(d) / 1e6
		out.At = &ms
	}
	return out
}

// Restore returns the path beneath v, nil where nothing was looked at.
func (p *Path) Restore(v *metrics.Stream) *metrics.Path {
	if p == nil {
		return nil
	}
	number := func(f *float64) float64 {
		if f == nil {
			return 0
		}
		return *f
	}
	count := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	out := &metrics.Path{
		Source: metrics.PathSource(p.Source), RTT: durationOf(number(p.RTT)),
		MinRTT: durationOf(number(p.MinRTT)), Missed: p.GapsMore,
		OutOfOrder: count(p.OutOfOrder), Segments: count(p.Segments), Resent: count(p.Resent), Acked: metrics.NoStamp,
	}
	if p.Upload != nil && v.Marks.Sent.Known() {
		out.Acked, out.Upload, out.Rate = v.Marks.Sent+metrics.Stamp(durationOf(*p.Upload)), true, int64(number(p.Rate))
	}
	for i := range p.Gaps[:min(len(p.Gaps), metrics.MaxPathGaps)] {
		g := &p.Gaps[i]
		at := metrics.NoStamp
		if c := g.Chunk - 1; c >= 0 && c < len(v.Chunks) {
			at = v.Chunks[c].At
		}
		out.Gaps = append(out.Gaps, metrics.PathGap{
			Chunk: g.Chunk - 1, At: at, Ms: g.Ms, Usual: number(g.Usual),
			RTT: number(g.RTT), Together: g.Together, Local: g.Local,
			OutOfOrder: count(g.OutOfOrder), Segments: count(g.Segments), Counted: g.OutOfOrder != nil,
		})
	}
	for _, c := range p.Connects[:min(len(p.Connects), metrics.MaxPathConnects)] {
		at := metrics.NoStamp
		if c.At != nil && v.Marks.Sent.Known() {
			at = v.Marks.Sent + metrics.Stamp(durationOf(*c.At))
		}
		out.Connects = append(out.Connects,
			metrics.PathConnect{At: at, Elapsed: durationOf(c.Ms), Result: metrics.ConnectResult(c.Result)})
	}
	return out
}

// PathLine is a path line of a session file. What says which of the others it
// has.
type PathLine struct {
	At      metrics.Stamp
	What    string // begin, upload, gap, connect, end
	Counts  *Path  // of begin, upload and end: as of that moment, without gaps and connects
	Gap     *PathGap
	Connect *PathConnect
}

// Path implements client.PathRecorder.
func (s *File) PathEvent(id int, sent metrics.Stamp, e *path.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun[id] {
		return
	}
	j := &s.journal
	j.begin("path")
	j.int("id", int64(id))
	j.stamp("at_ns", e.At)
	j.str("what", string(e.Kind))
	switch {
	case e.Gap != nil:
		j.any("gap", pathGapOf(e.Gap))
	case e.Connect != nil:
		j.any("connect", pathConnectOf(e.Connect, sent))
	default:
		j.any("counts", pathCounts(e.Path, sent))
	}
	j.firm()
}

var _ client.PathRecorder = (*File)(nil)
