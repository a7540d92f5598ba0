package ui

import (
	"time"

	"tokscope/metrics"
)

// figuresEvery is the time between two changes of a number.
const figuresEvery = metrics.Stamp(time.Second / figuresPerSecond)

// version and snapshot are those of the stream that Live shows: the session's
// own, or that of a user of the load.
func (m *Model) version() uint64 {
	if m.load.lane > 0 {
		return m.load.back.LoadVersion()
	}
	return m.back.Version()
}

func (s *Model) snapshot() metrics.Stream {
	if s.load.lane > 0 {
		if s, ok := s.load.back.LoadStream(s.load.lane); ok {
			return s
		}
		return s.view.Stream // the user is gone: what was seen last stays
	}
	return s.back.Snapshot()
}

// seen is what the last sample saw, to tell what is new.
type seen struct {
	version uint64
	figures metrics.Stamp // when the figures were computed
}

// running reports whether a request is under way, frozen or not.
func (v *Model) running() bool { return v.phase != metrics.Idle && !v.phase.Ended() }
