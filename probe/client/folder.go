package client

import "tokscope/probe/sse"

// fold decodes lines into j's stream under one lock for the whole batch.
func (f *ingester) fold(s *Stream, lines []sse.Line) {
	sinks := s.sinks()
	s.mu.Lock()
	if s.dec == nil {
		s.mu.Unlock()
		return
	}
	if !s.sent.Known() && s.current != nil {
		s.sent = s.current.Marks().Sent
	}
	s.tell = sinks
	for i := range lines {
		s.asm.Push(lines[i], s.emit)
	}
	s.mu.Unlock()
	for _, k := range sinks {
		k.Flush()
	}
	f.engine.changed()
}
