package metrics

import (
	"slices"
	"time"

	"tokscope/metrics/pick"
)

// Path is what this machine's TCP socket tells of the network between it and
// the other end of the connection: the server, or the proxy where there is
// one. It is never written to: a change makes a new one, and its slices only
// grow.
type Path struct {
	Source PathSource `json:"source"`
	// RTT is the round trip of what this side sent, by the kernel, and MinRTT the
	// least of the connection. They are fresh after the request and stale in a long
	// stream. 0: unknown.
	RTT    time.Duration `json:"rtt_ms" form:"null=zero"`
	MinRTT time.Duration `json:"min_rtt_ms" form:"null=zero"`
	// OutOfOrder and Segments count the segments with data that arrived since the
	// request got the connection: those behind a hole, and all of them. The
	// receiver cannot count lost ones.
	OutOfOrder, Segments int
	Resent               int // segments that this side sent again
	// Acked is when the other end had acknowledged the last byte of the request,
	// NoStamp before. Upload is true when that took more than the first window: a
	// time of a round trip is no upload time.
	Acked  Stamp
	Upload bool
	Rate   int64 // bytes/s at which the upload was delivered; 0: unknown
	Gaps   []PathGap
	Missed int `json:"gaps_left_out,omitempty"` // beyond the first 256, counted only
	// Silence is about the wait for bytes under way; its zero value: none.
	Silence  PathSilence
	Connects []PathConnect
}

// MaxPathGaps bounds Path.Gaps. MaxPathConnects bounds Path.Connects.
const (
	MaxPathGaps     = 256
	MaxPathConnects = 10
)

// PathSource says what is known of the socket.
type PathSource string

const (
	// PathUnread: nothing was read yet.
	PathUnread PathSource = ""
	// PathTCPInfo: the counters are those of TCP_INFO.
	PathTCPInfo PathSource = "tcp_info"
	// PathOldKernel: the kernel has no counter of out-of-order segments; Linux
	// has one since 5.4. Round trips and acknowledgments are known.
	PathOldKernel PathSource = "old_kernel"
	// PathUnsupported: this program reads no counters on this system.
	PathUnsupported PathSource = "unsupported_system"
	// PathNoSocket: the connection is no TCP socket, or the system refused.
	PathNoSocket PathSource = "no_socket"
	// PathUnixSocket: the connection is a unix socket, and no network lies between.
	PathUnixSocket PathSource = "unix_socket"
)

// PathSilence is what arrived beneath a silence that lasts.
type PathSilence struct {
	Chunk      int // index of the chunk that is awaited
	OutOfOrder int // segments that arrived behind a hole since the chunk before it
}

// PathConnect is one connect to the address of the stream during a silence.
type PathConnect struct {
	At      Stamp         // when it began
	Elapsed time.Duration `json:"ms"`
	Result  ConnectResult `json:"result"`
}

// ConnectResult says how a connect ended.
type ConnectResult string

// The results.
const (
	ConnectOK      ConnectResult = "answered"
	ConnectRefused ConnectResult = "refused" // the host answers: nobody listens there any more
	ConnectTimeout ConnectResult = "timeout"
	ConnectFailed  ConnectResult = "failed" // anything else: no route, no free port
)

// PathGap is a long gap between two chunks with what the socket counted in it.
// Times are ms.
type PathGap struct {
	Chunk      int     // index of the chunk at its end
	At         Stamp   // when that chunk arrived
	Ms         float64 `json:"ms"`                        // the gap
	Usual      float64 `json:"usual_ms" form:"null=zero"` // median of the gaps before it; 0: too few
	RTT        float64 `json:"rtt_ms" form:"null=zero"`   // as of that moment; 0: unknown
	OutOfOrder int     // segments that arrived behind a hole
	Segments   int     // segments with data
	Together   int     `json:"chunks_together"` // that were readable at its end, at once
	Counted    bool    // the counters were read before and after it
	Local      bool    `json:"local,omitempty"` // the other end is this machine: nothing is lost on the way
}

// PathCause is what the counters say of a gap.
type PathCause string

const (
	// PathOutOfOrder: segments were lost or reordered on the path.
	PathOutOfOrder PathCause = "out_of_order"
	// PathSentLate: its bytes came in order and were sent late.
	PathSentLate PathCause = "sent_late"
	// PathFlushed: its bytes came in order, many chunks at once: they were held.
	PathFlushed PathCause = "flushed"
	// PathUndecided: PathWhy has the reason.
	PathUndecided PathCause = "undecided"
)

// PathWhy is the reason why a gap's cause is undecided.
type PathWhy string

const (
	// PathMaybeTail: the gap has the length that repairing a lost last packet
	// takes.
	PathMaybeTail PathWhy = "maybe_tail_loss"
	// PathTooLong: segments came out of order, but repairing that takes less.
	PathTooLong PathWhy = "longer_than_a_repair"
	// PathNoUsual: too few gaps before it tell what is usual.
	PathNoUsual PathWhy = "no_usual_gap"
	// PathUncounted: the counters were not read around it, or do not exist here.
	PathUncounted PathWhy = "not_counted"
)

// The judgments about gaps, measured over links that lose packets.
const (
	// rtoMin is the least retransmission timeout of Linux, ms; RTO_MIN in
	// include/net/tcp.h. A sender with another system has another one.
	rtoMin = 200.0
	// rtoWithin is how far a gap may be from a retransmission timeout and still
	// be its work.
	rtoWithin = 0.1
	// rtoTick is how much later a sender's timer fires, ms: Linux counts 1 to
	// 10 ms a tick, and its loss probe waits two of them.
	rtoTick = 15.0
	// togetherMin chunks at once are a burst if they are as many as the gap lacks
	// by togetherShare, togetherMany in any case.
	togetherMin   = 3
	togetherMany  = 8
	togetherShare = 0.5
	// repairTrips round trips and repairSlack ms are the most that a repair takes
	// beyond the segments that reveal the loss.
	repairTrips = 4
	repairSlack = 60.0
)

// rtoTimes are the multiples of the timeout at which Linux sends the last
// packet again: by its tail loss probe, the timeout, and the doubled ones.
var rtoTimes = [...]float64{1, 2, 4, 8}

// Cause returns what the counters say of g, with the reason where that is
// PathUndecided. It claims nothing that the receiver cannot see:
//
//	OutOfOrder > 0   lost or reordered, unless the gap is longer than
//	                 1.5·(Together+1)·Usual + 4·RTT + 60 ms: a hole is filled
//	                 as soon as later segments reveal it
//	Together         as many chunks at once as the gap lacks: flushed
//	Ms − max(Usual, RTT)
//	                 within 10 % of (200 ms + RTT)·{1, 2, 4, 8}, or 15 ms more:
//	                 a lost last packet, which no later one reveals, cannot be excluded;
//	                 the sender's timer starts with the acknowledgment of the
//	                 packet before it, or with the lost one
//	else             sent late
func (g *PathGap) Cause() (PathCause, PathWhy) {
	switch {
	case !g.Counted:
		return PathUndecided, PathUncounted
	case g.OutOfOrder > 0 && g.Usual <= 0:
		return PathOutOfOrder, ""
	case g.OutOfOrder > 0 && g.Ms > 1.5*float64(g.Together+1)*g.Usual+repairTrips*g.RTT+repairSlack:
		return PathUndecided, PathTooLong
	case g.OutOfOrder > 0:
		return PathOutOfOrder, ""
	case g.Usual <= 0:
		return PathUndecided, PathNoUsual
	case g.Together >= togetherMany || g.Together >= togetherMin && float64(g.Together)*g.Usual >= togetherShare*g.Ms:
		return PathFlushed, ""
	case !g.Local && g.repaired():
		return PathUndecided, PathMaybeTail
	}
	return PathSentLate, ""
}

// heldByLoss reports whether a gap of ms is that of segments which waited for a
// lost one: nobody held back what followed. A nil Path knows of none.
func (p *Path) heldByLoss(ms float64) bool {
	return p != nil && pick.First(p.Gaps, func(g *PathGap) bool {
		cause, _ := g.Cause()
		return g.Ms == ms && cause == PathOutOfOrder
	}) != nil
}

// repaired reports whether g is as long as the repair of a lost last packet by
// a sender with the timeouts of Linux.
func (g *PathGap) repaired() bool {
	excess := g.Ms - max(g.Usual, g.RTT)
	return slices.ContainsFunc(rtoTimes[:], func(n float64) bool {
		rto := n * (rtoMin + g.RTT)
		return excess >= rto*(1-rtoWithin) && excess <= rto*(1+rtoWithin)+rtoTick
	})
}

// Gap returns the evidence on the gap before chunk, nil without any. A nil
// Path has none.
func (p *Path) Gap(chunk int) *PathGap {
	if p == nil {
		return nil
	}
	return pick.First(p.Gaps, func(g *PathGap) bool { return g.Chunk == chunk })
}

// ConnectsSince returns the connects that began at or after at.
func (p *Path) ConnectsSince(at Stamp) []PathConnect {
	if p == nil || !at.Known() {
		return nil
	}
	for i := range p.Connects {
		if p.Connects[i].At >= at {
			return p.Connects[i:]
		}
	}
	return nil
}
