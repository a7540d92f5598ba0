package runner

import (
	"time"

	"tokscope/probe/explain"
	"tokscope/probe/sim"
)

// pacer looks at how far this machine falls behind the engine, and slows the
// engine's clock down until it can keep up. The runner's mutex guards it.
type pacer struct {
	throttle throttle
	last     progress
	expected []expected // since the engine's latest report
	counted  float64    // of expected, up to last
}

// expected is how many users should be in the engine at a moment of engine
// time, and their sum over time since the first one.
type expected struct {
	clock, area float64
	due         int
}

// mostExpected bounds the moments during a long step: minutes.
const mostExpected = 4096

// progress is what the engine and its users have done so far.
type progress struct {
	wall  time.Time
	seen  seen
	pace  sim.Pacing
	clock float64 // of the engine
	due   int     // users that should be in the engine now
}

// begin is for other knobs, whose load is unknown. The clock runs at their speed again.
func (p *pacer) begin(w progress) {
	p.throttle = newThrottle()
	p.restart(w)
}

// disturb leaves out what happened since the last look.
func (p *pacer) disturb(w progress) {
	p.throttle.disturb()
	p.restart(w)
}

func (p *pacer) restart(w progress) {
	p.last, p.counted = w, 0
	p.expected = append(p.expected[:0], expected{clock: w.clock, due: w.due})
}

// expect notes how many users should be in the engine now, and returns their
// sum over engine time until at.
//
//	∫ due dt, from the first moment on
func (p *pacer) expect(w *progress, at float64) float64 {
	last := p.expected[len(p.expected)-1]
	next := expected{clock: max(w.clock, last.clock), due: w.due}
	next.area = last.area + float64(last.due+w.due)/2*(next.clock-last.clock)
	p.expected = append(p.expected, next)
	i := 0 // the last moment that is not after at
	for i+1 < len(p.expected) && (p.expected[i+1].clock <= at || len(p.expected)-i > mostExpected) {
		i++
	}
	p.expected = append(p.expected[:0], p.expected[i:]...)
	a := p.expected[0]
	if len(p.expected) == 1 || at <= a.clock {
		return a.area
	}
	b := p.expected[1]
	return a.area + (b.area-a.area)*(at-a.clock)/(b.clock-a.clock)
}

// look judges what was done since the last look.
func (p *pacer) look(w progress) verdict {
	was := &p.last
	area := p.expect(&w, w.seen.at)
	l := lateness{
		wall: w.wall.Sub(was.wall), due: area - p.counted, present: w.seen.area - was.seen.area,
		slipped: w.pace.Slipped - was.pace.Slipped, chunks: w.seen.chunks - was.seen.chunks,
		late: int(w.pace.Tardy - was.pace.Tardy), delay: w.pace.Delayed - was.pace.Delayed,
	}
	p.last, p.counted = w, area
	return p.throttle.look(l)
}

// done returns what was done so far.
func (n *run) done() progress {
	return progress{wall: time.Now(), seen: n.reports.presence.look(),
		pace: n.steered.Pacing(), clock: n.steered.Clock(), due: n.load.Due()}
}

// speed returns engine seconds per wall second for a config.
func (n *run) speed(r *explain.EngineConfig) float64 {
	return max(r.Knobs.Time*n.pacer.throttle.factor, leastSpeed)
}

// leastSpeed is the lowest speed of the simulation.
const leastSpeed = 0.001

// setSpeed lets the clock run at that speed. Requests under way are left out of
// the clients' times.
func (n *run) setSpeed(r *explain.EngineConfig) {
	x := n.speed(r)
	n.clients.disturb(n.engine.Clock().Now(), x)
	_ = n.steered.SetSpeed(x) // the knobs hold it below the upper bound
}

// keepUp slows the clock down while this machine cannot keep up, and speeds it
// up again once it can. What was measured too late is measured anew. Up to
// joined, the users still begin, and nothing is measured yet that is kept.
func (n *run) keepUp(r *explain.EngineConfig, progress float64, o explain.Objectives) {
	const joined = 0.5
	v := n.pacer.look(n.done())
	if v != keeps {
		n.setSpeed(r)
	}
	if v == slowsDown && progress > joined {
		n.begin(r, r, o)
	}
}
