package runner

import (
	"math/rand/v2"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// plant is a machine that can do work at a rate of its own, in seconds of
// engine time per second: at a higher speed its users are in the engine for
// less of the time.
type plant struct {
	most float64
	slip bool // it sets the clock back instead
}

func (m *plant) span(speed float64, d time.Duration) lateness {
	done := min(m.most/speed, 1)
	l := lateness{wall: d, due: 100, present: 100, chunks: 100}
	if m.slip {
		l.slipped = time.Duration((1 - done) * float64(d))
	} else {
		l.present *= done
	}
	return l
}

// TestTheClockSlowsUntilTheMachineKeepsUp: whatever a machine can do, the
// throttle finds a speed that it keeps up with, soon, and not far below it.
// Then it stays there, but for rare attempts.
func TestTheClockSlowsUntilTheMachineKeepsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 8))
	for range 300 {
		m := plant{most: 0.06 + 1.2*rng.Float64(), slip: rng.IntN(2) == 0}
		th := newThrottle()
		changes, early, late := 0, 0, 0
		const every = 250 * time.Millisecond
		for at := time.Duration(0); at < 4*time.Minute; at += every {
			l := m.span(th.factor, every)
			v := th.look(l)
			switch {
			case at > time.Minute:
				if v != keeps {
					changes++
				}
				if l.tooLate() {
					late++
				}
			case at > 8*time.Second && l.tooLate():
				early++
			}
		}
		if early > 24 { // six seconds: two attempts
			t.Errorf("%+v: %d looks of the first minute found it behind", m, early)
		}
		testkit.That(t, changes <= 6 && late <= 30, "%+v: %d changes and %d late looks in three minutes", m, changes, late)
		best := min(m.most, 1)
		testkit.That(t, th.factor >= best/2 && th.factor <= best/leastPresent, "%+v: ends at %v", m, th.factor)
	}
}

// TestOneHiccupDoesNotSlowTheClock: a machine that once was late for a moment
// keeps up.
func TestOneHiccupDoesNotSlowTheClock(t *testing.T) {
	th := newThrottle()
	for i := range 40 {
		l := lateness{wall: 250 * time.Millisecond, due: 8, present: 7.9, chunks: 100}
		if i == 20 {
			l.slipped, l.late, l.delay = 100*time.Millisecond, 30, time.Second
		}
		v := th.look(l)
		testkit.Given(t, v == keeps && th.factor == 1, "look %d: %v, factor %v", i, v, th.factor)
	}
}

// TestEachKindOfLatenessSlowsTheClock: users that are late, a clock that is set
// back, and chunks that wait for the processor.
func TestEachKindOfLatenessSlowsTheClock(t *testing.T) {
	fine := lateness{wall: 250 * time.Millisecond, due: 8, present: 8, chunks: 100}
	for what, bend := range map[string]func(*lateness){
		"users": func(l *lateness) { l.present = 7 },
		"clock": func(l *lateness) { l.slipped = 60 * time.Millisecond },
		"chunks": func(l *lateness) {
			l.late, l.delay = 50, 50*60*time.Millisecond
		},
		"nothing":         func(*lateness) {},
		"a few chunks":    func(l *lateness) { l.late, l.delay = 5, 5*time.Second },
		"chunks a little": func(l *lateness) { l.late, l.delay = 100, 100*10*time.Millisecond },
		"no work":         func(l *lateness) { *l = lateness{wall: l.wall} },
	} {
		th := newThrottle()
		slow := false
		for range 12 {
			l := fine
			bend(&l)
			slow = slow || th.look(l) == slowsDown
		}
		want := what == "users" || what == "clock" || what == "chunks"
		testkit.That(t, slow == want, "%s: slowed down %v", what, slow)
	}
}

// TestAMachineThatIsFreeAgainRunsAtFullSpeed: what disturbed the machine ends,
// and the clock returns to the knob's speed.
func TestAMachineThatIsFreeAgainRunsAtFullSpeed(t *testing.T) {
	m, th := plant{most: 0.3}, newThrottle()
	for range 80 {
		th.look(m.span(th.factor, 250*time.Millisecond))
	}
	testkit.Given(t, th.factor <= 0.34, "a machine for 0.3 runs at %v", th.factor)
	m.most = 2
	n := 0
	for ; th.factor < 1 && n < 4*120; n++ {
		th.look(m.span(th.factor, 250*time.Millisecond))
	}
	testkit.That(t, th.factor >= 1, "after two minutes at %v", th.factor)
	if m.most = 0.01; true {
		for range 4 * 60 {
			th.look(m.span(th.factor, 250*time.Millisecond))
		}
	}
	if !th.exhausted() || th.factor != leastFactor {
		t.Errorf("a machine that can do nothing: factor %v, exhausted %v", th.factor, th.exhausted())
	}
}
