package session

import (
	"tokscope/metrics"
	"tokscope/probe/path"
	"tokscope/probe/result"
)

// PathLine is a path line of a session file. What says which of the others it
// has.
type PathLine struct {
	At      metrics.Stamp
	What    string       // begin, upload, gap, connect, end
	Counts  *result.Path // of begin, upload and end: as of that moment, without gaps and connects
	Gap     *result.PathGap
	Connect *result.PathConnect
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
		j.any("gap", result.PathGapOf(e.Gap))
	case e.Connect != nil:
		j.any("connect", result.PathConnectOf(e.Connect, sent))
	default:
		j.any("counts", result.PathCounts(e.Path, sent))
	}
	j.firm()
}
