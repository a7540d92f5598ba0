package client

import "tokscope/metrics"

// CountingSink is a Sink for those who only count: streams that begin, and chunks.
type CountingSink struct {
	Began  func(id int)
	Chunks func(n int) // of one event
}

func (t CountingSink) Begin(v metrics.Stream) { t.Began(v.ID) }

func (t CountingSink) Event(f *Folded) { t.Chunks(len(f.Chunks)) }

func (CountingSink) End(metrics.Stream, *metrics.Figures) {}
