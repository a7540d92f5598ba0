package session

import (
	"math/rand/v2"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// played returns a player of 40 generated streams and the clock that it follows.
func played(t *testing.T, r *rand.Rand, id int) (*Player, *metrics.Stamp, []metrics.Stream) {
	t.Helper()
	path, views, _, _ := forty(t, false, r)
	rec := testkit.Must(Open(path, nil))(t)
	now, n := metrics.Stamp(1e12), 100
	p := NewPlayer(func() metrics.Stamp { return now }, func() int { n++; return n })
	begin(t, p, id, rec)
	return p, &now, views
}

// begin opens the requests of rec with that id, all for 0, paused at their beginning.
func begin(t *testing.T, p *Player, id int, rec *Recording) {
	t.Helper()
	testkit.OK(t, p.Play(metrics.ReplayPlan{ID: id, Speed: 1}, rec))
	p.ReplayToggle()
}

// state is where an open replay stands.
func state(p *Player) metrics.Replay {
	r, _ := p.ReplayState()
	return r
}

// A replay at its speed shows each chunk when it came, whatever the speed, and
// pauses, and at its end it is the record of the end.
func TestPlayerKeepsTime(t *testing.T) {
	for _, speed := range []float64{0.1, 1, 20} {
		p, now, views := played(t, testkit.Rand(t, 5), 3)
		p.setSpeed(speed)
		if v := p.ReplayStream(); len(v.Chunks) != 0 || v.ID != 101 || !state(p).Paused {
			t.Fatalf("it begins with %d chunks as run %d", len(v.Chunks), v.ID)
		}
		p.ReplayToggle()
		final, start := views[2], *now
		for i, c := range final.Chunks {
			if final.Marks.End-c.At < 100e3 {
				break // beyond the end time stands still
			}
			*now = start + metrics.Stamp(float64(c.At-final.Marks.Start)/speed) + 1000
			if v := p.ReplayStream(); len(v.Chunks) <= i {
				t.Fatalf("speed %g: chunk %d has not come at %d", speed, i, v.Now)
			}
			*now -= 3000
			if v := p.ReplayStream(); len(v.Chunks) > 0 && v.Chunks[len(v.Chunks)-1].At > v.Now || len(v.Chunks) > i {
				t.Fatalf("speed %g: chunk %d came early", speed, i)
			}
		}
		at := *now
		p.ReplayToggle()
		*now += 1e10
		if v := p.ReplayStream(); v.State.Ended() || state(p).At > time.Duration(float64(at-start)*speed) {
			t.Errorf("the clock runs while it is paused")
		}
		p.ReplayToggle()
		*now += 100e9 * 10
		if v := p.ReplayStream(); v.State != final.State || len(p.ReplayRuns()) != 1 || !state(p).Ended || !state(p).Paused {
			t.Errorf("the end is %v, %+v", v.State, state(p))
		}
		p.ReplayToggle()
		testkit.Is(t, len(p.ReplayStream().Chunks), 0, "space at the end does not play it again")
	}
}

// Steps show every arrival once, in both directions nothing is lost, and stalls
// are found one by one.
func TestPlayerCommands(t *testing.T) {
	p, _, views := played(t, testkit.Rand(t, 5), 7)
	for n := uint64(6); len(metrics.Measure(&views[6], metrics.Options{}).Stalls) == 0; n++ {
		p, _, views = played(t, testkit.Rand(t, n), 7)
	}
	final, seen := views[6], 0
	for range 10_000 {
		p.ReplayStep()
		n := len(p.ReplayStream().Chunks)
		testkit.Given(t, n <= seen+1 || final.Chunks[n-1].At == final.Chunks[seen].At,
			"a step shows the chunks %d to %d", seen, n)
		if seen = n; p.ReplayStream().State.Ended() {
			break
		}
	}
	testkit.Is(t, seen, len(final.Chunks), "steps show … chunks")
	p.ReplayEdge(-1)
	stalls := metrics.Measure(&final, metrics.Options{}).Stalls
	for _, want := range stalls {
		chunk, ok := p.ReplayStall(1)
		if v := p.ReplayStream(); !ok || chunk != want.Chunk || len(v.Chunks) <= chunk || v.Now != final.Chunks[chunk].At {
			t.Errorf("stall at %d, %v, with %d chunks; want %d", chunk, ok, len(v.Chunks), want.Chunk)
		}
	}
	if _, ok := p.ReplayStall(1); ok {
		t.Error("a stall after the last one")
	}
	if chunk, ok := p.ReplayStall(-1); len(stalls) > 1 && (!ok || chunk != stalls[len(stalls)-2].Chunk) {
		t.Errorf("the stall before is %d, %v", chunk, ok)
	}
	for want := 2.0; want <= 5; want *= 2.5 {
		p.ReplayFaster(1)
		testkit.Is(t, state(p).Speed, want, "speed")
	}
	p.setSpeed(0.7)
	p.ReplayFaster(-1)
	testkit.Is(t, state(p).Speed, 0.5, "slower than 0.7")
	testkit.That(t, !p.ReplayNext(1) && !p.ReplayNext(-1), "another request than the one that was asked for")
}

// All requests of a file play one after the other, long times between them are
// left out, and the list of runs grows with the clock.
func TestPlayerOfManyRequests(t *testing.T) {
	p, now, views := played(t, testkit.Rand(t, 5), 0)
	p.setSpeed(10)
	p.ReplayToggle()
	const step = 10e6 // of the clock, ns: ten times as much of the file
	last := 0
	for range 2_000_000 {
		*now += step
		r := state(p)
		for i := last; i < r.Index-1; i++ {
			s := &views[i]
			testkit.That(t, s.Marks.End-s.Marks.Start <= 10*step, "request %d was never shown", i+1)
		}
		testkit.That(t, r.Index >= last, "request %d was shown after %d", r.Index, last)
		if last = r.Index; r.Ended {
			break
		}
	}
	if last != len(views) || len(p.ReplayRuns()) != len(views) {
		t.Errorf("it ended with request %d, and has %d runs", last, len(p.ReplayRuns()))
	}
	if !p.ReplayNext(-1) || state(p).Index != len(views)-1 || state(p).At != 0 {
		t.Errorf("back: %+v", state(p))
	}
	p.from(time.Hour)
	v := p.ReplayStream()
	testkit.That(t, v.State.Ended(), "beyond its end it is %v", v.State)
}
