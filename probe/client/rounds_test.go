package client

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// byHand returns an ingester whose rounds the test makes, in place of that of a
// new engine.
func byHand(t *testing.T) *ingester {
	t.Helper()
	e := New(Options{})
	first := e.ingester
	e.ingester = &ingester{engine: e, wake: make(chan struct{}, 1), quit: make(chan struct{})}
	t.Cleanup(func() {
		e.ingester = first
		e.Close()
	})
	return e.ingester
}

// entered returns a stream whose lines f takes from now on.
func entered(f *ingester) (*Stream, *attempt) {
	s := bare(8)
	s.engine, s.emit = f.engine, s.addEvent
	a := newAttempt(f.engine)
	s.begins(a, s.dec)
	f.enter(s, a, func() {})
	return s, a
}

// A round touches no stream without new lines: a thousand idle ones cost nothing.
func TestRoundTouchesNoIdleStream(t *testing.T) {
	f := byHand(t)
	const streams = 1000
	list, tries := make([]*Stream, streams), make([]*attempt, streams)
	for i := range list {
		list[i], tries[i] = entered(f)
	}
	f.round() // each new one once
	testkit.Need(t, f.streams, streams, "streams are ingested")
	captures := make([]*transport.Capture, streams)
	for i, a := range tries { // who touches one now, panics
		captures[i], a.capture = a.capture, nil
	}
	for range 3 {
		f.round()
	}
	const one = 417
	tries[one].capture = captures[one]
	for range 3 {
		tries[one].Ready(false)
		f.round()
	}
	for i, s := range list {
		if s.v.Fault != nil {
			t.Fatalf("a round touched stream %d, which is idle: %v", i, s.v.Fault.Message)
		}
	}
	testkit.Is(t, f.streams, streams, "streams are ingested")
	tries[one+1].Ready(false) // the trap works
	tries[one+1].job.s.cancel = func(error) {}
	defer func() {
		if recover() == nil {
			t.Error("a round did not touch a stream with lines")
		}
	}()
	f.round()
}

// What readers list while rounds go on is taken once and never lost.
func TestReadersListWhileRoundsGoOn(t *testing.T) {
	f := byHand(t)
	const readers, times = 8, 2000
	var tries [readers]*attempt
	var count [readers]int
	var wg sync.WaitGroup
	for i := range tries {
		tries[i] = newAttempt(f.engine)
		wg.Go(func() {
			for range times {
				tries[i].Ready(false)
			}
		})
	}
	collect := func() {
		turn := f.listed()
		for _, a := range turn {
			for i := range tries {
				if tries[i] == a {
					count[i]++
				}
			}
		}
	}
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	for going := true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		collect()
	}
	for i, n := range count {
		if n == 0 || n > times || tries[i].listed.Load() {
			t.Errorf("attempt %d was taken %d times of at most %d, listed: %v", i, n, times, tries[i].listed.Load())
		}
	}
	testkit.Is(t, f.lines.Load(), nil, "the list is not empty")
	tries[3].Ready(false)
	tries[5].Ready(false)
	tries[3].Ready(false)
	if turn := f.listed(); len(turn) != 2 || turn[0] != tries[3] || turn[1] != tries[5] {
		t.Errorf("not two attempts in the order of their lines: %v", turn)
	}
}

// Many streams wait half a frame for a round, but an end and a flood do not.
func TestRoundsOfManyStreams(t *testing.T) {
	for _, c := range []struct {
		name       string
		background bool
		gathers    bool
		latest     int // lines of the round before
		vain       int
		rings      time.Duration // after which a stream ends; 0: none does
		want       time.Duration
	}{
		{"a few streams", false, false, 1, 0, 0, sweepEvery},
		{"a few quiet streams", false, false, 0, quietLooks, 0, quietEvery},
		{"an end of a few", false, false, 1, 0, time.Millisecond, time.Millisecond},
		{"many streams", true, false, 1, 0, 0, crowdEvery},
		{"a flood", true, false, floodLines + 1, 0, 0, sweepEvery},
		{"an end of many", true, false, 1, 0, time.Millisecond, sweepEvery},
		{"a late end of many", true, false, 1, 0, 9 * time.Millisecond, 9 * time.Millisecond},
		{"a few that nobody watches", false, true, 1, 0, 0, sweepEvery},
		{"many that nobody watches", true, true, floodLines + 1, 0, 0, gatherEvery},
		{"many quiet ones that nobody watches", true, true, 0, quietLooks, 0, gatherEvery},
		{"a flood that nobody watches", true, true, gatherLines + 1, 0, 0, sweepEvery},
		{"an end of many that nobody watches", true, true, 1, 0, time.Millisecond, sweepEvery},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &ingester{wake: make(chan struct{}, 1), quit: make(chan struct{}), streams: 1, latest: c.latest, vain: c.vain}
				f.gathers.Store(c.gathers)
				a := &attempt{engine: &Engine{ingester: f}}
				began := time.Now()
				if c.rings > 0 {
					time.AfterFunc(c.rings, func() { a.Ready(true) })
				}
				tick := time.NewTimer(time.Hour)
				if !f.rest(tick, c.background) {
					t.Error("the ingester ends")
				}
				testkit.Is(t, time.Since(began), c.want, "the next round follows after")
				close(f.quit)
				if f.rest(tick, c.background) {
					t.Error("the ingester does not end")
				}
			})
		})
	}
}
