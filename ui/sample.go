package ui

import (
	"time"

	"tokscope/metrics"
)

// figuresEvery is the time between two changes of a number.
const figuresEvery = metrics.Stamp(time.Second / figuresPerSecond)

// sample takes a look at the backend. The stream is taken as often as this is
// called; figures and observer change figuresPerSecond times a second, and at
// once when the state changes or now asks for it. A frozen view keeps what it
// has, except for the runs that ended behind it.
func (m *Model) sample(now bool) {
	switch {
	case m.explain.on:
		m.sampleExplain(now)
		return
	case m.load.on:
		m.sampleLoad(now)
		return
	}
	v, version := &m.view, m.version()
	changed := version != m.seen.version
	m.seen.version = version
	if !changed && !now && m.phase.Ended() {
		v.Now = m.back.Now() // fades go on
		return
	}
	s := m.snapshot()
	before := m.phase
	m.phase = s.State
	if m.phase != before || now {
		m.dirty = true
	}
	if v.Frozen {
		v.Runs = m.back.Runs()
		return
	}
	fresh := now || m.phase != before || s.ID != v.Stream.ID
	v.Stream, v.Now = s, m.back.Now()
	if changed {
		m.dirty = true
	}
	if fresh || v.Now-m.seen.figures >= figuresEvery {
		m.seen.figures = v.Now
		v.Figures = m.meter.Measure(&v.Stream, metrics.Options{Pace: v.Pace})
		v.Runs, v.Observer, v.Endpoint = m.back.Runs(), m.back.Observer(), m.back.Endpoint()
		if m.load.been { // the header says whether a load goes on
			m.load.view.Load = m.load.back.LoadView()
		}
	}
}

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
