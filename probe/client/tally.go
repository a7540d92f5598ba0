package client

import "tokscope/metrics"

// Tally is a Sink for those who only count: streams that begin, and chunks.
type Tally struct {
	Began  func(id int)
	Chunks func(n int) // of one event
}

// Begin implements Sink.
func (t Tally) Begin(v metrics.Stream) { t.Began(v.ID) }

// Event implements Sink.
func (t Tally) Event(f *Folded) { t.Chunks(len(f.Chunks)) }

// Flush implements Sink.
func (Tally) Flush() {}

// End implements Sink.
func (Tally) End(metrics.Stream) {}
