package client

import (
	"sync/atomic"

	"tokscope/metrics"
	"tokscope/probe/transport"
)

// attempt is one sending of a stream's request. It holds what the transport
// has pushed of it, for snapshots. A late push of an earlier attempt, or after
// the stream's end, changes a value that nobody reads any more.
type attempt struct {
	engine  *Engine
	capture *transport.Capture
	last    atomic.Pointer[transport.RequestState] // never nil
	path    *pathWatch                             // nil: the network is not looked at
	bare    bool                                   // see sse.Assembler
	cutOff  atomic.Bool                            // see metrics.Connection.CutOff

	listed atomic.Bool // in the ingester's list of those with lines
	below  *attempt    // in that list
	job    *job        // the ingester's: nil before it takes the lines, and after the last
}

// newAttempt returns an attempt whose capture pushes to it.
func newAttempt(e *Engine) *attempt {
	a := &attempt{engine: e}
	a.capture = transport.NewCapture(e.clock, a)
	return a
}

func (a *attempt) Ready(ended bool) { a.engine.ingester.ready(a, ended) }

// RequestChanged implements transport.Consumer.
func (a *attempt) RequestChanged(s *transport.RequestState) {
	a.last.Store(s)
	a.engine.changed()
}

// state returns what the transport has pushed last.
func (a *attempt) state() *transport.RequestState { return a.last.Load() }

// sent returns when the request was sent, NoStamp before.
func (a *attempt) sent() metrics.Stamp { return a.state().Marks.Sent }

// reached returns the state of a stream that is in state without the marks.
func (a *attempt) reached(state metrics.State) metrics.State {
	if state == metrics.Connecting && a.sent().Known() {
		return metrics.Waiting
	}
	return state
}

// into writes what is known of the attempt into v, without keys: what was
// pushed, and the counts of the response so far.
func (a *attempt) into(v *metrics.Stream) {
	s := a.state()
	v.Marks.RequestMarks, v.Marks.End, v.Conn = s.Marks, s.End, s.Conn
	v.Conn.CutOff = a.cutOff.Load()
	if v.Conn.Encoding != "" {
		v.Conn.Encoding = a.engine.scrub.String(v.Conn.Encoding)
	}
	v.Stamps, v.Path = a.capture.Stamps(), a.path.known()
	n, o := a.capture.Counts(), &v.Observer
	v.Reads, v.BodyBytes = n.Reads, n.Body
	o.KernelStamps, o.UserStamps, o.LateEvents, o.SharedReads = n.Kernel, n.User, n.Late, n.Shared
}
