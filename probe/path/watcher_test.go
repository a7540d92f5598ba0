package path

import (
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// scene drives a Watcher in virtual time.
type scene struct {
	w       *Watcher
	l       Look
	info    transport.TCPInfo
	err     error
	reads   int
	last    metrics.Stamp // of the last reading
	closest time.Duration // between two readings
	asked   int           // connects
}

func newScene(connect bool) *scene {
	s := &scene{closest: time.Hour, info: transport.TCPInfo{Counts: true, RTT: 40 * time.Millisecond}}
	s.w = New(func() (transport.TCPInfo, error) {
		if d := time.Duration(s.l.Now - s.last); s.reads > 0 {
			s.closest = min(s.closest, d)
		}
		s.reads, s.last = s.reads+1, s.l.Now
		return s.info, s.err
	}, connect)
	s.l = Look{GotConn: 0, Sent: metrics.NoStamp, FirstByte: metrics.NoStamp}
	return s
}

// pass lets d pass, with a look every 4 ms.
func (s *scene) pass(d time.Duration) {
	for end := s.l.Now + metrics.Stamp(d); s.l.Now < end; {
		s.l.Now += metrics.Stamp(4 * time.Millisecond)
		s.look()
	}
}

func (s *scene) look() {
	if s.w.Look(&s.l) {
		s.asked++
		s.w.Connected(metrics.PathConnect{At: s.l.Now, Elapsed: time.Millisecond, Result: metrics.ConnectOK})
	}
}

// chunks adds n chunks of one read, now.
func (s *scene) chunks(n int) {
	for range n {
		s.l.Chunks = append(s.l.Chunks, metrics.Chunk{At: s.l.Now, User: s.l.Now, Read: int32(s.l.Now / 1e6)})
		s.info.DataSegments++
		s.info.Received += 200
	}
	s.look()
}

// stream sends n chunks, every 20 ms.
func (s *scene) stream(n int) {
	s.l.Sent = max(s.l.Sent, 1)
	for range n {
		s.pass(20 * time.Millisecond)
		s.chunks(1)
	}
}

func (s *scene) path() metrics.Path { return s.w.path }

// only returns the single gap of the scene.
func (s *scene) only(t *testing.T) metrics.PathGap {
	t.Helper()
	testkit.Need(t, len(s.w.path.Gaps), 1, "gaps", s.w.path.Gaps)
	return s.w.path.Gaps[0]
}

// TestGapIsCounted holds that the counts of a gap are those between its chunks,
// not those before or after it.
func TestGapIsCounted(t *testing.T) {
	s := newScene(false)
	s.info.OutOfOrder = 7 // of an earlier request on the connection
	s.stream(20)
	s.pass(40 * time.Millisecond)
	s.info.OutOfOrder, s.info.DataSegments = 10, s.info.DataSegments+3
	s.pass(40 * time.Millisecond)
	got := s.path().Silence
	testkit.That(t, got.OutOfOrder == 3 && got.Chunk == 20, "in the silence: %+v", got)
	s.chunks(4)
	s.pass(20 * time.Millisecond)
	s.chunks(1)
	s.pass(20 * time.Millisecond)
	s.info.OutOfOrder = 90
	s.stream(5)
	g := s.only(t)
	if g.Chunk != 20 || g.OutOfOrder != 3 || g.Together != 4 || !g.Counted || g.Ms != 80 || g.Usual != 20 || g.RTT != 40 {
		t.Errorf("%+v", g)
	}
	cause, _ := g.Cause()
	testkit.That(t, cause == metrics.PathOutOfOrder, "cause %s", cause)
	p := s.path()
	testkit.That(t, p.OutOfOrder == 83 && p.Silence.OutOfOrder == 0, "%+v", p)
}

// TestStallAndBurst holds what is said where nothing is out of order.
func TestStallAndBurst(t *testing.T) {
	for _, c := range []struct {
		together int
		want     metrics.PathCause
	}{{1, metrics.PathSentLate}, {16, metrics.PathFlushed}} {
		s := newScene(false)
		s.stream(20)
		s.pass(340 * time.Millisecond)
		s.chunks(c.together)
		s.stream(3)
		g := s.only(t)
		if cause, why := g.Cause(); cause != c.want || why != "" || g.Together != c.together {
			t.Errorf("%d chunks at once: %s %s, %+v", c.together, cause, why, g)
		}
	}
}

// TestReadings holds that the socket is read at most every 10 ms, and rarely in
// a long silence.
func TestReadings(t *testing.T) {
	s := newScene(false)
	s.stream(100)
	testkit.That(t, s.closest >= readEvery && s.reads >= 100 && s.reads <= 210,
		"%d readings in 2 s, %v apart", s.reads, s.closest)
	before := s.reads
	s.pass(time.Minute)
	n := s.reads - before
	testkit.That(t, n >= 200 && n <= 300, "%d readings in a minute of silence", n)
}

// TestNothingIsCounted holds that nothing is claimed where the system counts
// nothing: no reading goes on, and a gap is undecided.
func TestNothingIsCounted(t *testing.T) {
	for want, set := range map[metrics.PathSource]func(s *scene){
		metrics.PathUnsupported: func(s *scene) { s.err = transport.ErrNoTCPInfo },
		metrics.PathNoSocket:    func(s *scene) { s.err = transport.ErrNoSocket },
		metrics.PathUnixSocket:  func(s *scene) { s.err = transport.ErrUnixSocket },
		metrics.PathOldKernel:   func(s *scene) { s.info.Counts = false },
	} {
		s := newScene(false)
		set(s)
		s.stream(20)
		s.pass(340 * time.Millisecond)
		s.info.OutOfOrder = 3
		s.chunks(1)
		s.stream(3)
		p := s.path()
		testkit.Is(t, p.Source, want, "source")
		for i := range p.Gaps {
			cause, why := p.Gaps[i].Cause()
			testkit.That(t, cause == metrics.PathUndecided && why == metrics.PathUncounted, "%s: %s %s", want, cause, why)
		}
		testkit.That(t, want == metrics.PathOldKernel || s.reads == 1 && len(p.Gaps) == 0,
			"%s: %d readings, %d gaps", want, s.reads, len(p.Gaps))
	}
}

// TestLateLook holds that counters which were not read around a gap decide
// nothing.
func TestLateLook(t *testing.T) {
	s := newScene(false)
	s.stream(20)
	s.l.Now += metrics.Stamp(900 * time.Millisecond) // tokscope itself stood still
	at := s.l.Now - metrics.Stamp(400*time.Millisecond)
	s.l.Chunks = append(s.l.Chunks, metrics.Chunk{At: at, User: at, Read: 9999})
	s.info.OutOfOrder = 5
	s.look()
	s.pass(200 * time.Millisecond)
	g := s.only(t)
	cause, why := g.Cause()
	testkit.That(t, cause == metrics.PathUndecided && why == metrics.PathUncounted, "%s %s: %+v", cause, why, g)
}

// TestUpload holds the moment at which a long request is acknowledged, and that
// one of a single window has no upload time.
func TestUpload(t *testing.T) {
	s := newScene(false)
	s.info.NotSent, s.info.Unacked, s.info.Rate = 400_000, 40, 1_000_000
	s.pass(100 * time.Millisecond)
	s.l.Sent = s.l.Now
	s.pass(300 * time.Millisecond)
	testkit.Given(t, !s.path().Acked.Known(), "acknowledged too early")
	s.info.NotSent, s.info.Unacked, s.info.LastAck = 0, 0, 3*time.Millisecond
	s.pass(20 * time.Millisecond)
	p := s.path()
	if d := time.Duration(p.Acked - s.l.Sent); !p.Upload || d < 297*time.Millisecond || d > 312*time.Millisecond ||
		p.Rate != 1_000_000 {
		t.Errorf("after %v: %+v", d, p)
	}

	s = newScene(false)
	s.info.Unacked = 2
	s.pass(20 * time.Millisecond)
	s.l.Sent = s.l.Now
	s.pass(40 * time.Millisecond)
	s.info.Unacked = 0
	s.pass(20 * time.Millisecond)
	if p := s.path(); !p.Acked.Known() || p.Upload {
		t.Errorf("%+v", p)
	}
}

// TestConnects holds when connects are due: each second of a silence, ten at
// most, never before the request is sent, to this machine or to a proxy.
func TestConnects(t *testing.T) {
	s := newScene(true)
	s.pass(3 * time.Second)
	testkit.Is(t, s.asked, 0, "connects before the request was sent")
	s.l.Sent = s.l.Now
	s.pass(3500 * time.Millisecond)
	testkit.Is(t, s.asked, 3, "connects in 3.5 s of waiting")
	s.stream(100) // 2 s in which chunks come
	testkit.That(t, s.asked == 3, "%d connects while chunks came", s.asked-3)
	s.l.Body += 3 // a comment is a sign of life as well
	s.pass(900 * time.Millisecond)
	testkit.That(t, s.asked == 3, "%d connects within a second", s.asked-3)
	s.pass(time.Minute)
	testkit.That(t, s.asked == metrics.MaxPathConnects && len(s.path().Connects) == metrics.MaxPathConnects,
		"%d connects of one request", s.asked)
	for name, set := range map[string]func(s *scene){
		"this machine": func(s *scene) { s.l.Local = true }, "a proxy": func(s *scene) { s.l.Proxied = true },
		"not allowed": func(s *scene) { s.w.connect = false },
	} {
		s := newScene(true)
		set(s)
		s.l.Sent = 1
		s.pass(5 * time.Second)
		testkit.Is(t, s.asked, 0, name, "connects")
	}
}

// TestConnectsThatBeginLate holds that connects are connectEvery apart where they
// begin, however long after the look that asked for one that is.
func TestConnectsThatBeginLate(t *testing.T) {
	s := newScene(true)
	s.l.Sent = 1
	last := metrics.NoStamp
	for i := range 4 {
		for !s.w.Look(&s.l) {
			s.l.Now += metrics.Stamp(time.Millisecond)
		}
		at := s.l.Now + metrics.Stamp(4-i)*metrics.Stamp(time.Millisecond)/2 // each begins less late
		if last.Known() && at-last < metrics.Stamp(connectEvery) {
			t.Errorf("connect %d begins %v after the one before", i, time.Duration(at-last))
		}
		last = at
		s.w.Connected(metrics.PathConnect{At: at, Elapsed: time.Millisecond, Result: metrics.ConnectOK})
	}
}

// TestBound holds that the gaps of a stream that never flows are bounded, and
// the rest is counted.
func TestBound(t *testing.T) {
	s := newScene(false)
	s.stream(200)
	for range 3 * metrics.MaxPathGaps {
		s.pass(100 * time.Millisecond)
		s.chunks(1)
		s.stream(9)
	}
	if p := s.path(); len(p.Gaps) != metrics.MaxPathGaps || p.Missed < metrics.MaxPathGaps {
		t.Errorf("%d gaps, %d more", len(p.Gaps), p.Missed)
	}
}

// TestEvents holds that each thing is sent once, with what is known of it, and
// that nothing follows the end.
func TestEvents(t *testing.T) {
	s := newScene(true)
	seen := map[Kind]int{}
	collect := func() {
		p, news := s.w.Changes()
		for _, e := range news {
			seen[e.Kind]++
			if e.Path != p || (e.Gap != nil) != (e.Kind == KindGap) || (e.Connect != nil) != (e.Kind == KindConnect) {
				t.Errorf("%+v", e)
			}
		}
	}
	s.stream(20)
	collect()
	s.pass(1500 * time.Millisecond)
	collect()
	s.stream(5)
	collect()
	s.l.Ended = true
	s.look()
	s.look()
	s.w.Connected(metrics.PathConnect{})
	collect()
	collect()
	for _, k := range Kinds {
		testkit.Is(t, seen[k], 1, k, "times")
	}
}

// TestLookAllocates holds that looks without news allocate nothing.
func TestLookAllocates(t *testing.T) {
	s := newScene(false)
	s.stream(50)
	s.w.Changes()
	testkit.Allocates(t, 0, 500, func() {
		s.l.Now += metrics.Stamp(4 * time.Millisecond)
		s.w.Look(&s.l)
		s.w.Changes()
	}, "a look")
}
