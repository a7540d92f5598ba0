package client

import (
	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/probe/sse"
)

// measure returns the figures of v, the final record of s, at the default pace.
func (s *Stream) measure(v *metrics.Stream) *metrics.Figures {
	if f := s.measured(); f != nil {
		return f
	}
	f := metrics.Measure(v, metrics.Options{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.figures = &f
	return &f
}

func (s *Stream) measured() *metrics.Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.figures
}

// Run returns the ended request s with its figures at a pace; the zero Pace is the
// default one. It computes the figures unless a sink has needed the same ones.
func (s *Stream) Run(p metrics.Pace) metrics.Run {
	v := s.Snapshot()
	if f := s.measured(); f != nil && (p == metrics.Pace{} || p == f.Pace) {
		return metrics.Run{Stream: v, Figures: *f}
	}
	return metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{Pace: p})}
}

// Packed returns the record of the ended stream as Run has returned it, packed: what s
// holds packed itself is shared.
func (s *Stream) Packed(v *metrics.Stream) *request.Packed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.packed.Len() > 0 {
		return request.PackWith(v, s.packed)
	}
	return request.Pack(v)
}

// end finalizes the record. fault is nil for a good end.
func (s *Stream) end(at metrics.Stamp, fault *metrics.Fault) {
	s.mu.Lock()
	v := &s.v
	v.Observer = s.engine.jitter.Since(s.jitterFrom)
	if a := s.current; a != nil {
		a.into(v)
		v.Observer.LagP50, v.Observer.LagP99, v.Observer.LagMax, _ = a.capture.LagQuantiles()
	}
	if v.Fault == nil {
		v.Fault = fault
	}
	if !v.Marks.End.Known() {
		v.Marks.End = at // there was no response
	}
	v.Now = at
	v.DataDeadline, v.DataBound = metrics.NoStamp, ""
	v.State = endState(v.Fault)
	if f := v.Fault; f != nil && f.Body == "" && s.unread != "" && f.Kind != metrics.FaultCancelled {
		shows := *f
		shows.Body, v.Fault = s.unread, &shows
	}
	s.unread = ""
	if len(s.usage) > 0 {
		v.Usage.Raw = s.usage
	}
	// A finished stream keeps little slack: 1000 chunks with their text stay under 64 kB.
	s.pack(true)
	v.Chunks, v.Text = trim(v.Chunks), trim(v.Text)
	s.current, s.dec, s.usage = nil, nil, nil
	s.asm, s.out = sse.Assembler{}, nil
	s.mu.Unlock()
}

// trim reallocates x to its length if more than 1/4 of its length is unused, of a large
// text more than its length. Otherwise it returns x: copying a thousand streams at their
// common end, or a large text, would set the peak of the program's memory.
func trim[T any](x []T) []T {
	if unused := cap(x) - len(x); unused <= len(x)/4 || len(x) >= largeText && unused <= len(x) {
		return x
	}
	return append(make([]T, 0, len(x)), x...)
}

// endState returns the final state for a fault.
func endState(f *metrics.Fault) metrics.State {
	switch {
	case f == nil:
		return metrics.Done
	case f.Kind == metrics.FaultCancelled:
		return metrics.Cancelled
	case f.Kind == metrics.FaultTruncated:
		return metrics.Truncated
	}
	return metrics.Failed
}
